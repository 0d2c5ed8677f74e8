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

/** The present object that a call names, with all its managed fields, or `NotFound` as a failure. */
export const presentObject = ({ services, target }: Call): Effect.Effect<KubeObject, NotFound> =>
  Effect.suspend(() => {
    const { resource, name = "", namespace } = target
    const object = services.view.get(resource, keyIn(namespace, name))
    return object === undefined
      ? Effect.fail(new NotFound({ resource, name }))
      : Effect.succeed(withManagedFields(object))
  })

/**
 * What a read is answered from. Who names no version, or asks for one exactly, is answered with what is so; who is
 * content with any that is not older than the named one, or with any at all (`0`), by the cache, which may be behind.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go (Get, GetList), KEP-2340.
 */
export const viewFor = ({ services }: Call, stated: string | undefined): ClusterView["Service"] =>
  stated === undefined ? services.view : (services.cached ?? services.view)

export const get: Verb = (call) =>
  Effect.suspend(() => {
    const stated = call.query.text("resourceVersion")
    const version = readVersion(stated)
    const view = viewFor(call, stated)
    if (version !== undefined) requireReached(version, view)
    const seen = { ...call, services: { ...call.services, view } }
    return Effect.map(presentObject(seen), (object) => objectAnswer(object))
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
