import {
  ageBucketEndMillis,
  compareWithinDeletionClass,
  deletionClass
} from "../../kubernetes/pods/deletionOrder.ts"
import { readySinceMillis } from "../../kubernetes/pods/podState.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/**
 * The active Pods of one ReplicaSet in deletion order, a list per node. Ages are compared by powers of two, as in
 * Kubernetes: the order of a list changes only when a Pod's age passes such a power.
 */
export interface DeletionQueue {
  readonly add: (pod: Pod) => void
  readonly remove: (pod: Pod) => void
  readonly firstPods: (options: {
    readonly count: number
    readonly nowMillis: number
    readonly podCountOn: (nodeName: string) => number
  }) => ReadonlyArray<Pod>
}

interface NodeList {
  readonly pods: Array<Pod>
  /** -Infinity when the list must be sorted. */
  sortedUntilMillis: number
}

const nodeOf = (pod: Pod): string => pod.spec.nodeName ?? ""

export const makeDeletionQueue = (): DeletionQueue => {
  const byNode = new Map<string, NodeList>()
  return {
    add: (pod) => {
      const list = byNode.get(nodeOf(pod))
      if (list === undefined) byNode.set(nodeOf(pod), { pods: [pod], sortedUntilMillis: -Infinity })
      else {
        list.pods.push(pod)
        list.sortedUntilMillis = -Infinity
      }
    },
    remove: (pod) => {
      const list = byNode.get(nodeOf(pod))
      const index = list?.pods.indexOf(pod) ?? -1
      if (list === undefined || index < 0) return
      list.pods.splice(index, 1)
      if (list.pods.length === 0) byNode.delete(nodeOf(pod))
    },
    firstPods: ({ count, nowMillis, podCountOn }) => {
      const heads = [...byNode].map(([name, list]) => headOf(sortedPods(list, nowMillis), podCountOn(name)))
      const chosenPods: Array<Pod> = []
      while (chosenPods.length < count) {
        const head = firstHead(heads, nowMillis)
        if (head === undefined) break
        chosenPods.push(head.pod)
        advance(head)
      }
      return chosenPods
    }
  }
}

const sortedPods = (list: NodeList, nowMillis: number): ReadonlyArray<Pod> => {
  if (nowMillis < list.sortedUntilMillis) return list.pods
  list.pods.sort(
    (a, b) =>
      deletionClass(a) - deletionClass(b) || compareWithinDeletionClass(a, b, nowMillis) || byUid(a, b)
  )
  list.sortedUntilMillis = list.pods.reduce(
    (until, pod) => Math.min(until, orderChangesAt(pod, nowMillis)),
    Infinity
  )
  return list.pods
}

/** Upstream breaks full ties arbitrarily; here every run must be the same. */
const byUid = (a: Pod, b: Pod): number => (a.metadata.uid < b.metadata.uid ? -1 : 1)

const orderChangesAt = (pod: Pod, nowMillis: number): number => {
  const ageEndMillis = ageBucketEndMillis(timestampMillis(pod.metadata.creationTimestamp), nowMillis)
  const readySince = readySinceMillis(pod)
  return readySince === undefined
    ? ageEndMillis
    : Math.min(ageEndMillis, ageBucketEndMillis(readySince, nowMillis))
}

/** The Pod of a node's list that is deleted next. */
interface Head {
  readonly pods: ReadonlyArray<Pod>
  readonly podsOnNode: number
  index: number
  pod: Pod
  /** A number for scheduling, phase, readiness and deletion cost: the Pod with the lowest is deleted first. */
  class: number
}

const headOf = (pods: ReadonlyArray<Pod>, podsOnNode: number): Head | undefined => {
  const pod = pods[0]
  return pod === undefined ? undefined : { pods, podsOnNode, index: 0, pod, class: deletionClass(pod) }
}

const advance = (head: Head): void => {
  head.index += 1
  const pod = head.pods[head.index]
  if (pod === undefined) return
  head.pod = pod
  head.class = deletionClass(pod)
}

const firstHead = (heads: ReadonlyArray<Head | undefined>, nowMillis: number): Head | undefined => {
  let firstFound: Head | undefined
  for (const head of heads) {
    if (head === undefined || head.index >= head.pods.length) continue
    if (firstFound === undefined || isDeletedBefore(head, firstFound, nowMillis)) firstFound = head
  }
  return firstFound
}

const isDeletedBefore = (a: Head, b: Head, nowMillis: number): boolean =>
  (a.class - b.class ||
    b.podsOnNode - a.podsOnNode ||
    compareWithinDeletionClass(a.pod, b.pod, nowMillis) ||
    byUid(a.pod, b.pod)) < 0
