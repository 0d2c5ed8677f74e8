import { activeStatePaths, activeStates } from "./statePaths.ts"
import { evaluateMicrostep } from "./microstepEvaluation.ts"
import { configurationAfter, initialConfiguration } from "../../compiler/microstepPlan.ts"
import type { AnyEventObject, AnyTransitionDefinition, InspectedMicrostepEvent } from "xstate"
import type { ChartSnapshot, RecordedMicrostep } from "./recordedStep.ts"

/**
 * No documented field of XState's report has the transitions taken: the guards are evaluated again. `before` is
 * undefined for an actor's first microstep.
 */
export const toInterpretedMicrostep = (
  { event, snapshot }: Pick<InspectedMicrostepEvent, "event" | "snapshot">,
  before: ChartSnapshot | undefined,
  previousEvent: AnyEventObject | undefined
): RecordedMicrostep => {
  // XState's type says less, but every recorded actor runs a statechart.
  const after = snapshot as unknown as ChartSnapshot
  const snapshots = before === undefined ? initialSnapshots(after) : [before]
  const guesses = eventlessGuesses(event, previousEvent).flatMap((isEventless) =>
    snapshots.flatMap((from) => guessTransitions(from, event, isEventless))
  )
  const likeliestGuess = guesses.find((guess) => leadsTo(guess, after)) ?? guesses[0]
  return { event, transitions: likeliestGuess?.transitions ?? [], snapshot: after }
}

interface PossibleTransitions {
  readonly before: ChartSnapshot
  readonly transitions: ReadonlyArray<AnyTransitionDefinition>
}

/**
 * Whether the microstep was eventless, the likelier answer first: an eventless one repeats the event before, and so
 * does an event that is raised twice.
 */
const eventlessGuesses = (
  event: AnyEventObject,
  previousEvent: AnyEventObject | undefined
): ReadonlyArray<boolean> => {
  if (event.type === "xstate.stop") return []
  if (event.type === "xstate.init") return [true]
  return event === previousEvent ? [true, false] : [false]
}

/** If a guard throws, XState must have evaluated something else. */
const guessTransitions = (
  before: ChartSnapshot,
  event: AnyEventObject,
  isEventless: boolean
): ReadonlyArray<PossibleTransitions> => {
  try {
    const { enabled: transitions } = evaluateMicrostep(before, event, isEventless)
    return transitions.length === 0 ? [] : [{ before, transitions }]
  } catch {
    return []
  }
}

const leadsTo = ({ before, transitions }: PossibleTransitions, after: ChartSnapshot): boolean => {
  const { value } = configurationAfter(
    before.machine.root,
    activeStates(before),
    transitions,
    before.historyValue
  )
  return activeStatePaths({ ...after, value }).join() === activeStatePaths(after).join()
}

/**
 * Possible snapshots before the first microstep, the likelier first: with the chart's context, then with the context
 * after the microstep, which entry actions may have changed. A function that makes the context may spawn actors, and is
 * not called.
 */
const initialSnapshots = (after: ChartSnapshot): ReadonlyArray<ChartSnapshot> => {
  const { machine } = after
  const { value } = initialConfiguration(machine.root)
  const initial = { ...after, value, historyValue: {} }
  const { context = {} } = machine.config as { readonly context?: unknown }
  return typeof context === "function" ? [initial] : [{ ...initial, context }, initial]
}
