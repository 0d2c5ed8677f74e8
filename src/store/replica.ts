import * as Effect from "effect/Effect"
import { customResourceDefinitionResource } from "../kubernetes/customResources/definitions.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { makeChangeHistory } from "./watch/changeHistory.ts"
import { makeClaimPodIndex } from "./indexes/claimPodIndex.ts"
import { makeKindIndex } from "./indexes/kindIndex.ts"
import { makeNodePodIndex } from "./indexes/nodePodIndex.ts"
import { makeOwnerIndex } from "./indexes/ownerIndex.ts"
import { makePodTallies } from "./indexes/podTallies.ts"
import { makeQuotaIndex } from "./indexes/quotaIndex.ts"
import { makeSubscribers } from "./watch/subscribers.ts"
import { copyTable, LazyTable } from "./lazyTable.ts"
import { absentObject } from "./indexes/objectIndex.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { Key, KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { ChangeHistory, ChangeHistoryState } from "./watch/changeHistory.ts"
import type { KindIndex } from "./indexes/kindIndex.ts"
import type { NodePodsState } from "./indexes/nodePodIndex.ts"
import type { OwnersState } from "./indexes/ownerIndex.ts"
import type { PodTallyIndexState } from "./indexes/podTallies.ts"
import type { QuotaIndex, QuotaIndexState } from "./indexes/quotaIndex.ts"
import type { Change, ClusterView } from "./objectStore.ts"
import type { ObjectIndex } from "./indexes/objectIndex.ts"
import type { Subscribe } from "./watch/subscribers.ts"

export type ObjectTable = Map<Key, KubeObject>

/** A copy of all objects of a cluster, with indexes. */
export interface Replica {
  readonly view: ClusterView["Service"]
  /** Changes come in the order of their versions. */
  readonly apply: (change: Change) => void
  /** Fills an empty replica, at the version of `present`, without calling subscribers. */
  readonly addInitialObjects: (present: PresentObjects) => void
  readonly save: () => ReplicaState
  readonly restore: (state: ReplicaState) => void
  readonly tables: ReadonlyMap<GroupResource, ObjectTable>
  readonly tableOf: (resource: GroupResource) => ObjectTable
  readonly history: ChangeHistory
  readonly definitions: KindIndex
  readonly quotas: QuotaIndex
  readonly subscribe: Subscribe<Change>
  readonly needsHeartbeats: (resource: GroupResource) => boolean
  /** Counts the versions of heartbeats that are left out. */
  readonly skipVersions: (count: number) => void
}

export interface PresentObjects {
  readonly tables: Iterable<readonly [GroupResource, Iterable<KubeObject>]>
  readonly version: number
}

export interface ReplicaState extends Partial<IndexStates> {
  readonly version: number
  readonly tables: ReadonlyMap<GroupResource, ReadonlyMap<Key, KubeObject>>
  readonly history: ChangeHistoryState
}

/** A saved state without an index has its objects indexed anew. */
interface IndexStates {
  readonly owners: OwnersState
  readonly pods: PodTallyIndexState
  readonly nodePods: NodePodsState
  readonly quotas: QuotaIndexState
}

interface ReplicaOptions {
  readonly nowMillis: () => number
  /** Changes kept for watches that resume. */
  readonly historyChangesMax: number
}

