import * as Cause from "effect/Cause"
import type { Effect } from "effect/Effect"
import * as Exit from "effect/Exit"
import { resources } from "../domain/kinds.ts"
import { deprecation } from "../domain/admission/admit.ts"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { stringify } from "yaml"
import type { IncomingMessage, ServerResponse } from "node:http"
import { isStoreError } from "../store/errors.ts"
import { readAccept, wantsYaml } from "./accepts.ts"
import { readBody } from "./bodyBytes.ts"
import { makeChangeFeed } from "./changeFeed.ts"
import { answerClock, clockPath } from "./clock.ts"
import { documentAt } from "./documents.ts"
import { answerFaults, faultsPath } from "./faults.ts"
import { jsonDocument } from "./publishedDocument.ts"
import { readQuery, saysTrue } from "./query.ts"
import { bodyReader } from "./requestBodies.ts"
import { headersFor, send, textOf } from "./respond.ts"
import { nothingAt, routeOf, verbAsked } from "./route.ts"
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
import type { Write } from "../store/gatedStore.ts"
import type { ServedClock } from "./clock.ts"
import type { ServedFaults } from "./faults.ts"
import type { ServedRecording } from "./recording.ts"
import type { ServedWhy } from "./why.ts"
import type { Guard } from "./guard.ts"
import type { Answer, ApiServices, Call } from "./call.ts"
import type { Interceptors } from "./intercept.ts"
import type { PublishedDocument } from "./publishedDocument.ts"
import type { LoggedRequest, RequestLogWriter } from "./requestLog.ts"
import type { Manner } from "./respond.ts"
import type { Refused } from "./statuses.ts"
import type { ResourceTarget } from "./target.ts"

/** Who looks at the requests, and who decides about them. */
export interface Traffic {
  readonly requests: RequestLogWriter
  readonly interceptors: Interceptors
}

interface ApiOptions {
  readonly services: ApiServices
  readonly clock: ServedClock
  readonly faults: ServedFaults
  /** The text of the whole cluster at this instant. */
  readonly snapshot: Effect<string, Error>
  readonly why: Effect<ServedWhy>
  readonly recording: Effect<ServedRecording>
  readonly guard: Guard
  /** Streams that go on at one time, at the most. */
  readonly streamsMax: number
  /** Runs what a request asks for as one step on the cluster's timeline. */
  readonly step: <A, E>(effect: Effect<A, E>) => Exit.Exit<A, E> | Promise<Exit.Exit<A, E>>
  /** Where it is left out nobody looks. */
  readonly traffic?: Traffic | undefined
}

interface Api {
  /** Answers a request, whatever it is; never throws. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void
  /** Ends every stream. */
  readonly close: () => void
}

/** A request, where its answer goes, and what the client is to know whether it gets what it asked for or not. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly warnings: ReadonlyArray<string>
  readonly warn: (text: string) => void
  /** The request in the log, once it is known what it is. */
  logged?: LoggedRequest
}

const openExchange = (request: IncomingMessage, response: ServerResponse): Exchange => {
  const warnings: Array<string> = []
  const warn = (text: string): void => {
    if (!warnings.includes(text)) warnings.push(text)
  }
  return { request, response, warnings, warn }
}

