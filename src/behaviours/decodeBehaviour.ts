import { formatFieldPath } from "../kubernetes/meta/text/fieldPath.ts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AST } from "effect/SchemaAST"
import { makeFormatterStandardSchemaV1, defaultLeafHook, hasInput, type Leaf } from "effect/SchemaIssue"
import { behaviourApiVersion, type Behaviour, type BehaviourDocument } from "./behaviour.ts"
import { isFields } from "../kubernetes/meta/fields.ts"
import { deepFreezeEveryPart } from "../kubernetes/meta/deepFreeze.ts"
import { expectedDuration } from "./contradictions.ts"
import { BehaviourSchema } from "./behaviourSchema.ts"

/** A problem at a field such as `spec.schedule.uniform[1]`. */
export interface BehaviourProblem {
  readonly path: string
  readonly message: string
}

export type DecodedBehaviour =
  | { readonly ok: true; readonly behaviour: Behaviour }
  | { readonly ok: false; readonly problems: ReadonlyArray<BehaviourProblem> }

export const decodeBehaviour = (value: unknown): DecodedBehaviour => {
  const result = decode(value)
  return Result.isSuccess(result)
    ? {
        ok: true,
        behaviour: deepFreezeEveryPart({ name: result.success.metadata.name, ...result.success.spec })
      }
    : {
        ok: false,
        problems: issuesOf(result.failure.issue).issues.map(({ path, message }) => ({
          path: formatFieldPath((path ?? []).map(toPathPart)),
          message
        }))
      }
}

/** Names must be distinct. Paths start with the document's index: `[1].spec.start`. */
export const decodeBehaviours = (
  values: ReadonlyArray<unknown>
):
  | { readonly ok: true; readonly behaviours: ReadonlyArray<Behaviour> }
  | { readonly ok: false; readonly problems: ReadonlyArray<BehaviourProblem> } => {
  if (!Array.isArray(values)) {
    const received = values === undefined ? "nothing" : inputText(values)
    return { ok: false, problems: [{ path: "", message: `must be a list of behaviours, not ${received}` }] }
  }
  const behaviours: Array<Behaviour> = []
  const problems: Array<BehaviourProblem> = []
  const indexByName = new Map<string, number>()
  for (const [index, value] of values.entries()) {
    const decoded = decodeBehaviour(value)
    if (!decoded.ok) {
      problems.push(...decoded.problems.map((problem) => atIndex(index, problem)))
      continue
    }
    const { name } = decoded.behaviour
    const firstIndex = indexByName.get(name)
    if (firstIndex === undefined) indexByName.set(name, index)
    else
      problems.push(
        atIndex(index, { path: "metadata.name", message: `[${firstIndex}] is called ${name} too` })
      )
    behaviours.push(decoded.behaviour)
  }
  return problems.length === 0 ? { ok: true, behaviours } : { ok: false, problems }
}

const atIndex = (index: number, { path, message }: BehaviourProblem): BehaviourProblem => ({
  path: path === "" ? `[${index}]` : `[${index}].${path}`,
  message
})

/**
 * Checks a behaviour written in TypeScript as if it were YAML.
 * @throws InvalidBehaviour
 */
export const defineBehaviour = (behaviour: Behaviour): Behaviour => {
  if (!isFields(behaviour))
    throw new InvalidBehaviour("", [
      { path: "a behaviour", message: `must be a map of fields, not ${inputText(behaviour)}` }
    ])
  const decoded = decodeBehaviour(behaviourToDocument(behaviour))
  if (decoded.ok) return decoded.behaviour
  // The TypeScript form has neither metadata nor spec.
  const problems = decoded.problems.map(({ path, message }) => ({
    path: path.replace(/^(?:metadata|spec)\./u, ""),
    message
  }))
  throw new InvalidBehaviour(behaviour.name, problems)
}

export class InvalidBehaviour extends Error {
  override readonly name = "InvalidBehaviour"
  readonly problems: ReadonlyArray<BehaviourProblem>

  constructor(behaviour: string, problems: ReadonlyArray<BehaviourProblem>) {
    const lines = problems.map(({ path, message }) => `\n  ${path} ${message}`)
    super(`behaviour ${JSON.stringify(behaviour)}:${lines.join("")}`)
    this.problems = problems
  }
}

export const behaviourToDocument = ({ name, ...spec }: Behaviour): BehaviourDocument => ({
  apiVersion: behaviourApiVersion,
  kind: "Behaviour",
  metadata: { name },
  spec
})

const decode = Schema.decodeUnknownResult(BehaviourSchema, {
  errors: "all",
  onExcessProperty: "error",
  reportInput: true
})

export const leafMessage = (issue: Leaf): string => {
  switch (issue._tag) {
    case "MissingKey":
      return "is required"
    case "UnexpectedKey":
      return unknownFieldText(issue.ast)
    case "InvalidType":
      return issue.ast.annotations?.message === undefined
        ? `must be ${typeName(issue.ast)}${hasInput(issue) ? `, not ${inputText(issue.input)}` : ""}`
        : defaultLeafHook(issue)
    default:
      return defaultLeafHook(issue)
  }
}

const issuesOf = makeFormatterStandardSchemaV1({ leafHook: leafMessage })

const unknownFieldText = (ast: AST): string => {
  if (ast._tag === "Arrays") return `is one element too many: there are only ${ast.elements.length}`
  const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  // Of all records, only `containers` has a pattern for names.
  if (names.length === 0) return "is not the name of a container, an RFC 1123 label"
  return names.length === 1
    ? `is not a field here; the only one is ${names.join()}`
    : `is not a field here; the fields are ${names.join(", ")}`
}

const isDuration = ({ checks }: AST): boolean =>
  checks?.some(({ annotations }) => annotations?.["identifier"] === "Duration") === true

const typeName = (ast: AST): string => {
  switch (ast._tag) {
    case "String":
      return isDuration(ast) ? expectedDuration : "text"
    case "Number":
      return "a number"
    case "Arrays":
      return "a list"
    default:
      return "a map of fields"
  }
}

const inputText = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" && value !== null ? "a map" : String(value)
}

/** Effect Schema's path segments may be objects. They are no symbols, as JSON has none. */
const toPathPart = (segment: PropertyKey | { readonly key: PropertyKey }): string | number =>
  (typeof segment === "object" ? segment.key : segment) as string | number
