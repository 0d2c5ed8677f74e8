import { isFields, type Fields } from "../../kubernetes/meta/fields.ts"
import { lastAppliedAnnotation } from "../../kubernetes/apply/patches/threeWayMerge.ts"
import { parseBody, parsePatch } from "./decodeBody.ts"
import type { BodyReader, SentBody } from "../traffic/makeRequestLog.ts"

/** Redacts the contents of Secrets and TokenReviews. */
export const loggedBodyReader: BodyReader = {
  decode: (sent) => bodyOf(sent),
  decodeRedacted: (sent) => redactSecrets(sent, bodyOf(sent))
}

/** The text of a body that cannot be parsed; undefined for an empty one. */
const bodyOf = (sent: SentBody): unknown => {
  const { body, contentType } = sent
  if (body.length === 0) return undefined
  try {
    const isPatch = contentType.endsWith("patch+json") || contentType.endsWith("patch+yaml")
    if (!isPatch) return parseBody(sent).value
    const isYaml = contentType.endsWith("+yaml")
    return isYaml ? parseBody({ body, contentType: "application/yaml" }).value : parsePatch(body).value
  } catch {
    return body.toString()
  }
}

const redactedText = "(redacted)"

const redactSecrets = ({ resource, subresource }: Omit<SentBody, "body">, value: unknown): unknown => {
  if (resource === "tokenreviews.authentication.k8s.io") return redactFields(value, ["spec"])
  if (resource !== "secrets" || subresource !== undefined) return value
  // A JSON patch is a list of operations.
  if (Array.isArray(value)) {
    return value.map((it: unknown) => (isFields(it) && "value" in it ? { ...it, value: redactedText } : it))
  }
  if (typeof value === "string") return redactedText
  return redactLastApplied(redactFields(value, ["data", "stringData"]))
}

const redactFields = (value: unknown, names: ReadonlyArray<string>): unknown => {
  if (!isFields(value)) return value
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    names.includes(name) && isFields(field) ? redactValues(field) : field
  ])
  return Object.fromEntries(entries)
}

const redactValues = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === null ? null : redactedText])
  )

/** `kubectl apply` stores the whole Secret in an annotation. */
const redactLastApplied = (value: unknown): unknown => {
  if (!isFields(value) || !isFields(value["metadata"])) return value
  const { metadata } = value
  const { annotations } = metadata
  if (!isFields(annotations) || !(lastAppliedAnnotation in annotations)) return value
  return {
    ...value,
    metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: redactedText } }
  }
}
