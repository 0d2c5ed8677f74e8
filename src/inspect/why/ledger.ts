import { keyOf } from "../../domain/objects.ts"
import type { AnyActorRef } from "xstate"
import type { Key, KubeObject } from "../../domain/objects.ts"
import type { StoreError } from "../../store/errors.ts"
import type { Write } from "../../store/gatedStore.ts"
import type { RecordedActor, RecordedStep } from "./recorded.ts"

/** How much is kept: what would be more pushes the oldest out. */
export interface LedgerLimits {
  /** Steps of one actor; 50 by default. */
  readonly stepsMax?: number
  /** Steps of all actors of one kind, so that Pods do not push out those of their Deployment; 4,000 by default. */
  readonly kindMax?: number
  /** Actors that are gone and whose steps are still there; 500 by default. */
  readonly goneMax?: number
}

/** Versions of which it is known who wrote them: so many at least. */
const writersMax = 1000

/** All actors that were met, and their last steps. */
export interface Ledger {
  readonly actor: (met: Met) => RecordedActor
  readonly childOf: (
    parent: RecordedActor,
    met: Pick<Met, "ref" | "chart"> & { readonly id: string }
  ) => RecordedActor
  readonly living: (uid: string) => RecordedActor | undefined
  /** Those that live, children after their parents. */
  readonly all: () => ReadonlyArray<RecordedActor>
  readonly part: (uid: string) => void
  readonly add: (step: RecordedStep) => void
  readonly knows: (place: string) => boolean
  readonly stepsAt: (place: string) => ReadonlyArray<RecordedStep>
  /** The steps of all actors that came after the one of a number and are kept, in order. */
  readonly since: (number: number) => ReadonlyArray<RecordedStep>
  readonly wrote: (
    actor: RecordedActor,
    steps: ReadonlyArray<RecordedStep>,
    write: Write,
    outcome: KubeObject | StoreError
  ) => void
  /** Somebody who is no actor has written the latest version. */
  readonly overheard: (writer: string, resourceVersion: string) => void
  readonly writerOf: (resourceVersion: string) => string | undefined
}

interface Met {
  readonly uid: string
  readonly key: Key
  readonly ref: AnyActorRef
  readonly chart: string
}

export const makeLedger = ({ stepsMax = 50, kindMax = 4000, goneMax = 500 }: LedgerLimits): Ledger => {
  const living = new Map<string, RecordedActor>()
  /** The one that went first is the first. */
  const gone = new Set<RecordedActor>()
  const byPlace = new Map<string, Set<RecordedActor>>()
  const rings = new Map<string, Ring>()
  /** Who wrote which version: of late, and before that. */
  let [writers, formerWriters] = [new Map<string, string>(), new Map<string, string>()]

  const signed = (resourceVersion: string, writer: string): void => {
    if (writers.has(resourceVersion)) return
    writers.set(resourceVersion, writer)
    if (writers.size > writersMax) [formerWriters, writers] = [writers, new Map()]
  }
  const place = (actor: RecordedActor): RecordedActor => {
    const there = byPlace.get(actor.place) ?? new Set()
    byPlace.set(actor.place, there.add(actor))
    return actor
  }
  const forget = (actor: RecordedActor): void => {
    gone.delete(actor)
    actor.steps.length = 0
    const there = byPlace.get(actor.place)
    there?.delete(actor)
    if (there?.size === 0) byPlace.delete(actor.place)
  }
  const leave = (actor: RecordedActor): void => {
    actor.children.forEach(leave)
    if (actor.steps.length === 0) return forget(actor)
    gone.add(actor)
    for (const first of gone) {
      if (gone.size <= goneMax) return
      forget(first)
    }
  }

  return {
    actor: ({ uid, key, ref, chart }) => {
      const known = living.get(uid)
      if (known?.ref === ref) return known
      const actor = place(recorded({ uid, key, ref, chart }))
      living.set(uid, actor)
      return actor
    },
    childOf: (parent, { id, ref, chart }) => {
      const known = parent.children.get(id)
      if (known?.ref === ref) return known
      if (known !== undefined) leave(known)
      const met = { uid: `${parent.uid}/${id}`, key: `${parent.key}/${id}`, ref, chart }
      const child = place(recorded(met))
      parent.children.set(id, child)
      return child
    },
    living: (uid) => living.get(uid),
    all: () => [...living.values()].flatMap((actor) => [actor, ...actor.children.values()]),
    part: (uid) => {
      const actor = living.get(uid)
      living.delete(uid)
      if (actor !== undefined) leave(actor)
    },
    add: (step) => {
      const { steps, chart } = step.actor
      steps.push(step)
      if (steps.length > stepsMax) steps.shift()
      let ring = rings.get(chart)
      if (ring === undefined) rings.set(chart, (ring = { slots: [], next: 0 }))
      const pushedOut = ring.slots[ring.next]
      ring.slots[ring.next] = step
      ring.next = (ring.next + 1) % kindMax
      // It may have given way to others of its own actor before.
      if (pushedOut !== undefined && pushedOut.actor.steps[0] === pushedOut) pushedOut.actor.steps.shift()
    },
    knows: (at) => byPlace.has(at),
    stepsAt: (at) =>
      [...(byPlace.get(at) ?? [])].flatMap(({ steps }) => steps).sort((a, b) => a.number - b.number),
    since: (number) =>
      [...rings.values()].flatMap((ring) => latestIn(ring, number)).sort((a, b) => a.number - b.number),
    wrote: ({ place: writer }, steps, { verb, resource, name }, outcome) => {
      if ("_tag" in outcome) {
        for (const { writes } of steps) writes.push({ verb, resource, key: name, refused: outcome.message })
        return
      }
      const { resourceVersion } = outcome.metadata
      const isKnown = writers.has(resourceVersion)
      for (const { writes, version } of steps) {
        const isNew = !isKnown && Number(resourceVersion) > version
        const write = { verb, resource, key: keyOf(outcome), resourceVersion }
        writes.push(isNew ? write : { ...write, changedNothing: true })
      }
      signed(resourceVersion, writer)
    },
    overheard: (writer, resourceVersion) => signed(resourceVersion, writer),
    writerOf: (resourceVersion) => writers.get(resourceVersion) ?? formerWriters.get(resourceVersion)
  }
}

/** The last steps of all actors of one chart; the next takes the place of the oldest. */
interface Ring {
  readonly slots: Array<RecordedStep>
  next: number
}

/** Those after a number: looked for from the newest back, since mostly there are few. */
const latestIn = ({ slots, next }: Ring, number: number): ReadonlyArray<RecordedStep> => {
  const found: Array<RecordedStep> = []
  for (let back = 1; back <= slots.length; back += 1) {
    const step = slots[(next - back + slots.length) % slots.length]
    if (step === undefined || step.number <= number) break
    found.push(step)
  }
  return found
}

/** `web-1/app` of `default/web-1/app`; a node is in no namespace. */
const recorded = ({ uid, key, ref, chart }: Met): RecordedActor => {
  const kind = chart.charAt(0).toUpperCase() + chart.slice(1)
  const slash = kind === "Node" ? -1 : key.indexOf("/")
  return {
    uid,
    kind,
    ...(slash < 0 ? {} : { namespace: key.slice(0, slash) }),
    name: key.slice(slash + 1),
    chart,
    key,
    place: `${kind} ${key}`,
    ref,
    steps: [],
    unperformed: [],
    performing: [],
    children: new Map()
  }
}
