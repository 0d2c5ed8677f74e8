import { decodeObject } from "../kubernetes/admission/decoding/decodeObject.ts"
import { errorBody } from "../kubernetes/validation/fieldErrors.ts"
import { invalidObject } from "../store/storeRefusals.ts"
import { validateCreate, withDefaults } from "../kubernetes/admission/admit.ts"
import { withLastAppliedAnnotation } from "./lastApplied.ts"
import { parseFieldPath } from "../kubernetes/meta/text/fieldPath.ts"
import { goQuote } from "../kubernetes/meta/text/goQuote.ts"
import type { ManifestDocument, ManifestProblem } from "./manifestDocument.ts"
import type { StoreError } from "../store/storeErrors.ts"

/** Source: kubectl/pkg/cmd/util/helpers.go (checkErr, MultilineError). */
export const toManifestProblem = (document: ManifestDocument, error: StoreError): ManifestProblem => {
  if (error._tag !== "Invalid") {
    return documentProblem(document, `Error from server (${error._tag}): ${error.message}`)
  }
  const causes = [...new Set(error.errors.map((cause) => `${cause.field}: ${errorBody(cause)}`))]
  const subject = `The ${document.kind.kind} ${goQuote(error.resourceName)} is invalid`
  const causeList =
    causes.length > 1 ? `\n${causes.map((cause) => `* ${cause}`).join("\n")}` : causes.join("")
  const [first] = error.errors
  return {
    ...documentProblem(document, causeList === "" ? subject : `${subject}: ${causeList}`),
    ...(first === undefined ? {} : document.placeOf(parseFieldPath(manifestFieldOf(first.field))))
  }
}

/** Kubernetes' messages name these fields otherwise than a manifest has them. */
const manifestFieldOf = (field: string): string =>
  field
    .replace(/^metadata\.taints\b/, "spec.taints")
    .replace(/^spec\.LoadBalancerSourceRanges\b/, "spec.loadBalancerSourceRanges")
    .replace(/^spec\.template\.labels\b/, "spec.template.metadata.labels")

export const findCreateProblem = (document: ManifestDocument): ManifestProblem | undefined => {
  const { kind, draft, rawFields, serverSide = false } = document
  const nameProblem = findMissingName(document)
  if (nameProblem !== undefined) return nameProblem
  const decoded = decodeObject(serverSide ? rawFields : withLastAppliedAnnotation(rawFields), {
    strict: false,
    kinds: { findServed: () => kind }
  })
  if (!decoded.ok) return documentProblem(document, `error: ${decoded.message}`)
  const errors = validateCreate(kind, withDefaults(kind, decoded.object))
  return errors.length === 0
    ? undefined
    : toManifestProblem(document, invalidObject(kind, draft.metadata.name ?? "", errors))
}

/** `kubectl apply` needs a name, and accepts no `generateName`. */
export const findMissingName = (document: ManifestDocument): ManifestProblem | undefined => {
  const { name = "", generateName = "" } = document.draft.metadata
  if (name !== "") return undefined
  const why =
    generateName === ""
      ? "resource name may not be empty"
      : `from ${generateName}: cannot use generate name with apply`
  return documentProblem(document, `error: ${why}`)
}

export const documentProblem = (
  { file, document, line, column }: ManifestDocument,
  message: string
): ManifestProblem => ({ file, document, line, column, message })
