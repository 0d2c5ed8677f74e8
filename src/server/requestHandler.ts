import * as Cause from "effect/Cause"
import { suspend, type Effect } from "effect/Effect"
import * as Exit from "effect/Exit"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"
import { stringify } from "yaml"
import { isStoreError } from "../store/storeErrors.ts"
import { acceptsYaml } from "./http/negotiateFormat.ts"
import { readResourceRequest } from "./resourceRequest.ts"
import { readRequestContent } from "./requests/readRequestContent.ts"
import { makeRequestMeter } from "./metrics/requestMeter.ts"
import { makeChangeFeed } from "./verbs/changeFeed.ts"
import { handleClock, clockPath } from "./charthouse/clockEndpoint.ts"
import { publicDocument } from "./publicDocuments.ts"
import { handleFaults, faultsPath } from "./charthouse/faultEndpoint.ts"
import { forecastPath, handleForecast } from "./charthouse/forecastEndpoint.ts"
import { jsonDocument } from "./http/apiDocument.ts"
import { parseQuery, isTrueParameter } from "./http/queryParameters.ts"
import {
  countAsSleepingUntil,
  contentTypeOf,
  disconnectSignal,
  logStatusCode,
  makeExchange
} from "./requests/httpExchange.ts"
import { responseHeaders } from "./responses/responseText.ts"
import {
  loseResponse as writeLostResponse,
  sendAnswer as writeAnswer,
  sendDocument as writeDocument,
  sendJson as writeJson,
  sendResponse
} from "./responses/sendResponse.ts"
import { notFoundRefusal, requestVerb } from "./findRoute.ts"
import { servedResources } from "./servedResources.ts"
import { Refusal, makeRefusal, requireReadMethod, toStatus, tooManyRequests } from "./http/statuses.ts"
import { handleSnapshot, snapshotPath } from "./charthouse/snapshotEndpoint.ts"
import { handleRecording } from "./charthouse/recordingEndpoint.ts"
import { recordingPath } from "../recording/entry.ts"
import { actorsPath, handleActors, handleWhy, whyPath } from "./charthouse/stepEndpoint.ts"
import { openStream } from "./responses/responseStreams.ts"
import { parseUrl } from "./http/parsedUrl.ts"
import { makeWatchEncoder } from "./responses/watchEncoder.ts"
import { watchVerb } from "./verbs/watchVerb.ts"
import type { QueueMeters } from "../runtime/workers/queueMeters.ts"
import type { Observers } from "../runtime/observers.ts"
import type { WriteAttributes } from "../store/interceptWrites.ts"
import type { ClockOperations } from "./charthouse/clockEndpoint.ts"
import type { FaultOperations } from "./charthouse/faultEndpoint.ts"
import type { ForecastOperation } from "./charthouse/forecastEndpoint.ts"
import type { RecordingOperations } from "./charthouse/recordingEndpoint.ts"
import type { StepOperations } from "./charthouse/stepEndpoint.ts"
import type { ResourceRequest } from "./resourceRequest.ts"
import type { ApiAnswer, ApiServices, ApiCall } from "./requests/apiCall.ts"
import type { HttpConnection, HttpExchange } from "./requests/httpExchange.ts"
import type { Interceptors } from "./traffic/interceptors.ts"
import type { RequestLogWriter } from "./traffic/makeRequestLog.ts"
import type { OutgoingResponse } from "./http/httpMessages.ts"
import type { RefusalOrStoreError } from "./http/statuses.ts"
import type { ResourceTarget } from "./http/requestTarget.ts"
import type { UserInfo } from "../kubernetes/meta/userInfo.ts"

export interface RequestLogAndInterceptors {
  readonly requests: RequestLogWriter
  readonly interceptors: Interceptors
}

export interface ApiOperations {
  readonly services: Omit<ApiServices, "isValidToken">
  readonly clock: ClockOperations
  readonly faults: FaultOperations
  readonly snapshot: Effect<string, Error>
  readonly forecast: ForecastOperation
  readonly stepOperations: Effect<StepOperations>
  readonly recording: Effect<RecordingOperations>
  readonly queueMeters: () => QueueMeters
  readonly observers: Observers
  /** Runs a request's effect as one event of the cluster's timeline. */
  readonly runOnTimeline: <A, E>(effect: Effect<A, E>) => Exit.Exit<A, E> | Promise<Exit.Exit<A, E>>
  /** Undefined for a cluster in memory. */
  readonly durability?: ServedDurability | undefined
  /** If undefined, requests are neither logged nor intercepted. */
  readonly traffic?: RequestLogAndInterceptors | undefined
}

