import type * as Certificates from "kubernetes-types/certificates/v1.js"
import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { ageColumn, makeColumn, nameColumn, textOrNone } from "./tableColumn.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

type Request = KubeObject & {
  readonly spec: Certificates.CertificateSigningRequestSpec & { readonly expirationSeconds?: number }
  readonly status?: Partial<Certificates.CertificateSigningRequestStatus>
}

const conditionText = ({ status: { conditions = [], certificate = "" } = {} }: Request): string => {
  const types = conditions.map(({ type }) => type)
  const decision = ["Denied", "Approved"].find((type) => types.includes(type)) ?? "Pending"
  return [
    decision,
    ...(types.includes("Failed") ? ["Failed"] : []),
    ...(certificate === "" ? [] : ["Issued"])
  ].join(",")
}

/** Source: pkg/printers/internalversion/printers.go (printCertificateSigningRequest). */
export const certificateRequestColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  ageColumn,
  makeColumn<Request>("SignerName", { description: "The signer that the request is for." }, ({ spec }) =>
    textOrNone(spec.signerName)
  ),
  makeColumn<Request>(
    "Requestor",
    { description: "The user that made the request." },
    ({ spec }) => spec.username ?? ""
  ),
  makeColumn<Request>(
    "RequestedDuration",
    { description: "The requested validity of the certificate." },
    ({ spec: { expirationSeconds: seconds } }) =>
      seconds === undefined ? "<none>" : shortAge(seconds * 1000)
  ),
  makeColumn<Request>(
    "Condition",
    { description: "Whether the request is approved or denied, and the certificate is issued." },
    conditionText
  )
]
