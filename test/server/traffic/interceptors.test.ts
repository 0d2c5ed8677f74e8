import { describe, expect, it } from "vitest"
import {
  answerWith,
  delay,
  delayReally,
  drop,
  letThrough,
  loseAnswer,
  makeInterceptors,
  refuse
} from "../../../src/server/traffic/interceptors.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { configMap, openTraffic, paths, web } from "./recordedTraffic.ts"
import { makeObservers } from "../../../src/runtime/observers.ts"
import type { ApiRequest } from "../../../src/server/traffic/requestLog.ts"
import type { Interceptor } from "../../../src/server/traffic/interceptors.ts"

const creating = { verb: "create", resource: "configmaps" } as const

describe("an interceptor", () => {
  const refusals: ReadonlyArray<{
    readonly why: string
    readonly how: Interceptor
    readonly status: object
    readonly retryAfter?: string
  }> = [
    {
      why: "a code alone gives the reason and message of that code",
      how: refuse(409),
      status: { code: 409, reason: "Conflict", status: "Failure" }
    },
    {
      why: "a message is sent as it is",
      how: refuse(403, "quota exceeded"),
      status: { code: 403, reason: "Forbidden", message: "quota exceeded" }
    },
    {
      why: "a reason of the caller's choice",
      how: () => refuse(409, { reason: "AlreadyExists", message: 'configmaps "a" already exists' }),
      status: { code: 409, reason: "AlreadyExists", message: 'configmaps "a" already exists' }
    },
    {
      why: "429 comes with Retry-After",
      how: refuse(429, { retryAfterSeconds: 7 }),
      status: { code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: 7 } },
      retryAfter: "7"
    },
    {
      why: "a result of an unknown type is an error of the server",
      how: () => ({ type: "refused" }) as never,
      status: {
        code: 500,
        reason: "InternalError",
        message: expect.stringMatching(/ not {"type":"refused"}$/)
      }
    },
    {
      why: "a delay after a delay is an error of the server",
      how: () => delay(0, delay(0) as never),
      status: { code: 500, reason: "InternalError" }
    },
    {
      why: "an error thrown by an interceptor is an error of the server",
      how: () => {
        throw new Error("no such fixture")
      },
      status: { code: 500, reason: "InternalError", message: "Internal error occurred: no such fixture" }
    }
  ]
  it("refuses with the Status of a server, and nothing is stored", async () => {
    await using world = await openTraffic({ observerErrors: "report" })
    for (const { why, how, status, retryAfter } of refusals) {
      const stop = world.intercept(creating, how)
      const {
        json,
        code,
        retryAfter: after
      } = await world.ask("POST", paths.configMaps, { body: configMap("a") })
      expect({ why, ...json }).toMatchObject({ why, kind: "Status", ...status })
      expect({ why, after }).toEqual({ why, after: retryAfter ?? null })
      expect({ why, code: world.requests.all().at(-1)?.code }).toEqual({ why, code })
      stop()
    }
    expect((await world.ask("GET", `${paths.configMaps}/a`)).code).toBe(404)
    expect((await world.ask("POST", paths.configMaps, { body: configMap("a") })).code).toBe(201)
  })

  it("with a filter by pattern is asked for each matching request", async () => {
    await using world = await openTraffic()
    world.intercept({ ...creating, name: /^c/g }, refuse(503))
    world.intercept({ ...creating, name: /m-9/y }, refuse(409))
    const codes: Array<number> = []
    for (const name of ["c1", "c2", "c3", "other", "m-9"]) {
      codes.push((await world.ask("POST", paths.configMaps, { body: configMap(name) })).code)
    }
    expect(codes).toEqual([503, 503, 503, 201, 409])
  })

  it("does not delay by machine time a request whose client has gone", async () => {
    const interceptors = makeInterceptors(async () => {}, makeObservers())
    interceptors.add({}, delayReally("1h"))
    const request = { verb: "get", resource: "pods" } as ApiRequest
    expect(await interceptors.decide(request, { signal: AbortSignal.abort() })).toEqual(letThrough)
  })

  it("gets the whole request and decides by its body", async () => {
    await using world = await openTraffic()
    world.intercept(creating, ({ body, name, namespace }) => {
      const { data } = body as { readonly data: { readonly size?: string } }
      return data.size === "large" ? refuse(413, `${namespace}/${name} is too large`) : undefined
    })
    const small = await world.ask("POST", paths.configMaps, { body: configMap("small", { size: "small" }) })
    const large = await world.ask("POST", paths.configMaps, { body: configMap("large", { size: "large" }) })
    expect([small.code, large.code, large.json.message]).toEqual([201, 413, "default/large is too large"])
  })

  it("ends after its number of times, and passes undecided requests to the earlier interceptor", async () => {
    await using world = await openTraffic()
    world.intercept(creating, refuse(503))
    world.intercept({ ...creating, times: 2 }, refuse(429))
    world.intercept({ ...creating, times: 1 }, () => undefined)
    world.intercept({ ...creating, times: 1, name: "passes" }, letThrough)
    const codes: Array<number> = []
    for (const name of ["a", "passes", "b", "c", "d"]) {
      codes.push((await world.ask("POST", paths.configMaps, { body: configMap(name) })).code)
    }
    expect(codes).toEqual([429, 201, 429, 503, 503])
  })

  it("answers with an object of its own without performing the request", async () => {
    await using world = await openTraffic()
    world.intercept({ verb: "get", resource: "configmaps" }, answerWith(configMap("made-up"), 203))
    expect(await world.ask("GET", `${paths.configMaps}/a`)).toMatchObject({
      code: 203,
      json: configMap("made-up")
    })
  })

  it("delays a request until the cluster's clock has reached the time", async () => {
    await using world = await openTraffic()
    world.intercept({ ...creating, times: 1 }, delay("5s"))
    world.intercept({ ...creating, times: 1, name: "late" }, delay("7s", refuse(504)))
    const held = world.ask("POST", paths.configMaps, { body: configMap("held") })
    const late = world.ask("POST", paths.configMaps, { body: configMap("late") })
    while (world.requests.underWay() < 2) await world.ask("GET", paths.pods)
    // When later requests are answered, these have been read.
    await world.ask("GET", paths.pods)
    await world.cluster.advance("4999ms")
    expect(world.requests.underWay()).toBe(2)
    await world.cluster.advance("1ms")
    expect((await held).code).toBe(201)
    expect(world.cluster.now().toISOString()).toBe("2026-01-01T00:00:05.000Z")
    await world.cluster.advance("2s")
    expect((await late).json).toMatchObject({ code: 504, reason: "Timeout" })
    const stored = (await world.cluster.list("configmaps", { namespace: "default" })).items
    expect(stored.map(({ metadata }) => metadata.name)).toEqual(["held", "kube-root-ca.crt"])
  })

  it("delays a request by machine time while the cluster's clock stands", async () => {
    await using world = await openTraffic()
    world.intercept(creating, delayReally("20ms"))
    const begun = performance.now()
    expect((await world.ask("POST", paths.configMaps, { body: configMap("a") })).code).toBe(201)
    expect(performance.now() - begun).toBeGreaterThanOrEqual(19)
    expect(world.cluster.now().toISOString()).toBe("2026-01-01T00:00:00.000Z")
  })

  const lost: ReadonlyArray<{
    readonly why: string
    readonly how: Interceptor
    readonly code: number | undefined
    readonly isDone: boolean
  }> = [
    { why: "performed, connection closed", how: loseAnswer(), code: undefined, isDone: true },
    { why: "performed, timed out", how: loseAnswer(504), code: 504, isDone: true },
    { why: "not performed, connection closed", how: drop, code: undefined, isDone: false }
  ]
  it("loses the answer or the request", async () => {
    await using world = await openTraffic()
    for (const [index, { why, how, code, isDone }] of lost.entries()) {
      const name = `cm-${index}`
      world.intercept({ ...creating, times: 1 }, how)
      const request = world.ask("POST", paths.configMaps, { body: configMap(name) })
      const answered = await request.then((answer) => answer.code).catch(() => undefined)
      const logged = world.requests.all({ verb: "create" }).at(-1)?.code
      expect({ why, answered, logged }).toEqual({ why, answered: code, logged: code })
      const found = (await world.ask("GET", `${paths.configMaps}/${name}`)).code
      expect({ why, found }).toEqual({ why, found: isDone ? 200 : 404 })
    }
  })

  it("refuses watches as well as writes", async () => {
    await using world = await openTraffic()
    world.intercept({ verb: "watch", resource: "pods", times: 1 }, refuse(410))
    const { code, json } = await world.ask("GET", `${paths.pods}?watch=1`)
    expect([code, json.reason]).toEqual([410, "Expired"])
  })

  it("is not asked about requests of controllers and of the library", async () => {
    await using world = await openTraffic()
    world.intercept({}, refuse(500))
    await world.cluster.apply(web(2))
    await world.rolledOut("web")
    expect((await world.cluster.list("pods")).items).toHaveLength(2)
    expect((await world.ask("GET", paths.pods)).code).toBe(500)
  })

  it("is refused at once with invalid arguments", async () => {
    await using cluster = await openCluster()
    expect(() => refuse(200)).toThrow("a refusal has a code from 400 to 599, not 200")
    expect(() => refuse("409" as unknown as number)).toThrow('from 400 to 599, not "409"')
    expect(() => refuse(429, { retryAfter: 3 } as object)).toThrow(
      '"retryAfter" is no detail of a refusal; the details are reason, message, retryAfterSeconds'
    )
    expect(() => answerWith({}, 9999)).toThrow("an answer with an object has a code from 200 to 599")
    expect(() => answerWith({}, 204)).toThrow("neither 204 nor 304, not 204")
    expect(() => answerWith([])).toThrow("an answer is an object, not []")
    expect(() => loseAnswer("x" as unknown as 504)).toThrow('an answer is lost with 504 or "closed", not "x"')
    expect(() => delay("soon")).toThrow(
      'duration must be a duration such as "250ms", "1.5s" or "1h30m", or milliseconds, not "soon"'
    )
    expect(() => cluster.intercept({ times: 0 }, drop)).toThrow("times must be a whole number above 0, not 0")
    for (const how of [undefined, null, 409, { type: "reject" }]) {
      expect(() => cluster.intercept({}, how as unknown as Interceptor)).toThrow(
        `an interceptor is the result of refuse, answerWith, delay or loseAnswer`
      )
    }
  })
})
