import { makeLedger } from "./ledger.ts"
import { stepOf } from "./stepOf.ts"
import { causeOf } from "./cause.ts"
import { partyText } from "./parties.ts"
import { pathsOf } from "./paths.ts"
import type { AnyActorRef, AnyMachineSnapshot, InspectionEvent } from "xstate"
import type { Command } from "../../domain/commands.ts"
import { guardOnlooker } from "../../runtime/onlooker.ts"
import type { Observer } from "../../runtime/observers.ts"
import type { Onlooker } from "../../runtime/onlooker.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Waking } from "./cause.ts"
import type { LedgerLimits } from "./ledger.ts"
import type { Microstep, RecordedActor, RecordedStep } from "./recorded.ts"
import type { Step } from "./step.ts"

/** Whose steps are asked for. */
export interface WhyQuestion {
  /** `Deployment`, `ReplicaSet`, `Pod`, `Container` or `Node`. */
  readonly kind: string
  readonly namespace?: string | undefined
  /** A container is called by its Pod and its own name, `web-1/app`. */
  readonly name: string
  /** Only steps that came after the one of this number. */
  readonly since?: number | undefined
}

/** Where an actor is. */
export interface ActorStanding {
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly chart: string
  /** Paths of its states. */
  readonly states: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  /** Whether time will move it. */
  readonly moving: boolean
}

/** Keeps the last steps of every actor, each with the reason for it. */
export interface WhyRecorder {
  readonly onlooker: Onlooker
  /** Whether there is such an actor, or was one a while ago. */
  readonly knows: (question: WhyQuestion) => boolean
  /** The oldest first; those of an actor that is gone too, for a while. */
  readonly steps: (question: WhyQuestion) => ReadonlyArray<Step>
  /** Calls back on each step when it is known what came of it. Returns how to stop. */
  readonly follow: (question: WhyQuestion, onStep: (step: Step) => void) => () => void
  readonly actors: () => ReadonlyArray<ActorStanding>
  /** The steps of all actors after a number that are kept, in order. */
  readonly since: (number: number) => ReadonlyArray<RecordedStep>
  /** Calls back on each step of anybody, and when it is known what came of it. Returns how to stop. */
  readonly onMove: (listener: () => void) => () => void
}

