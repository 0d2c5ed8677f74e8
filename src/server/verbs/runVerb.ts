import { suspend, type Effect } from "effect/Effect"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { makeWatchEncoder } from "../responses/watchEncoder.ts"
import { watchVerb } from "./watchVerb.ts"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"
import type { WriteAttributes } from "../../store/interceptWrites.ts"
import type { RefusalOrStoreError } from "../http/statuses.ts"
import type { ApiAnswer, ApiCall } from "../requests/apiCall.ts"
import type { ResourceRequest } from "../resourceRequest.ts"
import type { ChangeFeed } from "./changeFeed.ts"

export const runVerb = (
  { route, call, responseOptions }: ResourceRequest,
  watchOptions: { readonly feed: ChangeFeed; readonly random: RandomGenerator }
): Effect<ApiAnswer, RefusalOrStoreError> =>
  route.verb === "watch"
    ? watchVerb(call, { ...watchOptions, encoder: makeWatchEncoder(responseOptions) })
    : runUnderFaults(call, route.verb, route.handle(call))

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
