import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeFormatterStandardSchemaV1, type Leaf } from "effect/SchemaIssue"
import { leafMessage } from "./decodeBehaviour.ts"
import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"
import { formatFieldPath, type DocumentPath } from "../kubernetes/meta/text/fieldPath.ts"

/** A problem at a path such as `["spec", "steps", 3, "scale"]`. */
export interface SchemaFinding {
  readonly path: DocumentPath
  readonly message: string
  readonly fieldPart: "name" | "value"
  /** Characters from the beginning of the name or value; default 0. */
  readonly offset?: number
  /** Whether the message names the field itself. */
  readonly isFullSentence?: boolean
}

export const schemaFindings = (
  schema: Schema.Top,
  value: unknown,
  pathOfValue: DocumentPath = []
): ReadonlyArray<SchemaFinding> => {
  const result = Schema.decodeUnknownResult(codecOf(schema), decodeOptions)(value)
  if (Result.isSuccess(result)) return []
  return issuesOf(result.failure.issue).issues.map(({ path: issuePath = [], message }): SchemaFinding => ({
    path: [
      ...pathOfValue,
      ...issuePath.map((segment) => toPathPart(typeof segment === "object" ? segment.key : segment))
    ],
    message,
    fieldPart: message.startsWith(unknownFieldMessage) ? "name" : "value"
  }))
}

const codecOf = (schema: Schema.Top): Schema.Codec<unknown, unknown> =>
  schema as Schema.Codec<unknown, unknown>

const decodeOptions = { errors: "all", onExcessProperty: "error", reportInput: true } as const

const toPathPart = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key))

const unknownFieldMessage = "is not a field here"

const findingMessage = (issue: Leaf): string => {
  if (issue._tag !== "UnexpectedKey" || issue.ast._tag !== "Objects") return leafMessage(issue)
  const names = issue.ast.propertySignatures.map(({ name }) => String(name))
  return names.length === 0
    ? leafMessage(issue)
    : `${unknownFieldMessage}; the fields are ${names.join(", ")}`
}

const issuesOf = makeFormatterStandardSchemaV1({ leafHook: findingMessage })

export const findingText = ({ path, message, isFullSentence }: SchemaFinding): string => {
  if (isFullSentence === true) return message
  const field = String(path.at(-1) ?? "")
  const pathText = formatFieldPath(path)
  const fields = message.startsWith(unknownFieldMessage)
    ? message.split("the fields are ")[1]?.split(", ")
    : undefined
  const suggestion = fields === undefined ? undefined : nearestWord(field, fields)
  const hint = suggestion === undefined ? message : `${unknownFieldMessage}; did you mean ${suggestion}?`
  return pathText === "" ? hint : `${pathText} ${hint}`
}
