import { makeActorHistory, noSteps } from "./actorHistory.ts"
import { makeStepReports } from "./stepReports.ts"
import type { StepNumbering } from "./stepReports.ts"
import { toStep } from "./toStep.ts"
import { writerText } from "./writerText.ts"
import { activeStatePaths } from "./statePaths.ts"
import { inspectInterpreted, snapshotOf } from "./interpretedSteps.ts"
import { usesInterpreter } from "../../runtime/actors/macrostepReports.ts"
import type { AnyActorRef } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"
import { catchObserverErrors } from "../../runtime/actors/actorObserver.ts"
import type { ErrorCatcher } from "../../runtime/observers.ts"
import type { ActorObserver } from "../../runtime/actors/actorObserver.ts"
import type { StepLimits } from "./actorHistory.ts"
import type { TakenStep } from "./interpretedSteps.ts"
import type { RecordedActor, RecordedStep } from "./recordedStep.ts"
import type { Step } from "./step.ts"

export interface StepQuery {
  /** `Deployment`, `ReplicaSet`, `Pod`, `Container` or `Node`. */
  readonly kind: string
  readonly namespace?: string | undefined
  /** `web-1/app` for a container. */
  readonly name: string
  /** Only steps with a higher number. */
  readonly since?: number | undefined
}

export interface ActorStateReport {
  /** The uid of the object; `POD_UID/NAME` for a container. */
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly chart: string
  readonly states: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  /** Whether time alone will change the actor's state. */
  readonly moving: boolean
}

export interface StepRecorder {
  readonly observer: ActorObserver
  /** Whether the actor exists, or its steps are still kept. */
  readonly knows: (query: StepQuery) => boolean
  /** The steps in order; those of a stopped actor are kept for a while. */
  readonly steps: (query: StepQuery) => ReadonlyArray<Step>
  /** Each step is reported once its results are known. Returns how to unsubscribe. */
  readonly follow: (query: StepQuery, onStep: (step: Step) => void) => () => void
  readonly actors: () => ReadonlyArray<ActorStateReport>
  readonly stepsSince: (number: number) => ReadonlyArray<RecordedStep>
  /** Calls back for new and finished steps. Returns how to unsubscribe. */
  readonly onStep: (listener: () => void) => () => void
}

export const makeStepRecorder = ({
  catchErrors,
  ...sources
}: StepLimits & {
  readonly nowMillis: () => number
  /** The latest resource version. */
  readonly latestVersion: () => number
  readonly numbering?: StepNumbering
  /** Callbacks must not stop the cluster. */
  readonly catchErrors: ErrorCatcher
}): StepRecorder => {
  const history = makeActorHistory(sources)
  const reports = makeStepReports(history, sources)
  const roots = new Map<AnyActorRef, RecordedActor>()
  /** A container's actor is a child of its Pod's. */
  const rootOf = (ref: AnyActorRef): RecordedActor | undefined => {
    for (let at: AnyActorRef | undefined = ref; at !== undefined; at = at._parent) {
      const root = roots.get(at)
      if (root !== undefined) return root
    }
    return undefined
  }
  const addTakenStep = (taken: TakenStep): void => {
    const { actor: ref, microsteps, emitted } = taken
    const root = rootOf(ref)
    // Steps before `actorStarted` belong to no known actor and are dropped.
    if (root === undefined) return
    const isRoot = ref === root.ref
    if (microsteps.length === 0 && (!isRoot || emitted.length === 0)) return
    const actor = isRoot ? root : history.findOrAddChild(root, { id: ref.id, ref, chart: "container" })
    // Commands that the children of an object's chart emit go nowhere.
    reports.add(actor, taken, isRoot ? (emitted as ReadonlyArray<Command>) : noCommands)
  }

  const observer: ActorObserver = {
    actorStarted: ({ uid, key, ref }) => {
      if (roots.has(ref)) return
      roots.set(ref, history.findOrAddActor({ uid, key, ref, chart: chartOf(ref) }))
      // Compiled charts report through `macrostepTaken`, interpreted charts through XState's inspection.
      if (usesInterpreter(ref)) inspectInterpreted(ref, catchErrors, addTakenStep)
    },
    macrostepTaken: addTakenStep,
    actorStopped: (uid) => {
      const actor = history.findLiving(uid)
      if (actor === undefined) return
      roots.delete(actor.ref)
      reports.forgetUnseenChanges(actor.chart, actor.key)
      // The actor's remaining commands will not be carried out.
      reports.finish(takePendingSteps(actor))
      history.actorStopped(uid)
    },
    actorWoken: reports.actorWoken,
    objectMissing: reports.forgetUnseenChanges,
    observeCommands: (uid) => {
      const actor = history.findLiving(uid)
      const steps = actor === undefined ? noSteps : takePendingSteps(actor)
      if (actor !== undefined) actor.performingSteps = steps
      return {
        onWrite: (write, outcome) => {
          if (actor !== undefined) history.recordWrite(actor, steps, write, outcome)
        },
        finished: () => {
          if (actor?.performingSteps === steps) actor.performingSteps = noSteps
          reports.finish(steps)
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
          if (Number(resourceVersion) === sources.latestVersion())
            history.recordWriter(writer, resourceVersion)
        }
      }
    },
    eventRecorded: (uid, { eventType, reason, message }) => {
      for (const step of history.findLiving(uid)?.performingSteps ?? []) {
        step.events = [...step.events, `${eventType} ${reason}: ${message}`]
      }
    }
  }

  return {
    observer: catchObserverErrors(observer, catchErrors),
    knows: (query) => history.hasActor(actorPath(query)),
    steps: ({ since = 0, ...query }) =>
      history
        .stepsAt(actorPath(query))
        .filter(({ number }) => number > since)
        .map(toStep),
    follow: (query, onStep) => reports.follow(actorPath(query), onStep),
    // A container lost with its node keeps its steps, but has no state.
    actors: () =>
      history
        .allLiving()
        .filter(({ ref }) => snapshotOf(ref)?.status !== "stopped")
        .map(toStateReport),
    stepsSince: history.stepsSince,
    onStep: reports.onStep
  }
}

const takePendingSteps = (actor: RecordedActor): ReadonlyArray<RecordedStep> => {
  const { pendingSteps } = actor
  actor.pendingSteps = noSteps
  return pendingSteps
}

const noCommands: ReadonlyArray<Command> = Object.freeze([])

export const actorPath = ({ kind, namespace, name }: StepQuery): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`

/** XState's types omit the chart that an actor runs. */
const chartOf = (ref: AnyActorRef): string => {
  const { logic } = ref as AnyActorRef & { readonly logic?: { readonly id?: string } }
  return logic?.id ?? "unknown"
}

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
