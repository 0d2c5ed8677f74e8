import { chooseNext, count, happen, house, makeBrood, makeTally, mark, note, revisionText } from "./track.ts"
import { conditionChanges, eventHappening } from "./happenings.ts"
import { controllerOf } from "../../domain/ownerReferences.ts"
import { isActive, isReady, isStillTerminating, readySinceMillis } from "../../domain/pods.ts"
import { makeDueList } from "./dueList.ts"
import { placeKey } from "../place.ts"
import type { Brood, Moment, Row, Standing, Tally } from "./track.ts"
import type { Deployment, EventObject, KubeObject, Pod, ReplicaSet } from "../../domain/objects.ts"
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
  readonly brood: Brood
  readonly standing: Standing | undefined
  readonly sinceMillis: number
  isAvailable: boolean
}

/** Entries up to `beginNumber` tell of what was there when the recording began. */
export const makeSeries = (beginNumber = 0): Series => {
  const tallies = new Map<string, Tally>()
  const broods = new Map<string, Brood>()
  const pods = new Map<string, PodCount>()
  const homes = new Map<string, Tally | Brood>()
  const due = makeDueList<PodCount>()
  const moments: Array<Moment> = []
  const standing = new Set<PodCount>()
  let begin = beginNumber
  let nowMillis = -Infinity

  const tallyOf = (uid: string): Tally => kept(tallies, uid, makeTally)
  const broodOf = (uid: string): Brood => kept(broods, uid, makeBrood)
  const settle = (pod: PodCount): void => {
    const { standing: is, sinceMillis, brood } = pod
    const atMillis = sinceMillis + brood.minReadyMillis
    pod.isAvailable = is === "ready" && (brood.minReadyMillis === 0 || atMillis <= nowMillis)
    if (is === "ready" && !pod.isAvailable && atMillis < Infinity) due.add(atMillis, pod)
    count(brood, pod, 1)
    standing.add(pod)
  }
  const leave = (pod: PodCount | undefined): void => {
    if (pod === undefined) return
    count(pod.brood, pod, -1)
    standing.delete(pod)
  }

  const seeDeployment = ({ change, number, object }: ObjectEntry): ReadonlyArray<Tally> => {
    const deployment = object as Deployment
    const { uid } = deployment.metadata
    const tally = tallyOf(uid)
    const before = tally.deployment
    homes.set(homeKey(deployment), tally)
    tally.deployment = deployment
    tally.isGone = change === "DELETED"
    if (hasOtherTemplate(before, deployment)) chooseNext(tally)
    if (number <= begin || tally.isGone) return [tally]
    for (const it of conditionChanges(before, deployment, { number, atMillis: nowMillis })) happen(tally, it)
    return [tally]
  }
  const seeReplicaSet = ({ change, object }: ObjectEntry): ReadonlyArray<Tally> => {
    const replicaSet = object as ReplicaSet
    const brood = broodOf(replicaSet.metadata.uid)
    const [before, from] = [brood.replicaSet, brood.tally]
    homes.set(homeKey(replicaSet), brood)
    brood.replicaSet = change === "DELETED" ? undefined : replicaSet
    const owner = controllerOf(replicaSet)?.uid
    house(brood, owner === undefined ? undefined : tallyOf(owner))
    const revision = revisionText(replicaSet)
    if (revision !== brood.counts.revision) brood.counts = { ...brood.counts, revision }
    const minReadyMillis = (replicaSet.spec.minReadySeconds ?? 0) * 1000
    if (minReadyMillis !== brood.minReadyMillis) {
      // Rare, and the one thing that looks at every Pod: each has another time to wait for.
      const own = [...standing].filter((pod) => pod.brood === brood)
      for (const pod of own) leave(pod)
      brood.minReadyMillis = minReadyMillis
      for (const pod of own) settle(pod)
    }
    const isOther = hasOtherTemplate(before, replicaSet)
    const touched = both(from, brood.tally)
    if (isOther || touched.length > 1 || change !== "MODIFIED") for (const tally of touched) chooseNext(tally)
    return touched
  }
  const seePod = ({ change, object }: ObjectEntry): ReadonlyArray<Tally> => {
    const pod = object as Pod
    const { uid } = pod.metadata
    const before = pods.get(uid)
    const owner = controllerOf(pod)
    const brood = owner?.kind === "ReplicaSet" ? broodOf(owner.uid) : undefined
    if (brood !== undefined) homes.set(homeKey(pod), brood)
    const isGone = change === "DELETED" || brood === undefined
    const is = isGone ? undefined : standingOf(pod)
    const sinceMillis = is === "ready" ? (readySinceMillis(pod) ?? Infinity) : Infinity
    if (!isGone && before?.brood === brood && before.standing === is && before.sinceMillis === sinceMillis)
      return []
    leave(before)
    if (isGone) pods.delete(uid)
    else {
      const counted = { brood, standing: is, sinceMillis, isAvailable: false }
      pods.set(uid, counted)
      settle(counted)
    }
    return both(before?.brood.tally, brood?.tally)
  }
  const seeEvent = (entry: ObjectEntry): ReadonlyArray<Tally> => {
    const { kind = "", namespace = "", name = "" } = (entry.object as EventObject).involvedObject
    const home = homes.get(`${kind} ${namespace}/${name}`)
    const tally = home === undefined ? undefined : tallyIn(home)
    const happening = entry.number > begin ? eventHappening(entry) : undefined
    if (happening !== undefined && tally !== undefined) happen(tally, { ...happening, atMillis: nowMillis })
    return []
  }
  const seen: Readonly<Partial<Record<string, (entry: ObjectEntry) => ReadonlyArray<Tally>>>> = {
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
        if (pod.brood.tally !== undefined) note(pod.brood.tally, entry.number, nowMillis)
      }
      nowMillis = atMillis
      mark(moments, { number: entry.number, atMillis })
      const number = Math.max(begin, entry.number)
      for (const tally of look(entry)) note(tally, number, atMillis)
    },
    forgetBefore: (number) => {
      begin = number
      for (const tally of tallies.values()) {
        const { uid, rows, happenings, isGone, peopled } = tally
        dropBefore(tally.moments, number, 1)
        dropBefore(rows, number, 1)
        dropBefore(happenings, number, 0)
        if (isGone && peopled.size === 0 && (rows.at(-1)?.number ?? 0) <= number) tallies.delete(uid)
      }
      for (const brood of broods.values()) {
        if (brood.replicaSet !== undefined || brood.tally?.peopled.has(brood) === true) continue
        house(brood, undefined)
        broods.delete(brood.uid)
      }
      for (const [key, home] of homes) {
        const uid = tallyIn(home)?.uid
        if (uid === undefined || !tallies.has(uid)) homes.delete(key)
      }
      dropBefore(moments, number, 1)
    },
    tracks: () => [...tallies.values()].flatMap((tally) => trackIn(tally) ?? []),
    trackOf: (place) => {
      const home = homes.get(placeKey(place))
      const tally = home === undefined ? undefined : tallyIn(home)
      return tally === undefined ? undefined : trackIn(tally)
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

/** As `placeKey` has it. */
const homeKey = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace ?? ""}/${metadata.name}`

const tallyIn = (home: Tally | Brood): Tally | undefined => ("broods" in home ? home : home.tally)

/** Whether a change can have touched the template: then the generation is another. */
const hasOtherTemplate = <A extends Deployment | ReplicaSet>(before: A | undefined, after: A): boolean =>
  before === undefined ||
  (before.metadata.generation !== after.metadata.generation && before.spec.template !== after.spec.template)

/** A Deployment's own lists, which grow while somebody holds them. */
const trackIn = ({ uid, deployment, rows, happenings, moments }: Tally): Track | undefined =>
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

const both = (a: Tally | undefined, b: Tally | undefined): ReadonlyArray<Tally> =>
  a === undefined || a === b ? (b === undefined ? [] : [b]) : b === undefined ? [a] : [a, b]

/** Undefined for what has ended: nobody counts it. */
const standingOf = (pod: Pod): Standing | undefined => {
  if (isStillTerminating(pod)) return "terminating"
  if (!isActive(pod)) return undefined
  return isReady(pod) ? "ready" : "notReady"
}

/** Lets go of what was before a moment, but for as many of the last of it. */
const dropBefore = (list: Array<{ readonly number: number }>, number: number, left: number): void => {
  const after = list.findIndex((it) => it.number > number)
  list.splice(0, Math.max(0, (after === -1 ? list.length : after) - left))
}
