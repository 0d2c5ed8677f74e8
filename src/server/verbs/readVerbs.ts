import * as Effect from "effect/Effect"
import { withCompleteManagedFields } from "../../kubernetes/apply/managedFields/completeManagedFields.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { NotFound } from "../../store/storeErrors.ts"
import {
  makeListPage,
  readPageRequest,
  readResourceVersion,
  refuseFutureVersion
} from "../requests/listPage.ts"
import { readListSelection } from "../requests/listSelection.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { ApiCall, VerbHandler } from "../requests/apiCall.ts"

export const findObject = ({ services, target }: ApiCall): Effect.Effect<KubeObject, NotFound> =>
  Effect.suspend(() => {
    const { resource, name = "", namespace } = target
    const object = services.view.get(resource, toObjectKey(namespace, name))
    return object === undefined
      ? Effect.fail(new NotFound({ resource, resourceName: name }))
      : Effect.succeed(withCompleteManagedFields(object))
  })

/**
 * The watch cache for a minimum resource version or `0`, otherwise the latest state.
 *
 * Source: apiserver/pkg/storage/cacher/cacher.go (Get, GetList), KEP-2340.
 */
export const viewForVersion = (
  { services }: ApiCall,
  requestedVersion: string | undefined
): ClusterView["Service"] =>
  requestedVersion === undefined ? services.view : (services.watchCache ?? services.view)

export const getVerb: VerbHandler = (call) =>
  Effect.suspend(() => {
    const requestedVersion = call.query.text("resourceVersion")
    const version = readResourceVersion(requestedVersion)
    const view = viewForVersion(call, requestedVersion)
    if (version !== undefined) refuseFutureVersion(version, view)
    const callAtVersion = { ...call, services: { ...call.services, view } }
    return Effect.map(findObject(callAtVersion), (object) => toObjectAnswer(object))
  })

export const listVerb: VerbHandler = (call) =>
  Effect.sync(() => {
    const { target, query } = call
    const { matches, hasSelector } = readListSelection(call)
    const { resource } = target
    const isExact = query.text("resourceVersionMatch") === "Exact" || query.text("continue") !== undefined
    const view = viewForVersion(call, isExact ? undefined : query.text("resourceVersion"))
    const page = makeListPage(view, { resource, matches, hasSelector, ...readPageRequest(query, view) })
    return { type: "list", kind: target.kind, page }
  })
