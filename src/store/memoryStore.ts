import * as Effect from "effect/Effect"
import { resources } from "../kubernetes/meta/kinds.ts"
import { compareByKey } from "../kubernetes/meta/objects.ts"
import { makeNameGenerators } from "./writes/nameGenerator.ts"
import { makeLimitRangeIndex } from "./indexes/limitRangeIndex.ts"
import { makeObjectWrites } from "./writes/objectWrites.ts"
import { makeReplica } from "./replica.ts"
import { makeStoreVerbs } from "./writes/storeVerbs.ts"
import { makeDryRunState } from "./writes/dryRunState.ts"
import { makeServiceAddresses } from "./indexes/serviceAddresses.ts"
import { matchesListOptions, makeWatches, type Watches } from "./watch/watchChanges.ts"
import { absentObject } from "./indexes/objectIndex.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { WriteRules } from "./writes/objectWrites.ts"
import type { PresentObjects, Replica, ReplicaState } from "./replica.ts"
import type { DryRunBase } from "./writes/dryRunState.ts"
import type { ServiceAddressesState } from "./indexes/serviceAddresses.ts"
import type { ClusterView, ObjectStore } from "./objectStore.ts"
import type { ObjectIndex } from "./indexes/objectIndex.ts"

/** Changes that are kept for watches that resume: this many for each five minutes of history. */
const historyChangesMaxDefault = 4096
const historyChangesLimit = 65_536
const historyMillisDefault = 300_000

export const historyChangesMaxFor = (millis: number): number =>
  Math.min(
    Math.max(historyChangesMaxDefault, Math.ceil((historyChangesMaxDefault * millis) / historyMillisDefault)),
    historyChangesLimit
  )

interface MemoryStoreOptions extends WriteRules {
  readonly seed: number
  readonly historyChangesMax?: number
  /** Restores a saved store. Its random generators continue, unless the seed differs. */
  readonly from?: StoreState | undefined
}

/** Shares its frozen objects with the store. */
export interface StoreState {
  readonly seed: number
  readonly replica: ReplicaState
  readonly addresses: ServiceAddressesState
  /** The states of the name generators. */
  readonly identities: ReadonlyArray<ReadonlyArray<number>>
}

/**
 * Resources whose objects the control plane creates: a second generator names them, so that the names of workloads
 * stay the same.
 */
const controlPlaneResources: ReadonlySet<GroupResource> = new Set([
  resources.services,
  resources.endpoints,
  resources.endpointSlices,
  resources.serviceAccounts,
  resources.configMaps
])

/** Leaves a write out; later uids and versions are as if the write had happened. */
export type SkipWrite = (write: { readonly isCreation: boolean }) => void

export const makeMemoryStore = (
  options: MemoryStoreOptions
): {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly addInitialObjects: (present: PresentObjects) => void
  readonly save: () => StoreState
  /** While nothing else happens, heartbeats of nodes are left out: `skipVersions` counts their versions. */
  readonly needsHeartbeats: Replica["needsHeartbeats"]
  readonly skipVersions: Replica["skipVersions"]
  readonly skipWrite: SkipWrite
  /** What a data directory reads of the store. */
  readonly durableParts: {
    readonly tables: ReadonlyMap<GroupResource, ReadonlyMap<Key, KubeObject>>
    readonly oldestVersion: () => number
  }
  /** Watches without Effect's streams. */
  readonly feed: Watches["feed"]
  readonly close: () => void
} => {
  const replica = makeReplica({
    nowMillis: options.nowMillis,
    historyChangesMax: options.historyChangesMax ?? historyChangesMaxDefault
  })
  const { view, tables, tableOf, history, definitions, quotas, subscribe } = replica
  const { get, all, kinds } = view
  const openWatchEnds = new Set<() => void>()
  const watches = makeWatches({
    all: (resource) => objectsOf(tables, resource),
    history,
    subscribe,
    openWatchEnds
  })
  const nameGenerators = makeNameGenerators(options)
  const [ordinaryNames, dryRunNames, controlPlaneNames] = nameGenerators
  const limitRanges = makeLimitRangeIndex()
  const addresses = makeServiceAddresses()

  const updateIndexes: ObjectIndex["update"] = (resource, old, next) => {
    limitRanges.update(resource, old, next)
    addresses.update(resource, old, next)
  }

  const state: DryRunBase = {
    get,
    all,
    tableOf,
    definitions,
    limitRanges,
    quotas,
    addresses,
    version: view.version,
    apply: (change) => {
      updateIndexes(change.resource, change.old, change.type === "DELETED" ? absentObject : change.object)
      replica.apply(change)
    }
  }
  const writes = makeObjectWrites(state, {
    ...options,
    nameGeneratorOf: (resource, dryRun) =>
      dryRun ? dryRunNames : controlPlaneResources.has(resource) ? controlPlaneNames : ordinaryNames
  })
  const verbs = makeStoreVerbs(state, writes, options)

  const store: ObjectStore["Service"] = {
    kinds,
    get: writes.get,
    list: (resource, listOptions = {}) =>
      Effect.sync(() => ({
        items: [...all(resource)]
          .filter((object) => matchesListOptions(object, listOptions))
          .sort(compareByKey),
        resourceVersion: String(view.version())
      })),
    create: writes.create,
    update: writes.update,
    updateStatus: writes.updateStatus,
    beginDryRun: () =>
      makeObjectWrites(makeDryRunState(state, options), { ...options, nameGeneratorOf: () => dryRunNames }),
    ...verbs,
    watch: watches.watch
  }

  const addInitialObjects = (present: PresentObjects): void => {
    replica.addInitialObjects(present)
    for (const [resource, table] of tables) {
      for (const object of table.values()) updateIndexes(resource, absentObject, object)
    }
  }
  if (options.from !== undefined) {
    replica.restore(options.from.replica)
    for (const object of all(resources.limitRanges))
      updateIndexes(resources.limitRanges, absentObject, object)
    addresses.restore(options.from.addresses)
  }
  const save = (): StoreState => ({
    seed: options.seed,
    replica: replica.save(),
    addresses: addresses.save(),
    identities: nameGenerators.map((it) => it.save())
  })
  const close = (): void => {
    for (const end of openWatchEnds) end()
    openWatchEnds.clear()
  }
  const { needsHeartbeats, skipVersions } = replica
  const durableParts = { tables, oldestVersion: history.oldestVersion }
  const skipWrite: SkipWrite = ({ isCreation }) => {
    if (isCreation) ordinaryNames.uid()
    skipVersions(1)
  }
  return {
    store,
    view,
    addInitialObjects,
    save,
    needsHeartbeats,
    skipVersions,
    skipWrite,
    durableParts,
    feed: watches.feed,
    close
  }
}

const objectsOf = (
  tables: ReadonlyMap<GroupResource, ReadonlyMap<Key, KubeObject>>,
  resource: GroupResource | undefined
): ReadonlyArray<readonly [GroupResource, KubeObject]> =>
  [...tables]
    .filter(([tableResource]) => resource === undefined || tableResource === resource)
    .flatMap(([tableResource, table]) =>
      [...table.values()].sort(compareByKey).map((object) => [tableResource, object] as const)
    )
