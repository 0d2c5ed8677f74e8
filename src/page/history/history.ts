import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import { changed, emptyFleet, involvedIn, ownerOf } from "./fleet.ts"
import { changeBetween, indexAt, lastIndex, makeLives, versionAt } from "./lives.ts"
import { keep } from "../kept.ts"
import { makeMarking } from "./marking.ts"
import { makeSeries } from "../timeline/series.ts"
import { makeToldSteps } from "./toldSteps.ts"
import { keyOf, objectKey, placeKey } from "../place.ts"
import type { Change, Fleet } from "./fleet.ts"
import type {
  RecordingEntry,
  RecordingHeader,
  NoteEntry,
  ObjectEntry,
  StepEntry
} from "../../recording/entry.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Kept } from "../kept.ts"
import type { Life, Lives } from "./lives.ts"
import type { SeenFault } from "./marking.ts"
import type { Place } from "../place.ts"
import type { Series } from "../timeline/series.ts"

/**
 * All that is known of a cluster, from the beginning of a recording on: how everything was at any of its moments. A
 * moment is the number of the last entry that had happened.
 */
export interface History {
  /** Undefined before anything is known. */
  readonly header: RecordingHeader | undefined
  /** Whether all is known that had happened when it was asked for. */
  readonly isCaughtUp: boolean
  readonly catchUp: () => void
  /** Another number whenever more is known. */
  readonly grown: Kept<number>
  /** Says that more is known: once for many entries. */
  readonly tell: () => void
  readonly series: Series
  readonly faults: ReadonlyArray<SeenFault>
  readonly notes: ReadonlyArray<NoteEntry>
  /** The number of the last entry; undefined where none has come. */
  readonly lastNumber: number | undefined
  /** Its first moment, with what was there already. */
  readonly beginNumber: number
  readonly beginMillis: number
  readonly endNumber: number
  readonly endMillis: number
  /** Keeps what comes next. */
  readonly see: (entry: RecordingEntry) => void
  /** Keeps a step that came by a way of its own, sooner or later than what happened around it. */
  readonly seeAside: (entry: StepEntry) => void
  /** Everything as it was; at the end where no moment is given. What has not changed is the same object. */
  readonly fleetAt: (moment: number | undefined) => Fleet
  readonly millisAt: (moment: number | undefined) => number
  /** The last moment that is not later than this. */
  readonly numberAt: (millis: number) => number
  /** The moment before or after one. */
  readonly next: (moment: number, direction: 1 | -1) => number | undefined
  /** The moment before or after one at which something happened to an object, or to anything. */
  readonly nextOf: (place: Place, moment: number, direction: 1 | -1) => number | undefined
  /** Of one actor, in the order in which it made them. */
  readonly stepsOf: (place: Place) => ReadonlyArray<StepEntry>
  readonly forgetSteps: (place: Place) => void
  /** How an object was last, up to a moment, and whether it is there at it. */
  readonly lastOf: (place: Place, moment: number | undefined) => LastKnown | undefined
  /** The uids of all that an object controls or ever controlled, however far down, and its own. */
  readonly ownedBy: (uid: string) => ReadonlySet<string>
}

export interface LastKnown {
  readonly object: KubeObject
  readonly isThere: boolean
}

