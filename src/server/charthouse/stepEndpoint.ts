import * as Effect from "effect/Effect"
import { actorKindList } from "../../../machines/actorKinds.ts"
import { badRequest, makeRefusal, requireReadMethod } from "../http/statuses.ts"
import { sha256Of, jsonDocument } from "../http/apiDocument.ts"
import { requireParameter } from "../http/queryParameters.ts"
import type { StreamAnswer } from "../requests/apiCall.ts"
import type { ApiDocument } from "../http/apiDocument.ts"
import type { QueryParameters } from "../http/queryParameters.ts"

/**
 * One JSON object per line. A step with pending writes is sent again under the same number once their results are
 * known.
 *
 *   GET /charthouse/v1/why?kind=Deployment&name=web[&namespace=default][&since=41][&watch=1]
 *   GET /charthouse/v1/actors
 */
export const whyPath = "/charthouse/v1/why"
export const actorsPath = "/charthouse/v1/actors"

export interface StepOperations {
  /** Also true for an actor that has recently existed. */
  readonly knows: (query: StepQuery) => boolean
  readonly steps: (query: StepQuery) => ReadonlyArray<NumberedStep>
  readonly follow: (query: StepQuery, onStep: (step: NumberedStep) => void) => () => void
  readonly actors: () => ReadonlyArray<object>
}

interface StepQuery {
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
  /** Only steps with a higher number. */
  readonly since: number
}

interface NumberedStep {
  readonly number: number
}

/** Unread bytes at which a stream ends. The client may reconnect with `since`. */
const unreadBytesMax = 4 * 1024 * 1024

const contentType = "application/x-ndjson"

export const handleActors = async (
  method: string,
  stepOperations: Effect.Effect<StepOperations>
): Promise<ApiDocument> => {
  requireReadMethod(method)
  const { actors } = await Effect.runPromise(stepOperations)
  return jsonDocument({ items: actors() })
}

/** With `watch`, also streams further steps. Rejects with a `Refusal`. */
export const handleWhy = async (
  { method, query }: { readonly method: string; readonly query: QueryParameters },
  stepOperations: Effect.Effect<StepOperations>
): Promise<ApiDocument | StreamAnswer> => {
  requireReadMethod(method)
  const stepQuery = readStepQuery(query)
  const isWatch = query.flag("watch")
  const { knows, steps, follow } = await Effect.runPromise(stepOperations)
  if (!knows(stepQuery)) throw actorNotFound(stepQuery)
  if (!isWatch) {
    const body = steps(stepQuery).map(stepLine).join("")
    return { contentType, etag: `"${sha256Of(body)}"`, body }
  }
  return {
    type: "stream",
    contentType,
    open: (sink) => {
      for (const step of steps(stepQuery)) sink.write(stepLine(step))
      const write = sink.endOnError((step: NumberedStep) => {
        sink.write(stepLine(step))
        if (sink.unreadBytes() > unreadBytesMax) sink.end()
      })
      return follow(stepQuery, write)
    }
  }
}

const stepLine = (step: NumberedStep): string => `${JSON.stringify(step)}\n`

const readStepQuery = (query: QueryParameters): StepQuery => {
  const kind = requireParameter(query, "kind")
  const name = requireParameter(query, "name")
  const actorKind = actorKindList.find((it) => it.kind === kind)
  if (actorKind === undefined) {
    const supported = actorKindList.map((it) => JSON.stringify(it.kind)).join(", ")
    throw badRequest(`kind: Unsupported value: ${JSON.stringify(kind)}: supported values: ${supported}`)
  }
  const since = query.integer("since") ?? 0
  if (since < 0) throw badRequest(`since: Invalid value: ${since}: must be the number of a step`)
  const namespace = actorKind.isNamespaced ? (query.text("namespace") ?? "default") : undefined
  return { kind, namespace, name, since }
}

const actorNotFound = ({ kind, namespace, name }: StepQuery) =>
  makeRefusal(
    404,
    "NotFound",
    `no statechart runs for ${kind} ${JSON.stringify(name)}${namespace === undefined ? "" : ` in namespace ${JSON.stringify(namespace)}`}, and none did recently`,
    { name, kind }
  )
