import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import {
  isPodActive,
  isPodFinished,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../kubernetes/pods/podState.ts"
import { makeDeletionQueue } from "./deletionQueue.ts"
import { makeReadyTimes } from "./readyTimes.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { PodCounts } from "../../kubernetes/apps/replicaSets/replicaSetObservation.ts"
import type { Labels, Pod } from "../../kubernetes/meta/objects.ts"
import type { DeletionQueue } from "./deletionQueue.ts"
import type { ReadyTimes, ReadyTimesState } from "./readyTimes.ts"

export interface PodTallies {
  readonly counts: (options: {
    readonly ownerUid: string
    readonly selector: LabelSelector
    readonly templateLabels: Labels
    readonly minReadySeconds: number
    readonly nowMillis: number
  }) => PodCounts
  /** All Pods of an owner, finished ones included. */
  readonly total: (ownerUid: string) => number
  readonly unfinished: (ownerUid: string) => number
  readonly hasUnselectedPods: (ownerUid: string, selector: LabelSelector) => boolean
  /** `relatedOwnerUids`: all owners whose Pods crowd a node. Pods on crowded nodes are deleted first. */
  readonly firstToDelete: (options: {
    readonly ownerUid: string
    readonly relatedOwnerUids: ReadonlyArray<string>
    readonly count: number
    readonly nowMillis: number
  }) => ReadonlyArray<Pod>
}

export interface PodTallyIndex extends PodTallies {
  readonly update: (old: Pod | undefined, next: Pod | undefined) => void
  readonly save: () => PodTallyIndexState
  readonly restore: (state: PodTallyIndexState) => void
}

/** The tally of each owner, without the deletion order, which is sorted again when needed. */
export type PodTallyIndexState = ReadonlyArray<readonly [ownerUid: string, OwnerTallyState]>

interface OwnerTallyState {
  readonly groups: ReadonlyArray<Omit<LabelGroup, "readyTimes"> & { readonly readyTimes: ReadyTimesState }>
  readonly activeByNode: ReadonlyArray<readonly [nodeName: string, pods: number]>
  readonly unfinished: number
  readonly total: number
}

/** The Pods of an owner that have the same labels. */
interface LabelGroup {
  readonly labels: Labels
  total: number
  active: number
  ready: number
  terminating: number
  readonly readyTimes: ReadyTimes
}

interface OwnerTally {
  readonly groups: Array<LabelGroup>
  readonly activeByNode: Map<string, number>
  unfinished: number
  total: number
  /** Undefined until the owner first scales down. */
  queue: DeletionQueue | undefined
}

export const makePodTallies = (podsOf: (ownerUid: string) => ReadonlyArray<Pod>): PodTallyIndex => {
  const tallies = new Map<string, OwnerTally>()

  const countPod = (pod: Pod, by: 1 | -1): void => {
    const ownerUid = controllerOf(pod)?.uid
    if (ownerUid === undefined) return
    const tally = tallies.get(ownerUid) ?? emptyTally()
    if (tally.total === 0) tallies.set(ownerUid, tally)
    tally.total += by
    if (!isPodFinished(pod)) tally.unfinished += by
    const group = groupOf(tally, pod.metadata.labels ?? noLabels)
    group.total += by
    countInGroup(group, pod, by)
    // Keeps no empty groups when Pods are relabelled.
    if (group.total === 0) tally.groups.splice(tally.groups.indexOf(group), 1)
    if (isPodActive(pod)) countActive(tally, pod, by)
    if (tally.total === 0) tallies.delete(ownerUid)
  }

  return {
    update: (old, next) => {
      if (old !== undefined) countPod(old, -1)
      if (next !== undefined) countPod(next, 1)
    },
    counts: ({ ownerUid, selector, templateLabels, minReadySeconds, nowMillis }) => {
      const groups = (tallies.get(ownerUid)?.groups ?? []).filter((it) =>
        matchesSelector(selector, it.labels)
      )
      const fullyLabeled = groups.filter((it) => matchesSelector({ matchLabels: templateLabels }, it.labels))
      const ready = sum(groups, (it) => it.ready)
      const minMillis = minReadySeconds * 1000
      const recentlyReady =
        minMillis === 0 ? [] : groups.map((it) => it.readyTimes.readyAfter(nowMillis - minMillis))
      const earliestMillis = Math.min(...recentlyReady.map((it) => it.earliestMillis ?? unknownSince))
      return {
        active: sum(groups, (it) => it.active),
        fullyLabeled: sum(fullyLabeled, (it) => it.active),
        ready,
        available: ready - sum(recentlyReady, (it) => it.count),
        terminating: sum(groups, (it) => it.terminating),
        nextAvailableMillis: earliestMillis === unknownSince ? undefined : earliestMillis + minMillis
      }
    },
    total: (ownerUid) => tallies.get(ownerUid)?.total ?? 0,
    unfinished: (ownerUid) => tallies.get(ownerUid)?.unfinished ?? 0,
    hasUnselectedPods: (ownerUid, selector) =>
      (tallies.get(ownerUid)?.groups ?? []).some(
        (group) => group.active > 0 && !matchesSelector(selector, group.labels)
      ),
    firstToDelete: ({ ownerUid, relatedOwnerUids, count, nowMillis }) => {
      const tally = tallies.get(ownerUid)
      if (tally === undefined) return []
      const related = relatedOwnerUids.flatMap((uid) => tallies.get(uid) ?? [])
      tally.queue ??= queueOf(podsOf(ownerUid))
      return tally.queue.firstPods({
        count,
        nowMillis,
        podCountOn: (nodeName) => sum(related, (it) => it.activeByNode.get(nodeName) ?? 0)
      })
    },
    save: () => Array.from(tallies, ([ownerUid, tally]) => [ownerUid, stateOf(tally)]),
    restore: (state) => {
      for (const [ownerUid, tally] of state) tallies.set(ownerUid, restoredTally(tally))
    }
  }
}

const stateOf = ({ groups, activeByNode, unfinished, total }: OwnerTally): OwnerTallyState => ({
  groups: groups.map((group) => ({ ...group, readyTimes: group.readyTimes.save() })),
  activeByNode: [...activeByNode],
  unfinished,
  total
})

const restoredTally = ({ groups, activeByNode, unfinished, total }: OwnerTallyState): OwnerTally => ({
  groups: groups.map((group) => ({ ...group, readyTimes: makeReadyTimes(group.readyTimes) })),
  activeByNode: new Map(activeByNode),
  unfinished,
  total,
  queue: undefined
})

/** A ready Pod without a transition time is never ready long enough. */
const unknownSince = Infinity

const noLabels: Labels = {}

const emptyTally = (): OwnerTally => ({
  groups: [],
  activeByNode: new Map(),
  unfinished: 0,
  total: 0,
  queue: undefined
})

const groupOf = (tally: OwnerTally, labels: Labels): LabelGroup => {
  const { groups } = tally
  for (const group of groups) if (group.labels === labels) return group
  const same = groups.find((group) => sameLabels(group.labels, labels))
  if (same !== undefined) return same
  const group = { labels, total: 0, active: 0, ready: 0, terminating: 0, readyTimes: makeReadyTimes() }
  groups.push(group)
  return group
}

const sameLabels = (a: Labels, b: Labels): boolean => {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

const countInGroup = (group: LabelGroup, pod: Pod, by: 1 | -1): void => {
  if (isPodTerminating(pod)) group.terminating += by
  if (!isPodActive(pod)) return
  group.active += by
  if (!isPodReady(pod)) return
  group.ready += by
  const since = readySinceMillis(pod) ?? unknownSince
  if (by === 1) group.readyTimes.add(since)
  else group.readyTimes.remove(since)
}

const countActive = (tally: OwnerTally, pod: Pod, by: 1 | -1): void => {
  const nodeName = pod.spec.nodeName ?? ""
  const active = (tally.activeByNode.get(nodeName) ?? 0) + by
  if (active === 0) tally.activeByNode.delete(nodeName)
  else tally.activeByNode.set(nodeName, active)
  if (by === 1) tally.queue?.add(pod)
  else tally.queue?.remove(pod)
}

const queueOf = (pods: ReadonlyArray<Pod>): DeletionQueue => {
  const queue = makeDeletionQueue()
  for (const pod of pods) if (isPodActive(pod)) queue.add(pod)
  return queue
}

const sum = <A>(items: ReadonlyArray<A>, of: (item: A) => number): number => {
  let total = 0
  for (const item of items) total += of(item)
  return total
}
