import * as Effect from "effect/Effect"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../../src/kubernetes/meta/objects.ts"
import { makeNodePodIndex } from "../../../src/store/indexes/nodePodIndex.ts"
import { makeOwnerIndex } from "../../../src/store/indexes/ownerIndex.ts"
import { makePodTallies } from "../../../src/store/indexes/podTallies.ts"
import { makeSubscribers } from "../../../src/store/watch/subscribers.ts"
import type { ObjectOf } from "../../../src/kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../../../src/kubernetes/meta/kinds.ts"
import type { KubeObject, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { Kernel } from "../../../src/runtime/time/kernel.ts"
import type { Change, ClusterView } from "../../../src/store/objectStore.ts"

export const makeLateView = (options: {
  readonly kernel: Kernel
  readonly present: ClusterView["Service"]
  readonly lagMillis: number
}): ClusterView["Service"] => {
  const { kernel, present, lagMillis } = options
  const tables = new Map<GroupResource, Map<string, KubeObject>>()
  const owners = makeOwnerIndex()
  const pods = makePodTallies((uid) => owners.controlled(resources.pods, uid) as ReadonlyArray<Pod>)
  const nodePods = makeNodePodIndex()
  const subscribers = makeSubscribers({ topicOf: (change: Change) => change.resource })
  const waiting = new Map<() => void, number>()
  let seen = 0

  const tableOf = <R extends GroupResource>(resource: R): Map<string, ObjectOf<R>> => {
    const table = tables.get(resource) ?? new Map<string, KubeObject>()
    tables.set(resource, table)
    return table as Map<string, ObjectOf<R>>
  }
  const learn = (change: Change): void => {
    const { resource, object, old } = change
    const next = change.type === "DELETED" ? undefined : object
    if (next === undefined) tableOf(resource).delete(objectKeyOf(object))
    else (tableOf(resource) as Map<string, KubeObject>).set(objectKeyOf(object), next)
    owners.update(resource, old, next)
    if (resource === resources.pods) {
      pods.update(old as Pod | undefined, next as Pod | undefined)
      nodePods.update(old as Pod | undefined, next as Pod | undefined)
    }
    seen = change.resourceVersion
    subscribers.deliver(change)
    for (const [resume, version] of waiting) {
      if (version <= seen) {
        waiting.delete(resume)
        resume()
      }
    }
  }
  present.subscribe((change) => kernel.after(lagMillis, 0, () => learn(change)))

  return {
    get: (resource, key) => tableOf(resource).get(key),
    all: (resource) => tableOf(resource).values(),
    dependents: owners.dependents,
    controlled: <R extends GroupResource>(resource: R, uid: string) =>
      owners.controlled(resource, uid) as ReadonlyArray<ObjectOf<R>>,
    orphans: <R extends GroupResource>(resource: R, namespace: string) =>
      owners.orphans(resource, namespace) as ReadonlyArray<ObjectOf<R>>,
    pods,
    nodePods,
    claimPods: present.claimPods,
    quotas: present.quotas,
    kinds: present.kinds,
    version: () => seen,
    since: (version) => present.since(version)?.filter((change) => change.resourceVersion <= seen),
    delivered: present.delivered,
    subscribe: subscribers.subscribe,
    makeSubscriberGroup: subscribers.makeGroup,
    waitForVersion: (resourceVersion) =>
      Effect.callback<void>((resume) => {
        const version = Number(resourceVersion)
        if (version <= seen) return resume(Effect.void)
        const done = () => resume(Effect.void)
        waiting.set(done, version)
        return Effect.sync(() => waiting.delete(done))
      })
  }
}
