import * as Cause from "effect/Cause"
import type { Effect } from "effect/Effect"
import * as Exit from "effect/Exit"
import { resources } from "../domain/kinds.ts"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { stringify } from "yaml"
import type { IncomingMessage, ServerResponse } from "node:http"
import { isStoreError } from "../store/errors.ts"
import { wantsYaml } from "./accepts.ts"
import { readAsked } from "./asked.ts"
import { readBody } from "./bodyBytes.ts"
import { makeChangeFeed } from "./changeFeed.ts"
import { answerClock, clockPath } from "./clock.ts"
import { documentAt } from "./documents.ts"
import { answerFaults, faultsPath } from "./faults.ts"
import { jsonDocument } from "./publishedDocument.ts"
import { readQuery, saysTrue } from "./query.ts"
import { asleep, contentTypeOf, goneSignal, noteAnswer, openExchange } from "./exchange.ts"
import { headersFor, send } from "./respond.ts"
import { loseAnswer, sendAnswer, sendDocument, sendObject } from "./sending.ts"
import { nothingAt, verbAsked } from "./route.ts"
import { servedBy } from "./served.ts"
import { Refusal, refusal, requireRead, statusOf, badRequest, tooManyRequests } from "./statuses.ts"
import { answerSnapshot, snapshotPath } from "./snapshot.ts"
import { answerRecording } from "./recording.ts"
import { recordingPath } from "../recording/entry.ts"
import { actorsPath, answerActors, answerWhy, whyPath } from "./why.ts"
import { openStream } from "./streams.ts"
import { readTarget } from "./target.ts"
import { watchWriter } from "./tables/watchWriter.ts"
import { watch } from "./verbs/watch.ts"
import type { Observers } from "../runtime/observers.ts"
import type { Write } from "../store/gatedStore.ts"
import type { ServedClock } from "./clock.ts"
import type { ServedFaults } from "./faults.ts"
import type { ServedRecording } from "./recording.ts"
import type { ServedWhy } from "./why.ts"
import type { Guard } from "./guard.ts"
import type { Asked } from "./asked.ts"
import type { Answer, ApiServices, Call } from "./call.ts"
import type { Exchange } from "./exchange.ts"
import type { Interceptors } from "./intercept.ts"
import type { RequestLogWriter } from "./requestLog.ts"
import type { Refused } from "./statuses.ts"
import type { ResourceTarget, Target } from "./target.ts"
import type { UserInfo } from "../domain/userInfo.ts"

export interface Traffic {
  readonly requests: RequestLogWriter
  readonly interceptors: Interceptors
}

interface ApiOptions {
  readonly services: ApiServices
  readonly clock: ServedClock
  readonly faults: ServedFaults
  readonly snapshot: Effect<string, Error>
  readonly why: Effect<ServedWhy>
  readonly recording: Effect<ServedRecording>
  readonly observers: Observers
  readonly guard: Guard
  readonly streamsMax: number
  /** Runs the effect of one request as a single step on the cluster's timeline. */
  readonly step: <A, E>(effect: Effect<A, E>) => Exit.Exit<A, E> | Promise<Exit.Exit<A, E>>
  /** Requests are neither logged nor intercepted when undefined. */
  readonly traffic?: Traffic | undefined
}

interface Admitted {
  readonly url: URL
  readonly user: UserInfo
}

