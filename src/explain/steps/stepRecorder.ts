import { makeActorHistory } from "./actorHistory.ts"
import { toStep } from "./toStep.ts"
import { toStepCause } from "./stepCause.ts"
import { writerText } from "./writerText.ts"
import { activeStatePaths } from "./statePaths.ts"
import { toInterpretedMicrostep } from "./interpretedMicrostep.ts"
import type { AnyActorRef, AnyEventObject, InspectionEvent } from "xstate"
import type { Microstep } from "../../compiler/macrostep.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import { guardActorObserver } from "../../runtime/actors/actorObserver.ts"
import type { Observer } from "../../runtime/observers.ts"
import type { ActorObserver } from "../../runtime/actors/actorObserver.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { UnseenChanges } from "./stepCause.ts"
import type { StepLimits } from "./actorHistory.ts"
import type { ChartSnapshot, RecordedActor, RecordedMicrostep, RecordedStep } from "./recordedStep.ts"
import type { Step } from "./step.ts"

export interface StepQuery {
  /** `Deployment`, `ReplicaSet`, `Pod`, `Container` or `Node`. */
  readonly kind: string
  readonly namespace?: string | undefined
  /** A container is named by Pod and container, `web-1/app`. */
  readonly name: string
  /** Only steps with a higher number. */
  readonly since?: number | undefined
}

export interface ActorStateReport {
  /** Of its object; `POD_UID/NAME` for a container. */
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly chart: string
  readonly states: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  /** Whether time alone will change its state. */
  readonly moving: boolean
}

/** Records the latest steps of every actor with their reasons. */
export interface StepRecorder {
  readonly observer: ActorObserver
  /** Whether the actor exists, or its steps are still kept. */
  readonly knows: (query: StepQuery) => boolean
  /** In order; steps of a stopped actor are kept for a while. */
  readonly steps: (query: StepQuery) => ReadonlyArray<Step>
  /**
   * Subscribes to the actor's steps, each reported once its results are known. Returns the unsubscribe function.
   */
  readonly follow: (query: StepQuery, onStep: (step: Step) => void) => () => void
  readonly actors: () => ReadonlyArray<ActorStateReport>
  /** Steps of all actors with a higher number. */
  readonly since: (number: number) => ReadonlyArray<RecordedStep>
  /** Subscribes to new and finished steps of all actors. Returns the unsubscribe function. */
  readonly onStep: (listener: () => void) => () => void
}