/** `entriesMax`: what would be more lets go of the oldest; what they left there is what was there at the beginning. */
export const makeHistory = (header: RecordingHeader | undefined, entriesMax = Infinity): History => {
  const lives = makeLives()
  const steps = makeToldSteps()
  const series = makeSeries(header?.number ?? 0)
  const marking = makeMarking()
  const times: Array<{ readonly number: number; readonly atMillis: number; readonly uid?: string }> = []
  const happened = new Map<string, Array<number>>()
  const livesAt = new Map<string, Array<Life>>()
  const owned = new Map<string, Set<string>>()
  const grown = keep(0)
  let begin = header?.number ?? 0
  let isCaughtUp = false
  let present: At = { number: -1, fleet: emptyFleet, index: 0 }
  let shown: At = present

  const end = (): number => times.at(-1)?.number ?? begin
  const at = (moment: number | undefined): number => Math.max(begin, Math.min(moment ?? end(), end()))

  const seeObject = (entry: ObjectEntry): void => {
    const isNew = lives.of(entry.object.metadata.uid) === undefined
    const object = lives.see(entry)
    const { uid } = object.metadata
    times.push({ number: entry.number, atMillis: entry.atMillis, uid })
    series.see({ ...entry, object })
    const [key, ownKey] = [keyOfWhom(object), objectKey(object)]
    if (entry.number > begin) happened.set(key, pushed(happened.get(key), entry.number))
    if (!isNew) return
    const life = lives.of(uid)
    if (life !== undefined) livesAt.set(ownKey, pushed(livesAt.get(ownKey), life))
    const owner = ownerOf(object)
    if (owner !== "") owned.set(owner, (owned.get(owner) ?? new Set()).add(uid))
  }

  /** The fleet of a moment out of that of another one: by what lies between them, or by all where that is less. */
  const moved = (from: At, number: number): At => {
    const index = indexAt(times, number) + 1
    const [low, high] = [Math.min(from.index, index), Math.max(from.index, index)]
    // What was there at the beginning comes bit by bit: of none of it a moment of before can have known.
    const since = from.number <= begin ? -1 : from.number
    const uids = new Set<string>()
    if (high - low > lives.count()) for (const { uid } of lives.all()) uids.add(uid)
    else for (let i = low; i < high; i += 1) uids.add(times[i]?.uid ?? "")
    const changes: Array<Change> = []
    for (const uid of uids) {
      const life = lives.of(uid)
      const change = life === undefined ? undefined : changeBetween(life, since, number)
      if (change !== undefined) changes.push(change)
    }
    return { number, index, fleet: changed(from.fleet, changes, lives.rankOf) }
  }

  const fleetAt = (moment: number | undefined): Fleet => {
    const number = at(moment)
    if (moment === undefined) {
      if (present.number < number || present.index < times.length) present = moved(present, number)
      shown = present
    } else if (shown.number !== number || shown.index <= indexAt(times, number)) shown = moved(shown, number)
    return shown.fleet
  }

  const letGo = (): void => {
    const count = Math.ceil(times.length / 4)
    begin = Math.max(begin, times[count - 1]?.number ?? begin)
    fleetAt(undefined)
    times.splice(0, count)
    present = { ...present, index: times.length }
    shown = present
    lives.forgetBefore(begin)
    series.forgetBefore(begin)
    marking.forgetBefore(begin)
    for (const [key, numbers] of happened) {
      const left = numbers.filter((number) => number > begin)
      if (left.length === 0) happened.delete(key)
      else happened.set(key, left)
    }
    for (const [key, there] of livesAt) {
      const left = there.filter(({ uid }) => lives.of(uid) !== undefined)
      if (left.length === 0) livesAt.delete(key)
      else livesAt.set(key, left)
    }
    forgetOwned(owned, lives)
  }

  const millisAt = (moment: number | undefined): number =>
    times[indexAt(times, at(moment))]?.atMillis ?? header?.atMillis ?? 0

  return {
    header,
    grown,
    tell: () => grown.set(grown.get() + 1),
    series,
    faults: marking.faults,
    notes: marking.notes,
    get isCaughtUp() {
      return isCaughtUp
    },
    catchUp: () => {
      isCaughtUp = true
    },
    get lastNumber() {
      return times.at(-1)?.number
    },
    get beginNumber() {
      return begin
    },
    get beginMillis() {
      return millisAt(begin)
    },
    get endNumber() {
      return end()
    },
    get endMillis() {
      return millisAt(undefined)
    },
    see: (entry) => {
      if (entry.type === "header") return
      if (entry.type === "step") steps.see(entry)
      else marking.see(entry)
      if (entry.type === "object") seeObject(entry)
      else if (entry.number > (times.at(-1)?.number ?? -1))
        times.push({ number: entry.number, atMillis: entry.atMillis })
      if (times.length > entriesMax) letGo()
    },
    seeAside: steps.see,
    fleetAt,
    millisAt,
    numberAt: (millis) => {
      const index = lastIndex(times.length, (it) => (times[it]?.atMillis ?? Infinity) <= millis)
      return Math.max(begin, times[index]?.number ?? begin)
    },
    next: (moment, direction) => {
      const index = indexAt(times, direction > 0 ? moment : moment - 1) + (direction > 0 ? 1 : 0)
      const number = times[index]?.number
      if (number === undefined) return direction < 0 && moment > begin ? begin : undefined
      return number < begin ? (moment > begin ? begin : undefined) : number
    },
    nextOf: (place, moment, direction) => {
      const own = steps.of(place).map(({ number }) => number)
      const all = [...(happened.get(placeKey(place)) ?? []), ...own].filter((it) => it >= begin)
      const beyond = all.filter((it) => (direction > 0 ? it > moment : it < moment))
      if (beyond.length === 0) return undefined
      return beyond.reduce((a, b) => (direction > 0 ? Math.min(a, b) : Math.max(a, b)))
    },
    stepsOf: steps.of,
    forgetSteps: steps.forget,
    lastOf: (place, moment) => {
      const all = (livesAt.get(placeKey(place)) ?? []).flatMap((life) => versionAt(life, at(moment)) ?? [])
      const last = all.at(-1)
      return last === undefined ? undefined : { object: last.object, isThere: !last.isGone }
    },
    ownedBy: (uid) => {
      const all = new Set([uid])
      for (const each of all) for (const below of owned.get(each) ?? []) all.add(below)
      return all
    }
  }
}

/** A fleet, and how many entries lie before it. */
interface At {
  readonly number: number
  readonly index: number
  readonly fleet: Fleet
}

/** Lets go of whom nobody knows any more, and of whom no event tells that is still known. */
const forgetOwned = (owned: Map<string, Set<string>>, lives: Lives): void => {
  const owners = new Map(
    [...owned].flatMap(([owner, uids]) => Array.from(uids, (uid) => [uid, owner] as const))
  )
  const needed = new Set<string>()
  const need = (uid: string | undefined): void => {
    for (let at = uid; at !== undefined && !needed.has(at); at = owners.get(at)) needed.add(at)
  }
  for (const { uid, resource, versions } of lives.all()) {
    need(uid)
    const last = versions.at(-1)
    if (resource === "events" && last !== undefined) need(involvedIn(last.object))
  }
  for (const [owner, uids] of owned) {
    for (const uid of uids) if (!needed.has(uid)) uids.delete(uid)
    if (uids.size === 0) owned.delete(owner)
  }
}

const pushed = <A>(list: Array<A> | undefined, value: A): Array<A> => {
  if (list === undefined) return [value]
  list.push(value)
  return list
}

/** An event happens to what it is about. */
const keyOfWhom = (object: KubeObject): string => {
  if (involvedIn(object) === "") return objectKey(object)
  const { involvedObject } = toCompleteEvent(object)
  // A node is in no namespace, and its events are in one.
  return keyOf(involvedObject.kind === "Node" ? { ...involvedObject, namespace: "" } : involvedObject)
}
