import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { httpSources } from "../../../src/steering/sources/httpSources.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { QuestionSource } from "../../../src/kubernetes/steering/steeringQuestions.ts"

interface Sent {
  readonly url: string
  readonly init: RequestInit | undefined
}

/** A server in the process: no socket, one answer. */
const answerTo = async (
  source: QuestionSource,
  respond: () => Response | Promise<Response>,
  timeoutMillis = 5000
) => {
  const sent: Array<Sent> = []
  const send = ((url: string | URL, init?: RequestInit) => {
    sent.push({ url: String(url), init })
    return Promise.resolve().then(respond)
  }) as typeof fetch
  const question = { name: "errors", source, timeoutMillis, limits: {} }
  const answer = await Effect.runPromise(httpSources(send).answer(question, {} as Deployment, "abc"))
  return { answer, sent }
}

const json =
  (value: unknown, status = 200) =>
  () =>
    Response.json(value, { status })
const vector = (...values: ReadonlyArray<string>) => ({
  status: "success",
  data: { resultType: "vector", result: values.map((value) => ({ metric: {}, value: [1, value] })) }
})
const prometheus = { prometheus: "http://prometheus:9090/", query: 'rate(x{hash="abc"}[1m])' }

describe("the answer to a question", () => {
  it.each([
    { source: { http: "http://web/health" }, respond: json({}, 503), answer: { value: 503 } },
    {
      source: { http: "http://web/stats", path: "$.data.errors[1].rate" },
      respond: json({ data: { errors: [{}, { rate: 0.5 }] } }),
      answer: { value: 0.5 }
    },
    {
      source: { http: "http://web/stats", path: "ok" },
      respond: json({ ok: true }),
      answer: { value: true }
    },
    {
      source: { http: "http://web/stats", path: "constructor" },
      respond: json({}),
      answer: { failure: "its JSON has no value at constructor" }
    },
    {
      source: { http: "http://web/stats", path: "ok" },
      respond: () => new Response("<html>"),
      answer: { failure: "its JSON has no value at ok" }
    },
    {
      source: { http: "http://web/stats", path: "ok" },
      respond: json({ ok: true }, 500),
      answer: { failure: "status 500" }
    },
    { source: prometheus, respond: json(vector("0.25")), answer: { value: 0.25 } },
    { source: prometheus, respond: json(vector("+Inf")), answer: { value: Infinity } },
    {
      source: prometheus,
      respond: json({ status: "success", data: { resultType: "scalar", result: [1, "3"] } }),
      answer: { value: 3 }
    },
    {
      source: prometheus,
      respond: json(vector()),
      answer: { failure: "the query has 0 series, and must have one" }
    },
    {
      source: prometheus,
      respond: json(vector("1", "2")),
      answer: { failure: "the query has 2 series, and must have one" }
    },
    {
      source: prometheus,
      respond: json(vector("NaN")),
      answer: { failure: "the query has no number (NaN): there may be no requests yet" }
    },
    {
      source: prometheus,
      respond: json({ status: "error", error: "parse error" }, 400),
      answer: { failure: "Prometheus answers with status 400: parse error" }
    },
    {
      source: { http: "http://web/stats", path: "ok" },
      respond: () => new Response("x".repeat(1_000_001)),
      answer: { failure: "no answer: it is longer than 1000000 bytes" }
    },
    {
      source: { http: "http://gone/" },
      respond: () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })),
      answer: { failure: "no answer: ECONNREFUSED" }
    }
  ])("to $source is $answer", async ({ source, respond, answer }) => {
    expect((await answerTo(source, respond)).answer).toEqual(answer)
  })

  it("is that it is late, when none comes", async () => {
    const { answer } = await answerTo({ http: "http://slow/" }, () => new Promise<Response>(() => {}), 1)
    expect(answer).toEqual({ failure: "no answer within 1ms" })
  })

  it.each([{ http: "http://web/health" }, { http: "http://web/stats", path: "ok" }, prometheus])(
    "of $http$prometheus does not come from where a redirect leads",
    async (source) => {
      expect((await answerTo(source, json({}, 302))).sent[0]?.init).toMatchObject({ redirect: "manual" })
    }
  )

  it("is asked of Prometheus with the query as a parameter, and of a hook with the rollout", async () => {
    expect((await answerTo(prometheus, json(vector("1")))).sent[0]?.url).toBe(
      "http://prometheus:9090/api/v1/query?query=rate%28x%7Bhash%3D%22abc%22%7D%5B1m%5D%29"
    )
    const body = { hook: "notify", hash: "abc" }
    const { sent } = await answerTo({ http: "http://ci/", method: "POST", body }, json({}))
    expect(sent[0]?.init).toMatchObject({ method: "POST", body: JSON.stringify(body) })
  })
})
