import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { makeMemoryStore } from "../../src/store/memoryStore.ts"
import { loadStreams } from "../../src/store/watch/effectStreams.ts"
import {
  aManifest,
  deploymentManifest,
  namespaceManifest,
  podManifest,
  replicaSetManifest,
  startMillis
} from "../builders.ts"
import type { LooseDraft } from "../builders.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { Expired, StoreError } from "../../src/store/storeErrors.ts"
import type { Change, ObjectStore, WatchOptions } from "../../src/store/objectStore.ts"

/** A store with namespace `shop`, on a clock that the test moves. */
export const aStore = (options: { readonly seed?: number; readonly historyChangesMax?: number } = {}) => {
  const clock = { millis: startMillis }
  const { store, view } = makeMemoryStore({
    nowMillis: () => clock.millis,
    seed: options.seed ?? 7,
    ...(options.historyChangesMax === undefined ? {} : { historyChangesMax: options.historyChangesMax })
  })
  run(store.create(namespaceManifest("shop")))
  const changes: Array<Change> = []
  view.subscribe((change) => changes.push(change))
  return {
    store,
    view,
    clock,
    changes,
    version: () => Number(run(store.list("pods")).resourceVersion)
  }
}

export const run = <A, E>(effect: Effect.Effect<A, E>): A => Effect.runSync(effect)

export const refusalOf = <A>(effect: Effect.Effect<A, StoreError>): StoreError => run(Effect.flip(effect))

export const watchChanges = (
  store: ObjectStore["Service"],
  options: WatchOptions,
  count: number
): Promise<ReadonlyArray<Change>> =>
  Effect.runPromise(
    Effect.andThen(loadStreams, () => store.watch(options).pipe(Stream.take(count), Stream.runCollect))
  )

export const expiryOf = (store: ObjectStore["Service"], options: WatchOptions): Promise<Expired> =>
  Effect.runPromise(Effect.flip(Effect.andThen(loadStreams, () => Stream.runCollect(store.watch(options)))))

/** `ADDED p1@4` for each change. */
export const changeTexts = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.map(({ type, object }) => `${type} ${object.metadata.name}@${object.metadata.resourceVersion}`)

const shop = { namespace: "shop", version: "v3" }

export const aDeploymentDraft = (metadata: Draft["metadata"] = {}, spec: object = {}): LooseDraft =>
  deploymentManifest({ ...shop, metadata, spec })
export const aReplicaSetDraft = (metadata: Draft["metadata"] = {}, spec: object = {}): LooseDraft =>
  replicaSetManifest({ ...shop, metadata, spec })
export const aPodDraft = (metadata: Draft["metadata"] = {}, spec: object = {}): LooseDraft =>
  podManifest("web", spec, { namespace: "shop", ...metadata })
export const aConfigMapDraft = (metadata: Draft["metadata"] = {}, data: object = {}): LooseDraft =>
  aManifest("ConfigMap", { name: "web", namespace: "shop", ...metadata }, { data })

/** An object with some metadata and fields replaced. */
export const withChanges = (
  object: KubeObject,
  metadata: Draft["metadata"],
  fields: { readonly spec?: object; readonly status?: object } = {}
): LooseDraft => ({ ...object, ...fields, metadata: { ...object.metadata, ...metadata } })