interface Api {
  /** Answers every request; never throws. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly close: () => void
}

export const makeApi = (options: ApiOptions): Api => {
  const { services, clock, faults, snapshot, why, recording, guard, streamsMax, step, traffic, observers } =
    options
  const moveClock = answerClock(clock)
  const feed = makeChangeFeed(services.cached ?? services.view)
  const streams = new Set<() => void>()
  // Draws the timeouts of watches. Seeded on its own: these timeouts do not affect the simulation.
  const random = xoroshiro128plus(1)

  const answer = async (exchange: Exchange): Promise<void> => {
    const { request } = exchange
    const user = guard.admit(request)
    if (user instanceof Refusal) throw user
    const { url, target } = readAddress(request.url)
    return target.type === "resource"
      ? answerResource(target, exchange, { url, user })
      : answerPath(target.path, exchange, url)
  }

  /** Answers paths that are no resources: discovery, health, and everything below `/charthouse/v1`. */
  const answerPath = async (
    path: string,
    { request, response }: Exchange,
    { searchParams }: URL
  ): Promise<void> => {
    const { method = "GET" } = request
    if (path.startsWith(clockPath)) {
      const signal = goneSignal(response)
      const state = await moveClock({ path, method, query: readQuery(searchParams), signal })
      if (state === undefined) throw nothingAt(servedBy(services).kinds, noGroup)
      return sendDocument(response, jsonDocument(state))
    }
    if (path.startsWith(faultsPath)) {
      const readContent = async () => ({ body: await readBody(request), contentType: contentTypeOf(request) })
      const result = await answerFaults({ path, method, readContent }, faults)
      if (result === undefined) throw nothingAt(servedBy(services).kinds, noGroup)
      return sendObject(response, result)
    }
    if (path === snapshotPath) return sendDocument(response, await answerSnapshot(method, snapshot))
    if (path === actorsPath) return sendDocument(response, await answerActors(method, why))
    if (path === whyPath) {
      const result = await answerWhy({ method, query: readQuery(searchParams) }, why)
      return "open" in result ? stream(response, result) : sendDocument(response, result)
    }
    if (path === recordingPath) {
      return stream(response, await answerRecording({ method, query: readQuery(searchParams) }, recording))
    }
    const document = await documentAt(path, { services, request })
    if (document === undefined) throw nothingAt(servedBy(services).kinds, groupOf(path))
    requireRead(request.method)
    sendDocument(response, document)
  }

  const answerResource = async (
    resource: ResourceTarget,
    exchange: Exchange,
    { url, user }: Admitted
  ): Promise<void> => {
    noteArrival(resource, exchange, { url, user })
    const resourceRequest = await readAsked(resource, exchange, { services, params: url.searchParams, user })
    const pendingVerdict = verdictFor(exchange)
    const verdict = pendingVerdict === undefined ? undefined : await pendingVerdict
    const { response } = exchange
    if (verdict?.type === "drop") return void response.destroy()
    if (verdict?.type === "answer") return sendObject(response, verdict)
    const outcome = step(runVerb(resourceRequest))
    const reply = outcomeOf(outcome instanceof Promise ? await asleep(exchange, outcome) : outcome)
    if (verdict?.type === "lose") return loseAnswer(response, verdict.code)
    if (reply.type !== "stream") return sendAnswer(exchange, reply, resourceRequest.manner)
    stream(response, reply)
    if (exchange.logged !== undefined && !response.closed) response.once("close", exchange.logged.opened())
  }

  const noteArrival = (target: ResourceTarget, exchange: Exchange, { url, user }: Admitted): void => {
    if (traffic === undefined) return
    const { search, searchParams } = url
    const { request } = exchange
    const { method = "GET", headers } = request
    exchange.logged = traffic.requests.arrive({
      verb: verbAsked(method, target, saysTrue(searchParams.get("watch"))),
      target,
      search,
      userAgent: headers["user-agent"] ?? "",
      contentType: contentTypeOf(request),
      user,
      atMillis: services.nowMillis()
    })
  }

  const runVerb = ({ route, call, manner }: Asked): Effect<Answer, Refused> =>
    route.verb === "watch"
      ? watch(call, { feed, writer: watchWriter(manner, services.nowMillis), chance: random })
      : runWithFaults(call, route.verb, route.perform(call))

