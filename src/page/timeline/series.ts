import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import {
  chooseNext,
  count,
  happen,
  assign,
  countReplicaSet,
  countDeployment,
  mark,
  note,
  revisionText
} from "./track.ts"
import { conditionChanges, eventHappening } from "./happenings.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import {
  isPodActive,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../kubernetes/pods/podState.ts"
import { makeDueList } from "./dueList.ts"
import { keyOf, objectKey, placeKey } from "../place.ts"
import type { ReplicaSetCounts, Moment, Row, Standing, DeploymentCounts } from "./track.ts"
import type { Deployment, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../recording/entry.ts"
import type { Happening } from "./happenings.ts"
import type { Place } from "../place.ts"

/** Everything that a timeline draws, kept as entries come: one costs the same whatever there is. */
export interface Series {
  /** All objects of one recording, in order. */
  readonly see: (entry: ObjectEntry) => void
  /** Lets go of what was before a moment; how it was at that moment stays known. */
  readonly forgetBefore: (number: number) => void
  /** Deployments, in the order in which they came; those that are gone among them. */
  readonly tracks: () => ReadonlyArray<Track>
  /** That of an object, or of the Deployment that has it; undefined for what belongs to none. */
  readonly trackOf: (place: Place) => Track | undefined
  /** When anything happened to any of them, in order. */
  readonly moments: ReadonlyArray<Moment>
}

/** One Deployment over time. Both lists only grow, at their ends, but for what is forgotten. */
export interface Track {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<Row>
  readonly happenings: ReadonlyArray<Happening>
  /** When there was one of either, in order. */
  readonly moments: ReadonlyArray<Moment>
}

interface PodCount {
  readonly ofReplicaSet: ReplicaSetCounts
  readonly standing: Standing | undefined
  readonly sinceMillis: number
  isAvailable: boolean
}

/** By what a thing that has a name is counted. */
interface Home {
  readonly of: DeploymentCounts | ReplicaSetCounts
  /** Of a Pod that is no longer there: of it something is told for a while yet. */
  readonly goneNumber?: number
}

/** Entries up to `startNumber` tell of what was there when the recording began. */
export const makeSeries = (beginNumber = 0): Series => {
  const deployments = new Map<string, DeploymentCounts>()
  const replicaSets = new Map<string, ReplicaSetCounts>()
  const pods = new Map<string, PodCount>()
  const homes = new Map<string, Home>()
  const due = makeDueList<PodCount>()
  const moments: Array<Moment> = []
  const standing = new Set<PodCount>()
  let begin = beginNumber
  let nowMillis = -Infinity

  const deploymentCountsOf = (uid: string): DeploymentCounts => kept(deployments, uid, countDeployment)
  const replicaSetCountsOf = (uid: string): ReplicaSetCounts => kept(replicaSets, uid, countReplicaSet)
  const settle = (pod: PodCount): void => {
    const { standing: is, sinceMillis, ofReplicaSet } = pod
    const atMillis = sinceMillis + ofReplicaSet.minReadyMillis
    pod.isAvailable = is === "ready" && (ofReplicaSet.minReadyMillis === 0 || atMillis <= nowMillis)
    if (is === "ready" && !pod.isAvailable && atMillis < Infinity) due.add(atMillis, pod)
    count(ofReplicaSet, pod, 1)
    standing.add(pod)
  }
  const leave = (pod: PodCount | undefined): void => {
    if (pod === undefined) return
    count(pod.ofReplicaSet, pod, -1)
    standing.delete(pod)
  }

  const seeDeployment = ({ change, number, object }: ObjectEntry): ReadonlyArray<DeploymentCounts> => {
    const deployment = object as Deployment
    const { uid } = deployment.metadata
    const ofDeployment = deploymentCountsOf(uid)
    const before = ofDeployment.deployment
    homes.set(objectKey(deployment), { of: ofDeployment })
    ofDeployment.deployment = deployment
    ofDeployment.isGone = change === "DELETED"
    if (hasOtherTemplate(before, deployment)) chooseNext(ofDeployment)
    if (number <= begin || ofDeployment.isGone) return [ofDeployment]
    for (const it of conditionChanges(before, deployment, { number, atMillis: nowMillis }))
      happen(ofDeployment, it)
    return [ofDeployment]
  }
  const seeReplicaSet = ({ change, object }: ObjectEntry): ReadonlyArray<DeploymentCounts> => {
    const replicaSet = object as ReplicaSet
    const ofReplicaSet = replicaSetCountsOf(replicaSet.metadata.uid)
    const [before, from] = [ofReplicaSet.replicaSet, ofReplicaSet.owner]
    homes.set(objectKey(replicaSet), { of: ofReplicaSet })
    ofReplicaSet.replicaSet = change === "DELETED" ? undefined : replicaSet
    const owner = controllerOf(replicaSet)?.uid
    assign(ofReplicaSet, owner === undefined ? undefined : deploymentCountsOf(owner))
    const revision = revisionText(replicaSet)
    if (revision !== ofReplicaSet.counts.revision) ofReplicaSet.counts = { ...ofReplicaSet.counts, revision }
    const minReadyMillis = (replicaSet.spec.minReadySeconds ?? 0) * 1000
    if (minReadyMillis !== ofReplicaSet.minReadyMillis) {
      // Rare, and the one thing that looks at every Pod: each has another time to wait for.
      const own = [...standing].filter((pod) => pod.ofReplicaSet === ofReplicaSet)
      for (const pod of own) leave(pod)
      ofReplicaSet.minReadyMillis = minReadyMillis
      for (const pod of own) settle(pod)
    }
    const isOther = hasOtherTemplate(before, replicaSet)
    const touched = both(from, ofReplicaSet.owner)
    if (isOther || touched.length > 1 || change !== "MODIFIED")
      for (const ofDeployment of touched) chooseNext(ofDeployment)
    return touched
  }
  const seePod = ({ change, number, object }: ObjectEntry): ReadonlyArray<DeploymentCounts> => {
    const pod = object as Pod
    const { uid } = pod.metadata
    const before = pods.get(uid)
    const owner = controllerOf(pod)
    const ofReplicaSet = owner?.kind === "ReplicaSet" ? replicaSetCountsOf(owner.uid) : undefined
    const key = objectKey(pod)
    const of = ofReplicaSet ?? (change === "DELETED" ? homes.get(key)?.of : undefined)
    if (of !== undefined) homes.set(key, change === "DELETED" ? { of, goneNumber: number } : { of })
    const isGone = change === "DELETED" || ofReplicaSet === undefined
    const is = isGone ? undefined : standingOf(pod)
    const sinceMillis = is === "ready" ? (readySinceMillis(pod) ?? Infinity) : Infinity
    if (
      !isGone &&
      before?.ofReplicaSet === ofReplicaSet &&
      before.standing === is &&
      before.sinceMillis === sinceMillis
    )
      return []
    leave(before)
    if (isGone) pods.delete(uid)
    else {
      const counted = { ofReplicaSet, standing: is, sinceMillis, isAvailable: false }
      pods.set(uid, counted)
      settle(counted)
    }
    return both(before?.ofReplicaSet.owner, ofReplicaSet?.owner)
  }
  const seeEvent = (entry: ObjectEntry): ReadonlyArray<DeploymentCounts> => {
    const { involvedObject } = toCompleteEvent(entry.object)
    const ofDeployment = deploymentCountsIn(homes.get(keyOf(involvedObject)))
    const happening = entry.number > begin ? eventHappening(entry) : undefined
    if (happening !== undefined && ofDeployment !== undefined)
      happen(ofDeployment, { ...happening, atMillis: nowMillis })
    return []
  }
  const seen: Readonly<Partial<Record<string, (entry: ObjectEntry) => ReadonlyArray<DeploymentCounts>>>> = {
    deployments: seeDeployment,
    replicasets: seeReplicaSet,
    pods: seePod,
    events: seeEvent
  }

  return {
    see: (entry) => {
      const look = seen[entry.resource]
      if (look === undefined) return
      // A clock may be set back: what comes later is never drawn before.
      const atMillis = Math.max(nowMillis, entry.atMillis)
      for (let next = due.take(atMillis); next !== undefined; next = due.take(atMillis)) {
        const { thing: pod } = next
        if (!standing.has(pod) || pod.isAvailable) continue
        leave(pod)
        nowMillis = Math.max(nowMillis, next.atMillis)
        settle(pod)
        if (pod.ofReplicaSet.owner !== undefined) note(pod.ofReplicaSet.owner, entry.number, nowMillis)
      }
      nowMillis = atMillis
      mark(moments, { number: entry.number, atMillis })
      const number = Math.max(begin, entry.number)
      for (const ofDeployment of look(entry)) note(ofDeployment, number, atMillis)
    },
    forgetBefore: (number) => {
      begin = number
      for (const ofDeployment of deployments.values()) {
        const { uid, rows, happenings, isGone, withPods } = ofDeployment
        dropBefore(ofDeployment.moments, number, 1)
        dropBefore(rows, number, 1)
        dropBefore(happenings, number, 0)
        if (isGone && withPods.size === 0 && (rows.at(-1)?.number ?? 0) <= number) deployments.delete(uid)
      }
      for (const ofReplicaSet of replicaSets.values()) {
        if (ofReplicaSet.replicaSet !== undefined || ofReplicaSet.owner?.withPods.has(ofReplicaSet) === true)
          continue
        assign(ofReplicaSet, undefined)
        replicaSets.delete(ofReplicaSet.uid)
      }
      for (const [key, home] of homes) {
        const uid = deploymentCountsIn(home)?.uid
        const isGone = (home.goneNumber ?? Infinity) <= number
        if (isGone || uid === undefined || !deployments.has(uid)) homes.delete(key)
      }
      dropBefore(moments, number, 1)
    },
    tracks: () => [...deployments.values()].flatMap((ofDeployment) => trackIn(ofDeployment) ?? []),
    trackOf: (place) => {
      const ofDeployment = deploymentCountsIn(homes.get(placeKey(place)))
      return ofDeployment === undefined ? undefined : trackIn(ofDeployment)
    },
    moments
  }
}

const kept = <A>(all: Map<string, A>, uid: string, make: (uid: string) => A): A => {
  const known = all.get(uid)
  if (known !== undefined) return known
  const made = make(uid)
  all.set(uid, made)
  return made
}

const deploymentCountsIn = (home: Home | undefined): DeploymentCounts | undefined => {
  if (home === undefined) return undefined
  return "replicaSets" in home.of ? home.of : home.of.owner
}

/** Whether a change can have touched the template: then the generation is another. */
const hasOtherTemplate = <A extends Deployment | ReplicaSet>(before: A | undefined, after: A): boolean =>
  before === undefined ||
  (before.metadata.generation !== after.metadata.generation && before.spec.template !== after.spec.template)

/** A Deployment's own lists, which grow while somebody holds them. */
const trackIn = ({ uid, deployment, rows, happenings, moments }: DeploymentCounts): Track | undefined =>
  deployment === undefined
    ? undefined
    : {
        uid,
        namespace: deployment.metadata.namespace ?? "",
        name: deployment.metadata.name,
        rows,
        happenings,
        moments
      }

const both = (
  a: DeploymentCounts | undefined,
  b: DeploymentCounts | undefined
): ReadonlyArray<DeploymentCounts> =>
  a === undefined || a === b ? (b === undefined ? [] : [b]) : b === undefined ? [a] : [a, b]

/** Undefined for what has ended: nobody counts it. */
const standingOf = (pod: Pod): Standing | undefined => {
  if (isPodTerminating(pod)) return "terminating"
  if (!isPodActive(pod)) return undefined
  return isPodReady(pod) ? "ready" : "notReady"
}

/** Lets go of what was before a moment, but for as many of the last of it. */
const dropBefore = (list: Array<{ readonly number: number }>, number: number, left: number): void => {
  const after = list.findIndex((it) => it.number > number)
  list.splice(0, Math.max(0, (after === -1 ? list.length : after) - left))
}