export const makeStepRecorder = ({
  nowMillis,
  version,
  nextNumber,
  observe,
  ...limits
}: StepLimits & {
  readonly nowMillis: () => number
  /** The latest resource version. */
  readonly version: () => number
  /** Numbers for steps; default their own sequence. */
  readonly nextNumber?: () => number
  /** Wraps callbacks, so that their errors do not stop the cluster. */
  readonly observe: Observer
}): StepRecorder => {
  const history = makeActorHistory(limits)
  const stepListeners = new Set<() => void>()
  /** By chart and key: a text of the two would be made for every change and every look. */
  const unseenChanges = new Map<string, Map<Key, UnseenChanges>>()
  const followers = new Map<string, Set<(step: Step) => void>>()
  let lastNumber = 0

  const notify = (): void => {
    for (const listener of stepListeners) listener()
  }
  const finishStep = (step: RecordedStep): void => {
    step.isFinished = true
    notify()
    const listeners = followers.get(step.actor.path)
    if (listeners === undefined) return
    const rendered = toStep(step)
    for (const listener of listeners) listener(rendered)
  }

  const addStep = (
    actor: RecordedActor,
    { before, microsteps, commands }: StepInProgress,
    event: { readonly type: string }
  ): void => {
    if (event.type === "xstate.stop") return
    const { chart, key } = actor
    const unseen = event.type === "observed" ? unseenChanges.get(chart)?.get(key) : undefined
    if (unseen !== undefined) unseenChanges.get(chart)?.delete(key)
    lastNumber = nextNumber?.() ?? lastNumber + 1
    const cause = unseen === undefined ? undefined : toStepCause(unseen, history.writerOf)
    // Every step passes here: without a spread, all of them have one shape and are made at once.
    const step: RecordedStep = {
      number: lastNumber,
      atMillis: nowMillis(),
      actor,
      event,
      before,
      microsteps,
      commands,
      because: cause,
      version: version(),
      writes: [],
      events: [],
      isFinished: false
    }
    history.add(step)
    // A step with commands is finished once they have been performed, so that its writes are known.
    if (commands.some(({ type }) => type !== "lookAgain")) {
      actor.pendingSteps.push(step)
      notify()
    } else finishStep(step)
  }

  const systems = new Map<AnyActorRef["system"], SystemInProgress>()
  const stepOf = ({ steps }: SystemInProgress, ref: AnyActorRef, isStarting = false): StepInProgress => {
    const existing = steps.get(ref)
    if (existing !== undefined) return existing
    const before = isStarting ? undefined : snapshotOf(ref)
    const created: StepInProgress = { before, microsteps: [], commands: [] }
    steps.set(ref, created)
    return created
  }
  const addMicrostep = (microstep: Microstep): void => {
    const { actor: ref, event, transitions, snapshot } = microstep
    const system = systems.get(ref.system)
    // The first steps of an object's actor come before it is reported.
    if (system === undefined) return
    stepOf(system, ref, isInitial(microstep)).microsteps.push({ event, transitions, snapshot })
  }
  const inspectActor = (actor: RecordedActor): void => {
    const root = actor.ref
    const system: SystemInProgress = { actor, steps: new Map() }
    systems.set(root.system, system)
    root.on(
      "*",
      observe((command: { readonly type: string }) => {
        // The charts emit only commands.
        stepOf(system, root).commands.push(command as Command)
      })
    )
    root.system.inspect(
      observe((inspection: InspectionEvent) => {
        // Of every step there are several reports, and most of them are of no interest.
        if (inspection.type !== "@xstate.snapshot" && inspection.type !== "@xstate.microstep") return
        const { actorRef: ref } = inspection
        if (!isActorRef(ref)) return
        if (inspection.type === "@xstate.microstep") {
          // An actor that is being created has no snapshot yet.
          const { before, microsteps } = stepOf(system, ref, isInitial(inspection))
          const last = microsteps.at(-1)
          microsteps.push(toInterpretedMicrostep(inspection, last?.snapshot ?? before, last?.event))
        } else {
          const step = system.steps.get(ref)
          system.steps.delete(ref)
          if (step === undefined) return
          const stepped =
            ref === root ? actor : history.childActor(actor, { id: ref.id, ref, chart: "container" })
          addStep(stepped, step, inspection.event)
        }
      })
    )
  }

  const observer: ActorObserver = {
    actorStarted: ({ uid, key, ref }) => inspectActor(history.actor({ uid, key, ref, chart: chartOf(ref) })),
    microstepTaken: addMicrostep,
    actorStopped: (uid) => {
      const actor = history.findLiving(uid)
      if (actor === undefined) return
      systems.delete(actor.ref.system)
      unseenChanges.get(actor.chart)?.delete(actor.key)
      // Its remaining commands will not be carried out.
      actor.pendingSteps.splice(0).forEach(finishStep)
      history.actorStopped(uid)
    },
    actorWoken: (chart, key, change: Change) => {
      let unseenOfChart = unseenChanges.get(chart)
      if (unseenOfChart === undefined) unseenChanges.set(chart, (unseenOfChart = new Map()))
      unseenOfChart.set(key, { change, changes: (unseenOfChart.get(key)?.changes ?? 0) + 1 })
    },
    objectMissing: (chart, key) => {
      unseenChanges.get(chart)?.delete(key)
    },
    observeCommands: (uid) => {
      const actor = history.findLiving(uid)
      const steps = actor?.pendingSteps.splice(0) ?? []
      if (actor !== undefined) actor.performingSteps = steps
      return {
        onWrite: (write, outcome) => {
          if (actor !== undefined) history.recordWrite(actor, steps, write, outcome)
        },
        finished: () => {
          if (actor?.performingSteps === steps) actor.performingSteps = []
          steps.forEach(finishStep)
        }
      }
    },
    observeWrites: (writerName) => {
      const writer = writerText(writerName)
      return {
        onWrite: (_write, outcome) => {
          if ("_tag" in outcome) return
          const { resourceVersion } = outcome.metadata
          // A dry run or an unchanged write makes no version.
          if (Number(resourceVersion) === version()) history.recordWriter(writer, resourceVersion)
        }
      }
    },
    eventRecorded: (uid, { eventType, reason, message }) => {
      for (const step of history.findLiving(uid)?.performingSteps ?? []) {
        step.events.push(`${eventType} ${reason}: ${message}`)
      }
    }
  }

  return {
    observer: guardActorObserver(observer, observe),
    knows: (query) => history.hasActor(actorPath(query)),
    steps: ({ since = 0, ...query }) =>
      history
        .stepsAt(actorPath(query))
        .filter(({ number }) => number > since)
        .map(toStep),
    follow: (query, onStep) => {
      const path = actorPath(query)
      const listeners = followers.get(path) ?? new Set()
      followers.set(path, listeners)
      listeners.add(onStep)
      return () => {
        listeners.delete(onStep)
        if (listeners.size === 0) followers.delete(path)
      }
    },
    // A container lost with its node keeps its steps, but has no state.
    actors: () =>
      history
        .allLiving()
        .filter(({ ref }) => snapshotOf(ref)?.status !== "stopped")
        .map(toStateReport),
    since: history.since,
    onStep: (listener) => {
      stepListeners.add(listener)
      return () => stepListeners.delete(listener)
    }
  }
}

/** The steps that the actors of one system, an object's and its containers', are taking. */
interface SystemInProgress {
  readonly actor: RecordedActor
  readonly steps: Map<AnyActorRef, StepInProgress>
}

/** What is known of a step so far. It ends with XState's report of the snapshot. */
interface StepInProgress {
  readonly before: ChartSnapshot | undefined
  readonly microsteps: Array<RecordedMicrostep>
  readonly commands: Array<Command>
}

export const actorPath = ({ kind, namespace, name }: StepQuery): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`

/** For actors other than containers. XState's types omit the chart that an actor runs. */
const chartOf = (ref: AnyActorRef): string => {
  const { logic } = ref as AnyActorRef & { readonly logic?: { readonly id?: string } }
  return logic?.id ?? "unknown"
}

const isActorRef = (ref: object): ref is AnyActorRef => "getSnapshot" in ref && "system" in ref

const isInitial = ({ event }: { readonly event: AnyEventObject }): boolean => event.type === "xstate.init"

/** XState's type says less, but every recorded actor runs a statechart. */
const snapshotOf = (ref: AnyActorRef): ChartSnapshot | undefined => ref.getSnapshot()

const toStateReport = ({ uid, kind, namespace, name, chart, ref }: RecordedActor): ActorStateReport => {
  const snapshot = snapshotOf(ref)
  const tags = snapshot === undefined ? [] : [...snapshot.tags]
  return {
    uid,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    chart,
    states: activeStatePaths(snapshot),
    tags,
    moving: tags.includes("moving")
  }
}