export const makeWhyRecorder = ({
  nowMillis,
  version,
  nextNumber,
  observe,
  ...limits
}: LedgerLimits & {
  readonly nowMillis: () => number
  /** The latest version there is. */
  readonly version: () => number
  /** Numbers what happens; steps alone where it is left out. */
  readonly nextNumber?: () => number
  /** Wraps everything that the recorder is called with by actors and controllers. */
  readonly observe: Observer
}): WhyRecorder => {
  const ledger = makeLedger(limits)
  const moveListeners = new Set<() => void>()
  /** By chart and key: what has changed since they last looked. */
  const wakings = new Map<string, Waking>()
  const followers = new Map<string, Set<(step: Step) => void>>()
  let count = 0

  const moved = (): void => {
    for (const listener of moveListeners) listener()
  }
  const settle = (step: RecordedStep): void => {
    step.isSettled = true
    moved()
    const listeners = followers.get(step.actor.place)
    if (listeners === undefined) return
    const told = stepOf(step)
    for (const listener of listeners) listener(told)
  }

  const finish = (
    actor: RecordedActor,
    { before, microsteps, commands }: Underway,
    event: { readonly type: string }
  ): void => {
    if (event.type === "xstate.stop") return
    const wakingKey = `${actor.chart} ${actor.key}`
    const waking = event.type === "observed" ? wakings.get(wakingKey) : undefined
    if (waking !== undefined) wakings.delete(wakingKey)
    count = nextNumber?.() ?? count + 1
    const because = waking === undefined ? undefined : causeOf(waking, ledger.writerOf)
    const common = { number: count, atMillis: nowMillis(), actor, event, before, microsteps, commands }
    const came = { writes: [], events: [], isSettled: false }
    const step: RecordedStep = { ...common, because, version: version(), ...came }
    ledger.add(step)
    if (commands.some(({ type }) => type !== "lookAgain")) {
      actor.unperformed.push(step)
      moved()
    } else settle(step)
  }

  /** Follows one actor, and the children that it makes. */
  const follow = (actor: RecordedActor): void => {
    const root = actor.ref
    const underway = new Map<AnyActorRef, Underway>()
    const actorOf = (ref: AnyActorRef): RecordedActor =>
      ref === root ? actor : ledger.childOf(actor, { id: ref.id, ref, chart: "container" })
    const underwayOf = (ref: AnyActorRef, isBeginning = false): Underway => {
      const present = underway.get(ref)
      if (present !== undefined) return present
      const made: Underway = {
        before: isBeginning ? undefined : snapshotOf(ref),
        microsteps: [],
        commands: []
      }
      underway.set(ref, made)
      return made
    }
    root.on(
      "*",
      observe((command: { readonly type: string }) => {
        // Our charts emit nothing but commands.
        underwayOf(root).commands.push(command as Command)
      })
    )
    root.system.inspect(
      observe((told: InspectionEvent) => {
        const { actorRef } = told
        if (!isActorRef(actorRef)) return
        if (told.type === "@xstate.microstep") {
          // One that is being made has not been anywhere, and cannot be asked.
          underwayOf(actorRef, told.event.type === "xstate.init").microsteps.push(told)
        } else if (told.type === "@xstate.snapshot") {
          const done = underway.get(actorRef)
          underway.delete(actorRef)
          if (done !== undefined) finish(actorOf(actorRef), done, told.event)
        }
      })
    )
  }

  const onlooker: Onlooker = {
    meets: ({ uid, key, ref }) => follow(ledger.actor({ uid, key, ref, chart: chartOf(ref) })),
    parts: (uid) => {
      const actor = ledger.living(uid)
      if (actor === undefined) return
      wakings.delete(`${actor.chart} ${actor.key}`)
      // What it still asked for nobody will do.
      actor.unperformed.splice(0).forEach(settle)
      ledger.part(uid)
    },
    wakes: (chart, key, change: Change) => {
      const present = wakings.get(`${chart} ${key}`)
      wakings.set(`${chart} ${key}`, { change, changes: (present?.changes ?? 0) + 1 })
    },
    misses: (chart, key) => {
      wakings.delete(`${chart} ${key}`)
    },
    performs: (uid) => {
      const actor = ledger.living(uid)
      const steps = actor?.unperformed.splice(0) ?? []
      if (actor !== undefined) actor.performing = steps
      return {
        wrote: (write, outcome) => {
          if (actor !== undefined) ledger.wrote(actor, steps, write, outcome)
        },
        ends: () => {
          if (actor?.performing === steps) actor.performing = []
          steps.forEach(settle)
        }
      }
    },
    overhears: (party) => {
      const writer = partyText(party)
      return {
        wrote: (_write, outcome) => {
          if ("_tag" in outcome) return
          const { resourceVersion } = outcome.metadata
          // What was so already, and what is only tried, made no version.
          if (Number(resourceVersion) === version()) ledger.overheard(writer, resourceVersion)
        }
      }
    },
    records: (uid, { eventType, reason, message }) => {
      for (const step of ledger.living(uid)?.performing ?? []) {
        step.events.push(`${eventType} ${reason}: ${message}`)
      }
    }
  }

  return {
    onlooker: guardOnlooker(onlooker, observe),
    knows: (question) => ledger.knows(placeOf(question)),
    steps: ({ since = 0, ...question }) =>
      ledger
        .stepsAt(placeOf(question))
        .filter(({ number }) => number > since)
        .map(stepOf),
    follow: (question, onStep) => {
      const place = placeOf(question)
      const listeners = followers.get(place) ?? new Set()
      followers.set(place, listeners)
      listeners.add(onStep)
      return () => {
        listeners.delete(onStep)
        if (listeners.size === 0) followers.delete(place)
      }
    },
    // A container that was lost with its node is kept for its steps, and stands nowhere.
    actors: () =>
      ledger
        .all()
        .filter(({ ref }) => snapshotOf(ref)?.status !== "stopped")
        .map(standingOf),
    since: ledger.since,
    onMove: (listener) => {
      moveListeners.add(listener)
      return () => moveListeners.delete(listener)
    }
  }
}

/** What an actor is in the middle of. */
interface Underway {
  readonly before: AnyMachineSnapshot | undefined
  readonly microsteps: Array<Microstep>
  readonly commands: Array<Command>
}

export const placeOf = ({ kind, namespace, name }: WhyQuestion): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`

/** A container's chart is known by its parent alone; every other actor runs a chart with a name. */
const chartOf = (ref: AnyActorRef): string => {
  const { logic } = ref as AnyActorRef & { readonly logic?: { readonly id?: string } }
  return logic?.id ?? "unknown"
}

const isActorRef = (ref: object): ref is AnyActorRef => "getSnapshot" in ref && "system" in ref

const snapshotOf = (ref: AnyActorRef): AnyMachineSnapshot | undefined =>
  ref.getSnapshot() as AnyMachineSnapshot | undefined

const standingOf = ({ uid, kind, namespace, name, chart, ref }: RecordedActor): ActorStanding => {
  const snapshot = snapshotOf(ref)
  const tags = snapshot === undefined ? [] : [...snapshot.tags]
  return {
    uid,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    chart,
    states: pathsOf(snapshot),
    tags,
    moving: tags.includes("moving")
  }
}
