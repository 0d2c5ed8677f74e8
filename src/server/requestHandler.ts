import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { answerPath } from "./answerPath.ts"
import { requestVerb } from "./findRoute.ts"
import { parseUrl } from "./http/parsedUrl.ts"
import { parseQuery } from "./http/queryParameters.ts"
import { Refusal } from "./http/statuses.ts"
import { makeRequestMeter } from "./metrics/requestMeter.ts"
import {
  contentTypeOf,
  countAsSleepingUntil,
  disconnectSignal,
  logStatusCode,
  makeExchange
} from "./requests/httpExchange.ts"
import { readResourceRequest } from "./resourceRequest.ts"
import { makeResponseSender } from "./responses/responseSender.ts"
import { makeChangeFeed } from "./verbs/changeFeed.ts"
import { runVerb } from "./verbs/runVerb.ts"
import type { Effect } from "effect/Effect"
import type { Observers } from "../runtime/observers.ts"
import type { UserInfo } from "../kubernetes/meta/userInfo.ts"
import type { PathOperations } from "./answerPath.ts"
import type { ResourceTarget } from "./http/requestTarget.ts"
import type { ApiServices } from "./requests/apiCall.ts"
import type { HttpConnection, HttpExchange } from "./requests/httpExchange.ts"
import type { ServedDurability } from "./responses/responseSender.ts"
import type { Interceptors } from "./traffic/interceptors.ts"
import type { RequestLogWriter } from "./traffic/makeRequestLog.ts"

export interface RequestLogAndInterceptors {
  readonly requests: RequestLogWriter
  readonly interceptors: Interceptors
}

export interface ApiOperations extends PathOperations {
  readonly services: Omit<ApiServices, "isValidToken">
  readonly observers: Observers
  /** Runs a request's effect as one event of the cluster's timeline. */
  readonly runOnTimeline: <A, E>(effect: Effect<A, E>) => Exit.Exit<A, E> | Promise<Exit.Exit<A, E>>
  /** Undefined for a cluster in memory. */
  readonly durability?: ServedDurability | undefined
  /** If undefined, requests are neither logged nor intercepted. */
  readonly traffic?: RequestLogAndInterceptors | undefined
}

interface ApiOptions extends ApiOperations, Pick<ApiServices, "isValidToken"> {
  readonly streamsMax: number
}

interface AuthenticatedRequest {
  readonly url: URL
  readonly user: UserInfo
}

export interface Api {
  /** Never throws. */
  readonly answer: (connection: HttpConnection) => void
  readonly close: () => void
}

export const makeRequestHandler = (options: ApiOptions): Api => {
  const { traffic, observers, durability, streamsMax, runOnTimeline } = options
  const services: ApiServices = { ...options.services, isValidToken: options.isValidToken }
  const sender = makeResponseSender({ durability, observers, streamsMax })
  const meter = makeRequestMeter()
  const feed = makeChangeFeed(services.watchCache ?? services.view)
  // `random` has its own seed: the timeouts of watches must not affect the simulation.
  const watchOptions = { feed, random: xoroshiro128plus(1) }

  const answer = async (exchange: HttpExchange): Promise<void> => {
    const user = exchange.authenticate()
    if (user instanceof Refusal) throw user
    // Throws while commits fail, as on a full disk: no further changes must pile up.
    if (durability?.isFailing() === true) durability.commit()
    const { url, target } = parseUrl(exchange.request.url)
    return target.type === "resource"
      ? answerResource(target, exchange, { url, user })
      : answerPath({ path: target.path, url, exchange, services, operations: options }, { sender, meter })
  }

  const answerResource = async (
    resource: ResourceTarget,
    exchange: HttpExchange,
    { url, user }: AuthenticatedRequest
  ): Promise<void> => {
    if (traffic !== undefined) {
      const atMillis = services.nowMillis()
      logArrival(traffic, exchange, { target: resource, url, user, atMillis })
    }
    const resourceRequest = await readResourceRequest(resource, exchange, {
      services,
      params: url.searchParams,
      user
    })
    const pendingVerdict = traffic === undefined ? undefined : interceptorVerdict(traffic, exchange)
    const verdict = pendingVerdict === undefined ? undefined : await pendingVerdict
    const { response } = exchange
    if (verdict?.type === "drop") return void response.destroy()
    if (verdict?.type === "answer") return sender.json(response, verdict)
    // `exit` is a promise if a fault delays the write by the cluster's time.
    const exit = runOnTimeline(runVerb(resourceRequest, watchOptions))
    const reply = valueOrThrow(exit instanceof Promise ? await countAsSleepingUntil(exchange, exit) : exit)
    if (verdict?.type === "lose") return sender.loss(response, verdict.code)
    if (reply.type !== "stream") return sender.answer(exchange, reply, resourceRequest.responseOptions)
    sender.stream(response, reply)
    if (!response.closed) response.once("close", meter.streamOpened(exchange))
    if (exchange.logEntry !== undefined && !response.closed)
      response.once("close", exchange.logEntry.countAsOpen())
  }

  return {
    answer: (connection) => {
      const exchange = makeExchange(connection)
      meter.requestBegun(exchange)
      const recordEnd = (): void => {
        meter.requestEnded(exchange)
        logStatusCode(exchange)
      }
      answer(exchange)
        .then(recordEnd, async (error: unknown) => {
          await sender.refusal(exchange, error)
          recordEnd()
        })
        .catch(() => {
          exchange.response.destroy()
          recordEnd()
        })
    },
    close: () => {
      sender.endStreams()
      feed.close()
    }
  }
}

const logArrival = (
  { requests }: RequestLogAndInterceptors,
  exchange: HttpExchange,
  {
    target,
    url,
    user,
    atMillis
  }: AuthenticatedRequest & { readonly target: ResourceTarget; readonly atMillis: number }
): void => {
  const { request } = exchange
  const { method = "GET", headers } = request
  exchange.logEntry = requests.logArrival({
    verb: requestVerb(method, target, parseQuery(url.searchParams).flag("watch")),
    target,
    search: url.search,
    userAgent: headers["user-agent"] ?? "",
    contentType: contentTypeOf(request),
    user,
    atMillis
  })
}

/** The interceptors' decision, after their delays. Undefined without interceptors. */
const interceptorVerdict = (
  { interceptors }: RequestLogAndInterceptors,
  { logEntry, response }: HttpExchange
): undefined | ReturnType<Interceptors["decide"]> =>
  logEntry === undefined || interceptors.count() === 0
    ? undefined
    : interceptors.decide(logEntry.toUnredactedRequest(), {
        signal: disconnectSignal(response),
        whileSleeping: (sleep) => logEntry.countAsSleepingUntil(sleep)
      })

const valueOrThrow = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}