/** The whole API as one function from requests to answers. */
export const makeApi = (options: ApiOptions): Api => {
  const { services, clock, faults, snapshot, why, recording, guard, streamsMax, step, traffic } = options
  const moveClock = answerClock(clock)
  const feed = makeChangeFeed(services.cached ?? services.view)
  const streams = new Set<() => void>()
  // When a watch ends is no part of the cluster's story: its seed would tell nothing.
  const chance = xoroshiro128plus(1)

  const answer = async (exchange: Exchange): Promise<void> => {
    const { request, response } = exchange
    const refused = guard.refuse(request)
    if (refused !== undefined) throw refused
    // What begins with two slashes is a path all the same, and not the name of a server.
    const stated = request.url ?? "/"
    const url = URL.parse(stated.startsWith("//") ? `http://server${stated}` : stated, "http://server")
    const target = url === null ? undefined : readTarget(url.pathname)
    if (url === null || target === undefined) throw badRequest("the path of the request cannot be read")
    if (target.type === "resource") return answerResource(target, exchange, url)
    if (target.path.startsWith(clockPath)) {
      const state = await moveClock({
        path: target.path,
        method: request.method ?? "GET",
        query: readQuery(url.searchParams),
        signal: goneSignal(response)
      })
      if (state === undefined) throw nothingAt(servedBy(services).kinds, nowhere)
      return sendDocument(response, jsonDocument(state))
    }
    if (target.path.startsWith(faultsPath)) {
      const { method = "GET" } = request
      const sent = async () => ({ body: await readBody(request), contentType: contentTypeOf(request) })
      const told = await answerFaults({ path: target.path, method, sent }, faults)
      if (told === undefined) throw nothingAt(servedBy(services).kinds, nowhere)
      return sendObject(response, told)
    }
    if (target.path === snapshotPath) {
      return sendDocument(response, await answerSnapshot(request.method ?? "GET", snapshot))
    }
    const { method = "GET" } = request
    if (target.path === actorsPath) return sendDocument(response, await answerActors(method, why))
    if (target.path === whyPath) {
      const told = await answerWhy({ method, query: readQuery(url.searchParams) }, why)
      return "open" in told ? stream(response, told) : sendDocument(response, told)
    }
    if (target.path === recordingPath) {
      return stream(
        response,
        await answerRecording({ method, query: readQuery(url.searchParams) }, recording)
      )
    }
    const document = await documentAt(target.path, { services, request })
    if (document === undefined) throw nothingAt(servedBy(services).kinds, groupOf(target.path))
    requireRead(request.method)
    sendDocument(response, document)
  }

  const answerResource = async (
    resource: ResourceTarget,
    exchange: Exchange,
    { search, searchParams }: URL
  ): Promise<void> => {
    const { request, response, warn, warnings } = exchange
    const query = readQuery(searchParams)
    const method = request.method ?? "GET"
    const { "user-agent": userAgent = "" } = request.headers
    const contentType = contentTypeOf(request)
    if (traffic !== undefined) {
      const verb = verbAsked(method, resource, saysTrue(searchParams.get("watch")))
      const atMillis = services.nowMillis()
      const arriving = { verb, target: resource, search, userAgent, contentType, atMillis }
      exchange.logged = traffic.requests.arrive(arriving)
    }
    const wantsWatch = resource.isWatchPath || query.flag("watch")
    const { kinds } = servedBy(services)
    const route = routeOf(method, resource, { wantsWatch, kinds })
    const accepted = readAccept(request.headers.accept)
    const body = hasBody(method) ? await readBody(request) : noBody
    exchange.logged?.carries(body, bodyReader)
    const call: Call = {
      services: hasBody(method) ? services : readingFrom(services),
      method,
      target: route.target,
      query,
      contentType,
      userAgent,
      body,
      warn
    }
    const { kind } = route.target
    const deprecated = deprecation(kind) ?? kind.custom?.warning
    if (deprecated !== undefined) call.warn(deprecated)
    const manner: Manner = {
      accepted,
      query,
      kind: route.target.kind,
      nowMillis: services.nowMillis(),
      pretty: query.text("pretty") === undefined ? isRead(userAgent) : query.flag("pretty")
    }
    const writer = watchWriter(manner, services.nowMillis)
    const perform =
      route.verb === "watch"
        ? watch(call, { feed, writer, chance })
        : asOne(call, route.verb, route.perform(call))
    const judging = verdictOn(exchange)
    const verdict = judging === undefined ? undefined : await judging
    if (verdict?.type === "drop") return void response.destroy()
    if (verdict?.type === "answer") return sendObject(response, verdict)
    const outcome = step(perform)
    const made = outcomeOf(outcome instanceof Promise ? await asleep(exchange, outcome) : outcome)
    if (verdict?.type === "lose") return loseAnswer(response, verdict.code)
    if (made.type === "stream") {
      stream(response, made)
      if (exchange.logged !== undefined && !response.closed) {
        response.once("close", exchange.logged.opened())
      }
      return
    }
    const contentTypeOut = accepted.yaml ? "application/yaml" : "application/json"
    const code = made.type === "list" ? 200 : made.code
    send(response, { code, headers: headersFor(contentTypeOut, { warnings }), body: textOf(made, manner) })
  }

  /** Undefined where nobody has a say; throws what it is refused with. */
  const verdictOn = ({ logged, response }: Exchange): undefined | ReturnType<Interceptors["judge"]> =>
    traffic === undefined || logged === undefined || traffic.interceptors.count() === 0
      ? undefined
      : traffic.interceptors.judge(logged.whole(), {
          signal: goneSignal(response),
          asleep: (lasting) => logged.asleep(lasting)
        })

  const stream = (response: ServerResponse, made: Extract<Answer, { type: "stream" }>): void => {
    // A client that has gone already is never heard to go: what was opened for it would stay open.
    if (response.closed) return
    if (streams.size >= streamsMax) throw tooManyRequests()
    const end = openStream(response, made)
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

const sendObject = (response: ServerResponse, { code, object }: { code: number; object: object }): void =>
  send(response, { code, headers: headersFor("application/json"), body: `${JSON.stringify(object)}\n` })

/** What was done is not told. */
const loseAnswer = (response: ServerResponse, code: 504 | undefined): void => {
  if (code === undefined) return void response.destroy()
  throw refusal(code, "Timeout", "request did not complete within requested timeout")
}

const asleep = <A>({ logged }: Exchange, lasting: Promise<A>): Promise<A> =>
  logged === undefined ? lasting : logged.asleep(lasting)

const noteAnswer = ({ logged, response }: Exchange): void =>
  logged?.answered(response.headersSent ? response.statusCode : undefined)

/** Fires when the client has gone before it was answered. */
const goneSignal = (response: ServerResponse): AbortSignal => {
  if (response.closed) return AbortSignal.abort()
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  return gone.signal
}

/** A client that has the document already is told so; one that can read gzip is spared most of a large one. */
const sendDocument = (response: ServerResponse, document: PublishedDocument): void => {
  const { headers } = response.req
  const { contentType, etag, body, gzipped } = document
  const more = etag === undefined ? {} : { etag, vary: "Accept" }
  if (etag !== undefined && headers["if-none-match"] === etag) {
    send(response, { code: 304, headers: headersFor(contentType, { more }), body: "" })
    return
  }
  const isZipped = gzipped !== undefined && /\bgzip\b/.test(headers["accept-encoding"]?.toString() ?? "")
  const encoding = isZipped ? { "content-encoding": "gzip" } : {}
  send(response, {
    code: 200,
    headers: headersFor(contentType, { more: { ...more, ...encoding } }),
    body: isZipped ? gzipped : body
  })
}

/** `/apis/apps/v2` is below the group of the Deployments; `/metrics` is below none. */
const groupOf = (path: string): { readonly group: string; readonly version: string } => {
  const [, prefix, first = "", second = ""] = path.split("/")
  if (prefix === "api" && second !== "") return { group: "", version: first }
  return prefix === "apis" && second !== "" ? { group: first, version: second } : nowhere
}
const nowhere = { group: "", version: "" }

/** What a read sees that names no version. */
const readingFrom = (services: ApiServices): ApiServices => {
  const view = services.latest?.() ?? services.view
  return view === services.view ? services : { ...services, view }
}

/** What faults of writes know a request as; none is one of a read. */
const asOne = (
  { services, target }: Call,
  verb: string,
  performed: Effect<Answer, Refused>
): Effect<Answer, Refused> => {
  const asked = writeVerbs[verb]
  if (asked === undefined || services.asOne === undefined) return performed
  const isStatus = target.subresource === "status" && asked !== "create"
  // A binding has no place of its own: it is one of the Pod.
  const resource = target.resource === "bindings" ? resources.pods : target.resource
  return services.asOne({ verb: isStatus ? "status" : asked, resource, name: target.name ?? "" }, performed)
}

const writeVerbs: Readonly<Record<string, Write["verb"]>> = {
  create: "create",
  update: "update",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete"
}

/** What a body is said to be, without how its letters are written. */
const contentTypeOf = ({ headers: { "content-type": stated = "" } }: IncomingMessage): string =>
  (stated.split(";")[0] ?? "").trim().toLowerCase()

const noBody = Buffer.alloc(0)
const hasBody = (method: string): boolean => method !== "GET" && method !== "HEAD"

/** Programs that show an answer to a person, who likes it indented. */
const isRead = (userAgent: string): boolean => /^(curl|Wget|Mozilla)\//.test(userAgent)

/** The answer, or what was refused as a thrown error; a `Refusal` that a reader threw counts as that. */
const outcomeOf = (exit: Exit.Exit<Answer, Refused>): Answer => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/** Tells of an error in the words of Kubernetes; what nobody foresaw is told without its inside. */
const sendRefusal = ({ response, warnings }: Exchange, error: unknown): void => {
  const refused = isRefused(error)
    ? error
    : refusal(500, "InternalError", `Internal error occurred: ${wordsOf(error)}`)
  const { headers } = response.req
  if (refused._tag === "Refusal" && refused.isPlain === true) {
    const body = `${refused.message}\n`
    return send(response, { code: refused.code, headers: headersFor("text/plain; charset=utf-8"), body })
  }
  const status = statusOf(refused)
  const isYaml = wantsYaml(headers.accept)
  const retry = status.details?.retryAfterSeconds
  const more = retry === undefined ? {} : { "retry-after": String(retry) }
  send(response, {
    code: status.code,
    headers: headersFor(isYaml ? "application/yaml" : "application/json", { warnings, more }),
    body: isYaml ? stringify(status) : `${JSON.stringify(status)}\n`
  })
}

const isRefused = (error: unknown): error is Refused => error instanceof Refusal || isStoreError(error)

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
