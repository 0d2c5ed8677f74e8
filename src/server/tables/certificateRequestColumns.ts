import type * as Certificates from "kubernetes-types/certificates/v1.js"
import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { ageColumn, makeColumn, nameColumn, orNone } from "./tableColumn.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { TableColumn } from "./tableColumn.ts"

type Request = KubeObject & {
  readonly spec: Certificates.CertificateSigningRequestSpec & { readonly expirationSeconds?: number }
  readonly status?: Partial<Certificates.CertificateSigningRequestStatus>
}

const stateOf = ({ status: { conditions = [], certificate = "" } = {} }: Request): string => {
  const types = conditions.map(({ type }) => type)
  const verdict = ["Denied", "Approved"].find((type) => types.includes(type)) ?? "Pending"
  return [
    verdict,
    ...(types.includes("Failed") ? ["Failed"] : []),
    ...(certificate === "" ? [] : ["Issued"])
  ].join(",")
}

/** Source: pkg/printers/internalversion/printers.go (printCertificateSigningRequest). */
export const certificateRequestColumns: ReadonlyArray<TableColumn> = [
  nameColumn,
  ageColumn,
  makeColumn<Request>("SignerName", { description: "Who is to sign it." }, ({ spec }) =>
    orNone(spec.signerName)
  ),
  makeColumn<Request>(
    "Requestor",
    { description: "The user that requests it." },
    ({ spec }) => spec.username ?? ""
  ),
  makeColumn<Request>(
    "RequestedDuration",
    { description: "How long the certificate is to be valid." },
    ({ spec: { expirationSeconds: seconds } }) =>
      seconds === undefined ? "<none>" : shortAge(seconds * 1000)
  ),
  makeColumn<Request>("Condition", { description: "Whether it is approved, and what came of it." }, stateOf)
]
