import { toStep } from "./toStep.ts"
import { toStepCause } from "./stepCause.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ActorHistory } from "./actorHistory.ts"
import type { TakenStep } from "./interpretedSteps.ts"
import type { RecordedActor, RecordedStep } from "./recordedStep.ts"
import type { Step, StepWrite } from "./step.ts"
import type { UnseenChanges } from "./stepCause.ts"

export interface StepReports {
  readonly add: (actor: RecordedActor, taken: TakenStep, commands: ReadonlyArray<Command>) => void
  /** The commands of the steps have been performed, or will not be. */
  readonly finish: (steps: ReadonlyArray<RecordedStep>) => void
  /** The change is the cause of the actor's next `observed` step. */
  readonly actorWoken: (chart: string, key: Key, change: Change) => void
  readonly forgetUnseenChanges: (chart: string, key: Key) => void
  /** Reports finished steps of a path such as `Pod default/web-1`. Returns how to stop it. */
  readonly follow: (path: string, onStep: (step: Step) => void) => () => void
  readonly onStep: (listener: () => void) => () => void
}

/** Steps share the sequence with other entries of a recording. */
export interface StepNumbering {
  readonly next: () => number
  readonly last: () => number
}

const makeStepNumbering = (): StepNumbering => {
  let last = 0
  return { next: () => (last += 1), last: () => last }
}

export const makeStepReports = (
  history: ActorHistory,
  sources: {
    readonly nowMillis: () => number
    /** The latest resource version. */
    readonly latestVersion: () => number
    /** By default the steps have a sequence of their own. */
    readonly numbering?: StepNumbering
  }
): StepReports => {
  const { nowMillis, latestVersion, numbering = makeStepNumbering() } = sources
  const stepListeners = new Set<() => void>()
  /** By chart, then by key: one key made of both would be a new text for every change and step. */
  const unseenChanges = new Map<string, Map<Key, UnseenChanges>>()
  const followers = new Map<string, Set<(step: Step) => void>>()

  const notify = (): void => {
    for (const listener of stepListeners) listener()
  }
  const finishStep = (step: RecordedStep): void => {
    step.finishedAfterNumber = numbering.last()
    notify()
    const listeners = followers.get(step.actor.path)
    if (listeners === undefined) return
    const rendered = toStep(step)
    for (const listener of listeners) listener(rendered)
  }

  return {
    add: (actor, { event, before, microsteps }, commands) => {
      if (event.type === "xstate.stop") return
      const { chart, key } = actor
      const unseen = event.type === "observed" ? unseenChanges.get(chart)?.get(key) : undefined
      if (unseen !== undefined) unseenChanges.get(chart)?.delete(key)
      const cause = unseen === undefined ? undefined : toStepCause(unseen, history.writerOf)
      // Hot path: a literal without a spread gives all steps the same hidden class in V8.
      const step: RecordedStep = {
        number: numbering.next(),
        atMillis: nowMillis(),
        actor,
        event,
        before,
        microsteps,
        commands,
        because: cause,
        version: latestVersion(),
        writes: noWrites,
        events: noEventTexts,
        finishedAfterNumber: undefined
      }
      history.add(step)
      // The writes of a step are known once its commands have been performed. `lookAgain` only sets a timer.
      if (commands.some(({ type }) => type !== "lookAgain")) {
        actor.pendingSteps = [...actor.pendingSteps, step]
        notify()
      } else finishStep(step)
    },
    finish: (steps) => steps.forEach(finishStep),
    actorWoken: (chart, key, change) => {
      let unseenOfChart = unseenChanges.get(chart)
      if (unseenOfChart === undefined) unseenChanges.set(chart, (unseenOfChart = new Map()))
      unseenOfChart.set(key, { change, count: (unseenOfChart.get(key)?.count ?? 0) + 1 })
    },
    forgetUnseenChanges: (chart, key) => {
      unseenChanges.get(chart)?.delete(key)
    },
    follow: (path, onStep) => {
      const listeners = followers.get(path) ?? new Set()
      followers.set(path, listeners)
      listeners.add(onStep)
      return () => {
        listeners.delete(onStep)
        if (listeners.size === 0) followers.delete(path)
      }
    },
    onStep: (listener) => {
      stepListeners.add(listener)
      return () => stepListeners.delete(listener)
    }
  }
}

/** Shared by all steps without writes, to save memory. */
const noWrites: Array<StepWrite> = []
/** For commands that record no Events. */
const noEventTexts: ReadonlyArray<string> = Object.freeze([])