interface ServedDurability {
  readonly commit: () => void
  /** Resolves when all changes so far are durable. */
  readonly commitAtTurnEnd: () => Promise<void>
  readonly isFailing: () => boolean
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
  const { clock, faults, snapshot, stepOperations, recording, streamsMax, runOnTimeline } = options
  const { traffic, observers, queueMeters, forecast, durability } = options
  const whenDurable = <Args extends ReadonlyArray<unknown>>(
    send: (...args: Args) => void | Promise<void>
  ): ((...args: Args) => void | Promise<void>) =>
    durability === undefined
      ? send
      : async (...args) => {
          await durability.commitAtTurnEnd()
          await send(...args)
        }
  const sendDocument = whenDurable(writeDocument)
  const sendJson = whenDurable(writeJson)
  const sendAnswer = whenDurable(writeAnswer)
  const loseResponse = whenDurable(writeLostResponse)
  const services: ApiServices = { ...options.services, isValidToken: options.isValidToken }
  const answerClockRequest = handleClock(clock)
  const changeFeed = makeChangeFeed(services.watchCache ?? services.view)
  const streams = new Set<() => void>()
  const meter = makeRequestMeter()
  // Has its own seed: the timeouts of watches must not affect the simulation.
  const random = xoroshiro128plus(1)

  const answer = async (exchange: HttpExchange): Promise<void> => {
    const user = exchange.authenticate()
    if (user instanceof Refusal) throw user
    // Throws while commits fail, as on a full disk: no further changes must pile up.
    if (durability?.isFailing() === true) durability.commit()
    const { url, target } = parseUrl(exchange.request.url)
    return target.type === "resource"
      ? answerResource(target, exchange, { url, user })
      : answerPath(target.path, exchange, url)
  }

  /** Answers discovery, health, and everything below `/charthouse/v1`. */
  const answerPath = async (
    path: string,
    { request, response, readBody }: HttpExchange,
    { searchParams }: URL
  ): Promise<void> => {
    const { method = "GET" } = request
    if (path.startsWith(clockPath)) {
      const signal = disconnectSignal(response)
      const state = await answerClockRequest({ path, method, query: parseQuery(searchParams), signal })
      if (state === undefined) throw notFoundRefusal(servedResources(services).kinds, noGroup)
      return sendDocument(response, jsonDocument(state))
    }
    if (path.startsWith(faultsPath)) {
      const readContent = () => readRequestContent({ request, readBody })
      const result = await handleFaults({ path, method, readContent }, faults)
      if (result === undefined) throw notFoundRefusal(servedResources(services).kinds, noGroup)
      return sendJson(response, result)
    }
    if (path === snapshotPath) return sendDocument(response, await handleSnapshot(method, snapshot))
    if (path === forecastPath) {
      const signal = disconnectSignal(response)
      const readContent = () => readRequestContent({ request, readBody })
      const forecastRequest = { method, query: parseQuery(searchParams), readContent, signal }
      const forecastResult = await handleForecast(forecastRequest, forecast)
      return sendDocument(response, jsonDocument(forecastResult))
    }
    if (path === actorsPath) return sendDocument(response, await handleActors(method, stepOperations))
    if (path === whyPath) {
      const result = await handleWhy({ method, query: parseQuery(searchParams) }, stepOperations)
      return "open" in result ? sendStream(response, result) : sendDocument(response, result)
    }
    if (path === recordingPath) {
      return sendStream(
        response,
        await handleRecording({ method, query: parseQuery(searchParams) }, recording)
      )
    }
    if (path === "/metrics") {
      requireReadMethod(method)
      const { metricsDocument } = await import("./metrics/metricsDocument.ts")
      return sendDocument(response, metricsDocument(meter, { view: services.view, queues: queueMeters() }))
    }
    const document = await publicDocument(path, { services, request })
    if (document === undefined) throw notFoundRefusal(servedResources(services).kinds, groupOf(path))
    requireReadMethod(request.method)
    return sendDocument(response, document)
  }

  const answerResource = async (
    resource: ResourceTarget,
    exchange: HttpExchange,
    { url, user }: AuthenticatedRequest
  ): Promise<void> => {
    logArrival(resource, exchange, { url, user })
    const resourceRequest = await readResourceRequest(resource, exchange, {
      services,
      params: url.searchParams,
      user
    })
    const pendingVerdict = verdictFor(exchange)
    const verdict = pendingVerdict === undefined ? undefined : await pendingVerdict
    const { response } = exchange
    if (verdict?.type === "drop") return void response.destroy()
    if (verdict?.type === "answer") return sendJson(response, verdict)
    // `exit` is a promise if a fault delays the write by the cluster's time.
    const exit = runOnTimeline(runVerb(resourceRequest))
    const reply = answerOrThrow(exit instanceof Promise ? await countAsSleepingUntil(exchange, exit) : exit)
    if (verdict?.type === "lose") return loseResponse(response, verdict.code)
    if (reply.type !== "stream") return sendAnswer(exchange, reply, resourceRequest.responseOptions)
    sendStream(response, reply)
    if (!response.closed) response.once("close", meter.streamOpened(exchange))
    if (exchange.logEntry !== undefined && !response.closed)
      response.once("close", exchange.logEntry.countAsOpen())
  }

