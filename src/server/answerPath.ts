import { clockPath, handleClock } from "./charthouse/clockEndpoint.ts"
import { faultsPath, handleFaults } from "./charthouse/faultEndpoint.ts"
import { forecastPath, handleForecast } from "./charthouse/forecastEndpoint.ts"
import { handleRecording } from "./charthouse/recordingEndpoint.ts"
import { handleSnapshot, snapshotPath } from "./charthouse/snapshotEndpoint.ts"
import { actorsPath, handleActors, handleWhy, whyPath } from "./charthouse/stepEndpoint.ts"
import { notFoundRefusal } from "./findRoute.ts"
import { jsonDocument } from "./http/apiDocument.ts"
import { parseQuery } from "./http/queryParameters.ts"
import { requireReadMethod } from "./http/statuses.ts"
import { publicDocument } from "./publicDocuments.ts"
import { recordingPath } from "../recording/entry.ts"
import { disconnectSignal } from "./requests/httpExchange.ts"
import { readRequestContent } from "./requests/readRequestContent.ts"
import { servedResources } from "./servedResources.ts"
import type { Effect } from "effect/Effect"
import type { QueueMeters } from "../runtime/workers/queueMeters.ts"
import type { ClockOperations } from "./charthouse/clockEndpoint.ts"
import type { FaultOperations } from "./charthouse/faultEndpoint.ts"
import type { ForecastOperation } from "./charthouse/forecastEndpoint.ts"
import type { RecordingOperations } from "./charthouse/recordingEndpoint.ts"
import type { StepOperations } from "./charthouse/stepEndpoint.ts"
import type { ApiDocument } from "./http/apiDocument.ts"
import type { RequestMeter } from "./metrics/requestMeter.ts"
import type { ApiServices } from "./requests/apiCall.ts"
import type { HttpExchange } from "./requests/httpExchange.ts"
import type { ResponseSender } from "./responses/responseSender.ts"

export interface PathOperations {
  readonly clock: ClockOperations
  readonly faults: FaultOperations
  readonly snapshot: Effect<string, Error>
  readonly forecast: ForecastOperation
  readonly stepOperations: Effect<StepOperations>
  readonly recording: Effect<RecordingOperations>
  readonly queueMeters: () => QueueMeters
}

interface PathRequest {
  readonly path: string
  readonly url: URL
  readonly exchange: HttpExchange
  readonly services: ApiServices
  readonly operations: PathOperations
}

/** Answers a path of no resource: discovery, health, metrics, and everything below `/charthouse/v1`. */
export const answerPath = async (
  pathRequest: PathRequest,
  { sender, meter }: { readonly sender: ResponseSender; readonly meter: RequestMeter }
): Promise<void> => {
  const { path, url, services, operations } = pathRequest
  const { request, response } = pathRequest.exchange
  const { method = "GET" } = request
  if (path.startsWith(clockPath)) return sender.document(response, await clockDocument(pathRequest))
  if (path.startsWith(faultsPath)) return sender.json(response, await faultsAnswer(pathRequest))
  if (path === forecastPath) return sender.document(response, await forecastDocument(pathRequest))
  if (path === snapshotPath)
    return sender.document(response, await handleSnapshot(method, operations.snapshot))
  if (path === actorsPath)
    return sender.document(response, await handleActors(method, operations.stepOperations))
  if (path === whyPath) {
    const query = parseQuery(url.searchParams)
    const result = await handleWhy({ method, query }, operations.stepOperations)
    return "open" in result ? sender.stream(response, result) : sender.document(response, result)
  }
  if (path === recordingPath) {
    const query = parseQuery(url.searchParams)
    return sender.stream(response, await handleRecording({ method, query }, operations.recording))
  }
  if (path === "/metrics") {
    requireReadMethod(method)
    const { metricsDocument } = await import("./metrics/metricsDocument.ts")
    const queues = operations.queueMeters()
    return sender.document(response, metricsDocument(meter, { view: services.view, queues }))
  }
  const document = await publicDocument(path, { services, request })
  if (document === undefined) throw unknownPath(pathRequest, groupOf(path))
  requireReadMethod(request.method)
  return sender.document(response, document)
}

const clockDocument = async (pathRequest: PathRequest): Promise<ApiDocument> => {
  const { path, url, exchange, operations } = pathRequest
  const { method = "GET" } = exchange.request
  const signal = disconnectSignal(exchange.response)
  const query = parseQuery(url.searchParams)
  const state = await handleClock({ path, method, query, signal }, operations.clock)
  if (state === undefined) throw unknownPath(pathRequest)
  return jsonDocument(state)
}

const faultsAnswer = async (pathRequest: PathRequest) => {
  const { path, exchange, operations } = pathRequest
  const { method = "GET" } = exchange.request
  const readContent = () => readRequestContent(exchange)
  const answer = await handleFaults({ path, method, readContent }, operations.faults)
  if (answer === undefined) throw unknownPath(pathRequest)
  return answer
}

const forecastDocument = async ({ url, exchange, operations }: PathRequest): Promise<ApiDocument> => {
  const { method = "GET" } = exchange.request
  const forecastRequest = {
    method,
    query: parseQuery(url.searchParams),
    readContent: () => readRequestContent(exchange),
    signal: disconnectSignal(exchange.response)
  }
  return jsonDocument(await handleForecast(forecastRequest, operations.forecast))
}

const noGroup = { group: "", version: "" }

const unknownPath = ({ services }: PathRequest, group = noGroup) =>
  notFoundRefusal(servedResources(services).kinds, group)

/** `/apis/apps/v2` belongs to group `apps`; `/logs` belongs to no group. */
const groupOf = (path: string): { readonly group: string; readonly version: string } => {
  const [, prefix, first = "", second = ""] = path.split("/")
  if (prefix === "api" && second !== "") return { group: "", version: first }
  return prefix === "apis" && second !== "" ? { group: first, version: second } : noGroup
}
