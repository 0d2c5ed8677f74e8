import { decodeObject } from "../domain/admission/decode.ts"
import { bodyOf, quoted } from "../domain/admission/fieldErrors.ts"
import { invalid } from "../store/refusals.ts"
import { validateCreate, withDefaults } from "../domain/admission/admit.ts"
import { withLastApplied } from "./lastApplied.ts"
import { pathOfField, type ManifestDocument, type ManifestProblem } from "./manifest.ts"
import type { StoreError } from "../store/errors.ts"

/**
 * A store error as kubectl prints it, at the location of its first field.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go (checkErr, MultilineError).
 */
export const problemOfRefusal = (document: ManifestDocument, error: StoreError): ManifestProblem => {
  if (error._tag !== "Invalid") {
    return problemOf(document, `Error from server (${error._tag}): ${error.message}`)
  }
  const causes = [...new Set(error.errors.map((cause) => `${cause.field}: ${bodyOf(cause)}`))]
  const subject = `The ${document.kind.kind} ${quoted(error.name)} is invalid`
  const causeList =
    causes.length > 1 ? `\n${causes.map((cause) => `* ${cause}`).join("\n")}` : causes.join("")
  const [first] = error.errors
  return {
    ...problemOf(document, causeList === "" ? subject : `${subject}: ${causeList}`),
    ...(first === undefined ? {} : document.placeOf(pathOfField(first.field)))
  }
}

export const whyInvalid = (document: ManifestDocument): ManifestProblem | undefined => {
  const { kind, draft, written } = document
  const nameless = whyNameless(document)
  if (nameless !== undefined) return nameless
  const decoded = decodeObject(withLastApplied(written), { strict: false })
  if (!decoded.ok) return problemOf(document, `error: ${decoded.message}`)
  const errors = validateCreate(kind, withDefaults(kind, decoded.object))
  return errors.length === 0
    ? undefined
    : problemOfRefusal(document, invalid(kind, draft.metadata.name ?? "", errors))
}

export const whyNameless = (document: ManifestDocument): ManifestProblem | undefined => {
  const { name = "", generateName = "" } = document.draft.metadata
  if (name !== "") return undefined
  const why =
    generateName === ""
      ? "resource name may not be empty"
      : `from ${generateName}: cannot use generate name with apply`
  return problemOf(document, `error: ${why}`)
}

export const problemOf = (
  { file, document, line, column }: ManifestDocument,
  message: string
): ManifestProblem => ({ file, document, line, column, message })