  const verdictFor = ({ logged, response }: Exchange): undefined | ReturnType<Interceptors["judge"]> =>
    traffic === undefined || logged === undefined || traffic.interceptors.count() === 0
      ? undefined
      : traffic.interceptors.judge(logged.whole(), {
          signal: goneSignal(response),
          asleep: (lasting) => logged.asleep(lasting)
        })

  const stream = (response: ServerResponse, reply: Extract<Answer, { type: "stream" }>): void => {
    // The close event has already fired for such a client, so the stream would never be cleaned up.
    if (response.closed) return
    if (streams.size >= streamsMax) throw tooManyRequests()
    const end = openStream(response, reply, observers)
    streams.add(end)
    response.once("close", () => streams.delete(end))
  }

  return {
    answer: (request, response) => {
      const exchange = openExchange(request, response)
      answer(exchange)
        .then(
          () => noteAnswer(exchange),
          (error: unknown) => {
            sendRefusal(exchange, error)
            noteAnswer(exchange)
          }
        )
        .catch(() => {
          response.destroy()
          noteAnswer(exchange)
        })
    },
    close: () => {
      for (const end of streams) end()
      feed.close()
    }
  }
}

const readAddress = (requestUrl = "/"): { readonly url: URL; readonly target: Target } => {
  // URL would parse `//x` as a host name.
  const url = URL.parse(
    requestUrl.startsWith("//") ? `http://server${requestUrl}` : requestUrl,
    "http://server"
  )
  const target = url === null ? undefined : readTarget(url.pathname)
  if (url === null || target === undefined) throw badRequest("the path of the request cannot be read")
  return { url, target }
}

/** `/apis/apps/v2` belongs to group `apps`; `/metrics` belongs to no group. */
const groupOf = (path: string): { readonly group: string; readonly version: string } => {
  const [, prefix, first = "", second = ""] = path.split("/")
  if (prefix === "api" && second !== "") return { group: "", version: first }
  return prefix === "apis" && second !== "" ? { group: first, version: second } : noGroup
}
const noGroup = { group: "", version: "" }

/** Runs a write with the verb and resource by which faults that target writes match it. Reads run unchanged. */
const runWithFaults = (
  { services, target }: Call,
  verb: string,
  effect: Effect<Answer, Refused>
): Effect<Answer, Refused> => {
  const writeVerb = writeVerbs[verb]
  if (writeVerb === undefined || services.asOne === undefined) return effect
  const isStatus =
    (target.subresource === "status" || target.subresource === "approval") && writeVerb !== "create"
  const resource = target.resource === "bindings" ? resources.pods : target.resource
  return services.asOne({ verb: isStatus ? "status" : writeVerb, resource, name: target.name ?? "" }, effect)
}

const writeVerbs: Readonly<Record<string, Write["verb"]>> = {
  create: "create",
  update: "update",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete"
}

const outcomeOf = (exit: Exit.Exit<Answer, Refused>): Answer => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/** Sends an error as a Status. An unexpected error becomes a 500 with its message alone, without the stack. */
const sendRefusal = ({ response, warnings }: Exchange, error: unknown): void => {
  const failure = isRefused(error)
    ? error
    : refusal(500, "InternalError", `Internal error occurred: ${messageOf(error)}`)
  const { headers } = response.req
  if (failure._tag === "Refusal" && failure.isPlain === true) {
    const body = `${failure.message}\n`
    return send(response, { code: failure.code, headers: headersFor("text/plain; charset=utf-8"), body })
  }
  const status = statusOf(failure)
  const isYaml = wantsYaml(headers.accept)
  const retry = status.details?.retryAfterSeconds
  const retryHeaders = retry === undefined ? {} : { "retry-after": String(retry) }
  send(response, {
    code: status.code,
    headers: headersFor(isYaml ? "application/yaml" : "application/json", { warnings, more: retryHeaders }),
    body: isYaml ? stringify(status) : `${JSON.stringify(status)}\n`
  })
}

const isRefused = (error: unknown): error is Refused => error instanceof Refusal || isStoreError(error)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
