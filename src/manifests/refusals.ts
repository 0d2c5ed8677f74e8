import { bodyOf, quoted } from "../domain/admission/fieldErrors.ts"
import { pathOfField, type ManifestDocument, type ManifestProblem } from "./manifest.ts"
import type { StoreError } from "../store/errors.ts"

/**
 * What the store refuses, told as kubectl tells it, at the field that is wrong.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go (checkErr, MultilineError).
 */
export const problemOfRefusal = (document: ManifestDocument, error: StoreError): ManifestProblem => {
  if (error._tag !== "Invalid") {
    return problemOf(document, `Error from server (${error._tag}): ${error.message}`)
  }
  const causes = [...new Set(error.errors.map((cause) => `${cause.field}: ${bodyOf(cause)}`))]
  const subject = `The ${document.kind.kind} ${quoted(error.name)} is invalid`
  const listed = causes.length > 1 ? `\n${causes.map((cause) => `* ${cause}`).join("\n")}` : causes.join("")
  const [first] = error.errors
  return {
    ...problemOf(document, listed === "" ? subject : `${subject}: ${listed}`),
    ...(first === undefined ? {} : document.placeOf(pathOfField(first.field)))
  }
}

/** A problem of a document as a whole. */
export const problemOf = (
  { file, document, line, column }: ManifestDocument,
  message: string
): ManifestProblem => ({ file, document, line, column, message })
