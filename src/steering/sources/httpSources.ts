import * as Effect from "effect/Effect"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { valueAtPath } from "./jsonPath.ts"
import type { QuestionSource, SteeringAnswer } from "../../kubernetes/steering/steeringQuestions.ts"
import type { SteeringSources } from "./steeringSources.ts"

/** Sends one request for each answer, and follows no redirect. */
export const httpSources = (send: typeof fetch = fetch): SteeringSources => ({
  answer: ({ source, timeoutMillis }) =>
    Effect.tryPromise((signal) => ask(send, source, signal)).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.succeed({ failure: `no answer within ${formatDuration(timeoutMillis)}` })
      }),
      Effect.catch(({ cause }) => Effect.succeed({ failure: `no answer: ${causeText(cause)}` }))
    )
})

/** For `charthouse steer --shadow`: each hook succeeds without a call. */
export const withoutHooks = (sources: SteeringSources): SteeringSources => ({
  answer: (question, deployment, hash) =>
    "method" in question.source ? Effect.succeed({ value: 200 }) : sources.answer(question, deployment, hash)
})

/** The message of `fetch` itself is only `fetch failed`. */
const causeText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

const ask = async (
  send: typeof fetch,
  source: QuestionSource,
  signal: AbortSignal
): Promise<SteeringAnswer> => {
  if ("prometheus" in source) return askPrometheus(send, source, signal)
  const isHook = "method" in source
  const response = await send(source.http, {
    signal,
    redirect: "manual",
    ...(isHook && source.method !== "GET"
      ? {
          method: source.method,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(source.body)
        }
      : {})
  })
  if (isHook || source.path === undefined) {
    await response.body?.cancel()
    return { value: response.status }
  }
  if (!response.ok) return { failure: `status ${response.status}` }
  const value = valueAtPath(parseJson(await readText(response)), source.path)
  return isAnswerValue(value) ? { value } : { failure: `its JSON has no value at ${source.path}` }
}

const isAnswerValue = (value: unknown): value is number | string | boolean =>
  typeof value === "number" || typeof value === "string" || typeof value === "boolean"

const askPrometheus = async (
  send: typeof fetch,
  { prometheus, query }: Extract<QuestionSource, { readonly prometheus: string }>,
  signal: AbortSignal
): Promise<SteeringAnswer> => {
  const address = new URL(`${prometheus.replace(/\/+$/u, "")}/api/v1/query`)
  address.searchParams.set("query", query)
  const response = await send(address, { signal, redirect: "manual" })
  const body = parseJson(await readText(response))
  if (!response.ok || !isFields(body) || body["status"] !== "success") {
    const error = isFields(body) && typeof body["error"] === "string" ? `: ${body["error"]}` : ""
    return { failure: `Prometheus answers with status ${response.status}${error}` }
  }
  return prometheusValue(body["data"])
}

/** The value of a scalar, or of a vector with one series. A rate without requests is NaN. */
const prometheusValue = (data: unknown): SteeringAnswer => {
  const { resultType, result } = isFields(data) ? data : {}
  const series = resultType === "scalar" ? [{ value: result }] : Array.isArray(result) ? result : []
  if (series.length !== 1) return { failure: `the query has ${series.length} series, and must have one` }
  const [onlySeries] = series as [unknown]
  const sample = isFields(onlySeries) ? onlySeries["value"] : undefined
  const text: unknown = Array.isArray(sample) ? sample[1] : undefined
  const value = typeof text === "string" && text !== "" ? Number(text.replace(/Inf$/u, "Infinity")) : NaN
  return Number.isNaN(value)
    ? { failure: "the query has no number (NaN): there may be no requests yet" }
    : { value }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A server that never stops answering must not fill the memory. */
const bytesMax = 1_000_000

const readText = async ({ body }: Response): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > bytesMax) throw new Error(`it is longer than ${bytesMax} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}