  const logArrival = (
    target: ResourceTarget,
    exchange: HttpExchange,
    { url, user }: AuthenticatedRequest
  ): void => {
    if (traffic === undefined) return
    const { search, searchParams } = url
    const { request } = exchange
    const { method = "GET", headers } = request
    exchange.logEntry = traffic.requests.logArrival({
      verb: requestVerb(method, target, isTrueParameter(searchParams.get("watch"))),
      target,
      search,
      userAgent: headers["user-agent"] ?? "",
      contentType: contentTypeOf(request),
      user,
      atMillis: services.nowMillis()
    })
  }

  const runVerb = ({
    route,
    call,
    responseOptions
  }: ResourceRequest): Effect<ApiAnswer, RefusalOrStoreError> =>
    route.verb === "watch"
      ? watchVerb(call, {
          feed: changeFeed,
          encoder: makeWatchEncoder(responseOptions),
          random
        })
      : runUnderFaults(call, route.verb, route.handle(call))

  /** The interceptors' decision, after their delays. Undefined without interceptors. */
  const verdictFor = ({ logEntry, response }: HttpExchange): undefined | ReturnType<Interceptors["decide"]> =>
    traffic === undefined || logEntry === undefined || traffic.interceptors.count() === 0
      ? undefined
      : traffic.interceptors.decide(logEntry.toUnredactedRequest(), {
          signal: disconnectSignal(response),
          whileSleeping: (sleep) => logEntry.countAsSleepingUntil(sleep)
        })

  const sendStream = (response: OutgoingResponse, reply: Extract<ApiAnswer, { type: "stream" }>): void => {
    // The close event has fired already, so the stream would never be cleaned up.
    if (response.closed) return
    if (streams.size >= streamsMax) throw tooManyRequests()
    durability?.commit()
    const end = openStream(response, reply, { observers, commitAtTurnEnd: durability?.commitAtTurnEnd })
    streams.add(end)
    response.once("close", () => streams.delete(end))
  }

  /** A refusal may show objects whose writes must be durable first. */
  const errorAfterCommit = async (error: unknown): Promise<unknown> => {
    try {
      await durability?.commitAtTurnEnd()
      return error
    } catch (commitError) {
      return commitError
    }
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
          sendRefusal(exchange, durability === undefined ? error : await errorAfterCommit(error))
          recordEnd()
        })
        .catch(() => {
          exchange.response.destroy()
          recordEnd()
        })
    },
    close: () => {
      for (const end of streams) end()
      changeFeed.close()
    }
  }
}

/** `/apis/apps/v2` belongs to group `apps`; `/logs` belongs to no group. */
const groupOf = (path: string): { readonly group: string; readonly version: string } => {
  const [, prefix, first = "", second = ""] = path.split("/")
  if (prefix === "api" && second !== "") return { group: "", version: first }
  return prefix === "apis" && second !== "" ? { group: first, version: second } : noGroup
}
const noGroup = { group: "", version: "" }

const runUnderFaults = (
  { services, target }: ApiCall,
  verb: string,
  effect: Effect<ApiAnswer, RefusalOrStoreError>
): Effect<ApiAnswer, RefusalOrStoreError> => {
  const writeVerb = writeVerbs[verb]
  const { findFaultRunner } = services
  if (writeVerb === undefined || findFaultRunner === undefined) return effect
  const isStatus =
    (target.subresource === "status" || target.subresource === "approval") && writeVerb !== "create"
  const resource = target.resource === "bindings" ? resources.pods : target.resource
  const write = { verb: isStatus ? "status" : writeVerb, resource, name: target.name ?? "" } as const
  // Looks for faults only when the effect runs: a fault may end before.
  return suspend(() => findFaultRunner()?.(write, effect) ?? effect)
}

const writeVerbs: Readonly<Record<string, WriteAttributes["verb"]>> = {
  create: "create",
  update: "update",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete"
}

const answerOrThrow = (exit: Exit.Exit<ApiAnswer, RefusalOrStoreError>): ApiAnswer => {
  if (Exit.isSuccess(exit)) return exit.value
  throw Cause.squash(exit.cause)
}

/** An unexpected error becomes a 500 with its message, without the stack. */
const sendRefusal = ({ response, warnings }: HttpExchange, error: unknown): void => {
  const failure = isRefusalOrStoreError(error)
    ? error
    : makeRefusal(500, "InternalError", `Internal error occurred: ${errorText(error)}`)
  const { headers } = response.req
  if (failure._tag === "Refusal" && failure.isPlainText === true) {
    const body = `${failure.message}\n`
    return sendResponse(response, {
      code: failure.code,
      headers: responseHeaders("text/plain; charset=utf-8"),
      body
    })
  }
  const status = toStatus(failure)
  const isYaml = acceptsYaml(headers.accept)
  const retry = status.details?.retryAfterSeconds
  const retryHeaders = retry === undefined ? {} : { "retry-after": String(retry) }
  sendResponse(response, {
    code: status.code,
    headers: responseHeaders(isYaml ? "application/yaml" : "application/json", {
      warnings,
      extraHeaders: retryHeaders
    }),
    body: isYaml ? stringify(status) : `${JSON.stringify(status)}\n`
  })
}

const isRefusalOrStoreError = (error: unknown): error is RefusalOrStoreError =>
  error instanceof Refusal || isStoreError(error)