export const makeReplica = (options: ReplicaOptions): Replica => {
  const tables = new Map<GroupResource, ObjectTable>()
  const subscribers = makeSubscribers({ topicOf: (change: Change) => change.resource })
  const { subscribe } = subscribers
  const history = makeChangeHistory(options.historyChangesMax)
  const owners = makeOwnerIndex()
  const definitions = makeKindIndex()
  const podTallies = makePodTallies((uid) => owners.controlled(resources.pods, uid) as ReadonlyArray<Pod>)
  const nodePods = makeNodePodIndex()
  const claimPods = makeClaimPodIndex()
  let version = 0

  const tableOf = (resource: GroupResource): ObjectTable => {
    const table = tables.get(resource)
    if (table !== undefined) return table
    const newTable: ObjectTable = new Map()
    tables.set(resource, newTable)
    return newTable
  }
  // The only cast from stored objects to their types: stored objects have been validated.
  const get = <R extends GroupResource>(resource: R, key: Key): ObjectOf<R> | undefined =>
    tableOf(resource).get(key) as ObjectOf<R> | undefined
  const all = <R extends GroupResource>(resource: R): Iterable<ObjectOf<R>> =>
    tableOf(resource).values() as Iterable<ObjectOf<R>>
  const quotas = makeQuotaIndex({ nowMillis: options.nowMillis, get, all })

  const updateIndexes: ObjectIndex["update"] = (resource, old, next) => {
    owners.update(resource, old, next)
    definitions.update(resource, old, next)
    if (resource === resources.pods) {
      podTallies.update(old as Pod | undefined, next as Pod | undefined)
      nodePods.update(old as Pod | undefined, next as Pod | undefined)
      claimPods.update(old as Pod | undefined, next as Pod | undefined)
    }
    quotas.update(resource, old, next)
  }

  const apply = (change: Change): void => {
    const { type, resource, object, old } = change
    const next = type === "DELETED" ? undefined : object
    version = change.resourceVersion
    if (next === undefined) tableOf(resource).delete(objectKeyOf(object))
    else tableOf(resource).set(objectKeyOf(object), object)
    updateIndexes(resource, old, next)
    history.add(change)
    subscribers.deliver(change)
  }

  const addInitialObjects = (present: PresentObjects): void => {
    version = present.version
    history.beginAt(present.version)
    for (const [resource, objects] of present.tables) {
      const table = tableOf(resource)
      for (const object of objects) {
        table.set(objectKeyOf(object), object)
        updateIndexes(resource, absentObject, object)
      }
    }
  }

  const save = (): ReplicaState => ({
    version,
    tables: new Map(Array.from(tables, ([resource, table]) => [resource, new Map(table)] as const)),
    history: history.save(),
    owners: owners.save(),
    pods: podTallies.save(),
    nodePods: nodePods.save(),
    quotas: quotas.save()
  })
  /** A ResourceQuota, once added, counts the objects of the tables before its own: lazy tables come first. */
  const addTables = (state: ReplicaState): void => {
    const others = new Map(state.tables)
    for (const [resource, table] of state.tables) {
      if (!(table instanceof LazyTable)) continue
      others.delete(resource)
      tables.set(resource, table.copy())
      for (const object of table.objectsDecodedSoFar()) updateIndexes(resource, absentObject, object)
    }
    addInitialObjects({
      tables: Array.from(others, ([resource, table]) => [resource, table.values()] as const),
      version: state.version
    })
  }
  const restore = (state: ReplicaState): void => {
    version = state.version
    if (!hasIndexes(state)) {
      addTables(state)
      history.restore(state.history)
      return
    }
    for (const [resource, table] of state.tables) tables.set(resource, copyTable(table))
    history.restore(state.history)
    owners.restore(state.owners)
    for (const object of all(customResourceDefinitionResource))
      definitions.update(customResourceDefinitionResource, absentObject, object)
    podTallies.restore(state.pods)
    nodePods.restore(state.nodePods)
    for (const pod of all(resources.pods)) claimPods.update(absentObject, pod)
    quotas.restore(state.quotas)
  }

  const view: ClusterView["Service"] = {
    get,
    all,
    dependents: owners.dependents,
    controlled: <R extends GroupResource>(resource: R, uid: string) =>
      owners.controlled(resource, uid) as ReadonlyArray<ObjectOf<R>>,
    orphans: <R extends GroupResource>(resource: R, namespace: string) =>
      owners.orphans(resource, namespace) as ReadonlyArray<ObjectOf<R>>,
    pods: podTallies,
    nodePods,
    claimPods,
    quotas,
    kinds: definitions.kinds,
    subscribe,
    makeSubscriberGroup: subscribers.makeGroup,
    version: () => version,
    since: history.since,
    delivered: { version: () => version, since: history.since },
    waitForVersion: () => Effect.void
  }
  return {
    view,
    apply,
    addInitialObjects,
    save,
    restore,
    tables,
    tableOf,
    history,
    definitions,
    quotas,
    subscribe,
    needsHeartbeats: subscribers.needsHeartbeats,
    skipVersions: (count) => {
      version += count
    }
  }
}

const hasIndexes = (state: ReplicaState): state is ReplicaState & IndexStates =>
  [state.owners, state.pods, state.nodePods, state.quotas].every((it) => it !== undefined)
