import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeFormatterStandardSchemaV1, type Leaf } from "effect/SchemaIssue"
import { leafMessage, pathOf } from "./decode.ts"
import { nearest } from "../domain/nearest.ts"
import type { FieldPath } from "../domain/admission/decodeFields.ts"

/** One thing that is wrong with a document, and where: `["spec", "steps", 3, "scale"]`. */
export interface Finding {
  readonly path: FieldPath
  readonly message: string
  /** What is pointed at: the name of a field, or what it says. */
  readonly aim: "name" | "value"
  /** Characters of the value before what is wrong. */
  readonly offset?: number
  /** Whether the message names the field by itself. */
  readonly isWhole?: boolean
}

/** Everything that a schema has to say of a value. */
export const schemaFindings = (
  schema: Schema.Top,
  value: unknown,
  path: FieldPath
): ReadonlyArray<Finding> => {
  const result = Schema.decodeUnknownResult(codecOf(schema), options)(value)
  if (Result.isSuccess(result)) return []
  return issuesOf(result.failure.issue).issues.map(({ path: below = [], message }) => ({
    path: [...path, ...below.map((segment) => fieldOf(typeof segment === "object" ? segment.key : segment))],
    message,
    aim: message.startsWith(unexpected) ? "name" : "value"
  }))
}

/** None of the schemas of stories and faults needs a service to be read. */
const codecOf = (schema: Schema.Top): Schema.Codec<unknown, unknown> =>
  schema as Schema.Codec<unknown, unknown>

const options = { errors: "all", onExcessProperty: "error", reportInput: true } as const

const fieldOf = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key))

const unexpected = "is not a field here"

const messageOf = (issue: Leaf): string => {
  if (issue._tag !== "UnexpectedKey" || issue.ast._tag !== "Objects") return leafMessage(issue)
  const names = issue.ast.propertySignatures.map(({ name }) => String(name))
  return names.length === 0 ? leafMessage(issue) : `${unexpected}; the fields are ${names.join(", ")}`
}

const issuesOf = makeFormatterStandardSchemaV1({ leafHook: messageOf })

/** A finding as a sentence; a field that does not exist is told of the one that may have been meant. */
export const findingText = ({ path, message, isWhole }: Finding): string => {
  if (isWhole === true) return message
  const field = String(path.at(-1) ?? "")
  const text = pathOf(path)
  const fields = message.startsWith(unexpected) ? message.split("the fields are ")[1]?.split(", ") : undefined
  const meant = fields === undefined ? undefined : nearest(field, fields)
  const hint = meant === undefined ? message : `${unexpected}; did you mean ${meant}?`
  return text === "" ? hint : `${text} ${hint}`
}
