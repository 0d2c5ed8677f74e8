import * as Effect from "effect/Effect"
import { withManagedFields } from "../../domain/managedFields/complete.ts"
import { keyIn } from "../../domain/objects.ts"
import { NotFound } from "../../store/errors.ts"
import { pageOf, readPage, readVersion, requireReached } from "../pages.ts"
import { readSelection } from "../selection.ts"
import { objectAnswer } from "../call.ts"
import type { KubeObject } from "../../domain/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Call, Verb } from "../call.ts"

export const presentObject = ({ services, target }: Call): Effect.Effect<KubeObject, NotFound> =>
  Effect.suspend(() => {
    const { resource, name = "", namespace } = target
    const object = services.view.get(resource, keyIn(namespace, name))
    return object === undefined
      ? Effect.fail(new NotFound({ resource, name }))
      : Effect.succeed(withManagedFields(object))
  })

/**
 * Chooses the view of a read: the watch cache for a minimum resource version or `0`, otherwise the most recent state.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go (Get, GetList), KEP-2340.
 */
export const viewFor = ({ services }: Call, requestedVersion: string | undefined): ClusterView["Service"] =>
  requestedVersion === undefined ? services.view : (services.cached ?? services.view)

export const get: Verb = (call) =>
  Effect.suspend(() => {
    const requestedVersion = call.query.text("resourceVersion")
    const version = readVersion(requestedVersion)
    const view = viewFor(call, requestedVersion)
    if (version !== undefined) requireReached(version, view)
    const callAtVersion = { ...call, services: { ...call.services, view } }
    return Effect.map(presentObject(callAtVersion), (object) => objectAnswer(object))
  })

export const list: Verb = (call) =>
  Effect.sync(() => {
    const { target, query } = call
    const { matches, isSelective } = readSelection(call)
    const { resource } = target
    const isExact = query.text("resourceVersionMatch") === "Exact" || query.text("continue") !== undefined
    const view = viewFor(call, isExact ? undefined : query.text("resourceVersion"))
    const page = pageOf(view, { resource, matches, isSelective, ...readPage(query, view) })
    return { type: "list", kind: target.kind, page }
  })
