import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseBody } from "../requests/decodeBody.ts"
import { badRequest, makeRefusal, requireReadMethod, toStatus } from "../http/statuses.ts"
import { waitForStreamWrites } from "../responses/responseStreams.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { ApiCall } from "../requests/apiCall.ts"
import type { Refusal } from "../http/statuses.ts"

/**
 * A fault is written as in a story, in JSON or YAML, and begins at once. The response comes once every watcher has
 * been written to.
 *
 *   GET    /charthouse/v1/faults       active faults
 *   POST   /charthouse/v1/faults       {"fault": "nodeLost", "node": "node-2", "for": "5m"}
 *   DELETE /charthouse/v1/faults       ends all of them
 *   GET    /charthouse/v1/faults/ID
 *   DELETE /charthouse/v1/faults/ID    ends it
 */
export const faultsPath = "/charthouse/v1/faults"

interface ActiveFault {
  readonly id: string
  readonly fault: object
  readonly beganMillis: number
  /** Undefined for a fault that lasts until a request ends it. */
  readonly endsMillis: number | undefined
  /** How many Pods or writes the fault has affected so far; undefined if it does not count them. */
  readonly met: () => number | undefined
  readonly end: Effect.Effect<void>
}

/** `endedMillis` is set for a fault that takes effect at once and does not last. */
interface BegunFault extends ActiveFault {
  readonly endedMillis: () => number | undefined
}

interface FaultProblem {
  readonly message: string
  readonly cause?: StoreError | undefined
}

export interface FaultOperations {
  readonly nowMillis: () => number
  /** An invalid fault changes nothing. */
  readonly begin: (fault: unknown) => Effect.Effect<BegunFault, FaultProblem>
  readonly active: () => ReadonlyArray<ActiveFault>
}

interface FaultRequest {
  readonly path: string
  readonly method: string
  readonly readContent: () => Promise<Pick<ApiCall, "body" | "contentType">>
}

interface FaultAnswer {
  readonly code: number
  readonly object: object
}

export interface FaultJson {
  readonly id: string
  readonly fault: object
  readonly began: string
  /** Absent for a fault that lasts until a request ends it. */
  readonly ends?: string
  /** When the fault ended; for a fault that does not last, when it began. */
  readonly ended?: string
  readonly met?: number
}

export interface FaultListJson {
  readonly now: string
  readonly items: ReadonlyArray<FaultJson>
}

/** Rejects with a `Refusal`; undefined for an unknown path. */
export const handleFaults = async (
  { path, method, readContent }: FaultRequest,
  faults: FaultOperations
): Promise<FaultAnswer | undefined> => {
  if (path === faultsPath) {
    if (method === "POST") return beginFault(await readContent(), faults)
    if (method === "DELETE") return okAnswer(await endAll(faults.active(), faults))
    requireReadMethod(method)
    return okAnswer(toFaultList(faults.active().map(toFaultJson), faults))
  }
  if (!path.startsWith(`${faultsPath}/`)) return undefined
  if (method !== "DELETE") requireReadMethod(method)
  const id = path.slice(faultsPath.length + 1)
  const activeFault = faults.active().find((active) => active.id === id)
  if (activeFault === undefined) throw faultNotFound(id)
  if (method !== "DELETE") return okAnswer(toFaultJson(activeFault))
  const { items } = await endAll([activeFault], faults)
  return okAnswer(items[0] ?? {})
}

const okAnswer = (object: object): FaultAnswer => ({ code: 200, object })

const beginFault = async (
  content: Pick<ApiCall, "body" | "contentType">,
  faults: FaultOperations
): Promise<FaultAnswer> => {
  const { value, duplicateFields, duplicateYamlKeys = [] } = parseBody(content)
  const duplicates = [
    ...duplicateFields.map((field) => `duplicate field ${JSON.stringify(field)}`),
    ...duplicateYamlKeys
  ]
  if (duplicates.length > 0) throw badRequest(`strict decoding error: ${duplicates.join(", ")}`)
  // A client that disconnects must not interrupt the fault.
  const result = await Effect.runPromise(Effect.result(faults.begin(value)))
  if (Result.isFailure(result)) throw toRefusal(result.failure)
  await waitForStreamWrites()
  const begunFault = result.success
  const endedMillis = begunFault.endedMillis()
  const ended = endedMillis === undefined ? {} : { ended: timeOf(endedMillis) }
  return { code: 201, object: { ...toFaultJson(begunFault), ...ended } }
}

const endAll = async (
  activeFaults: ReadonlyArray<ActiveFault>,
  faults: FaultOperations
): Promise<FaultListJson> => {
  for (const { end } of activeFaults) await Effect.runPromise(end)
  await waitForStreamWrites()
  const ended = timeOf(faults.nowMillis())
  return toFaultList(
    activeFaults.map((activeFault) => ({ ...toFaultJson(activeFault), ended })),
    faults
  )
}

const toFaultList = (items: ReadonlyArray<FaultJson>, { nowMillis }: FaultOperations): FaultListJson => ({
  now: timeOf(nowMillis()),
  items
})

const toFaultJson = (active: ActiveFault): FaultJson => {
  const { id, fault, beganMillis, endsMillis } = active
  const met = active.met()
  return {
    id,
    fault,
    began: timeOf(beganMillis),
    ...(endsMillis === undefined ? {} : { ends: timeOf(endsMillis) }),
    ...(met === undefined ? {} : { met })
  }
}

const timeOf = (millis: number): string => new Date(millis).toISOString()

const toRefusal = ({ message, cause }: FaultProblem): Refusal => {
  if (cause === undefined) return badRequest(message)
  const { code, reason = "", details } = toStatus(cause)
  return makeRefusal(code, reason, message, details)
}

const faultNotFound = (id: string): Refusal =>
  makeRefusal(404, "NotFound", `no fault ${JSON.stringify(id)} is active: it has ended or never began`, {
    name: id,
    kind: "faults"
  })
