import { evaluateMicrostep } from "./microstepEvaluation.ts"
import type { AnyEventObject, InspectedMicrostepEvent } from "xstate"
import type { ChartSnapshot, RecordedMicrostep } from "./recordedStep.ts"

/**
 * A microstep that XState's interpreter has reported, with the transitions taken, which XState does not publish.
 * `before` is undefined for an actor that is being created; its first microstep takes eventless transitions.
 */
export const toInterpretedMicrostep = (
  { event, snapshot }: Pick<InspectedMicrostepEvent, "event" | "snapshot">,
  before: ChartSnapshot | undefined,
  previousEvent: AnyEventObject | undefined
): RecordedMicrostep => {
  // XState's type says less, but every recorded actor runs a statechart.
  const after = snapshot as unknown as ChartSnapshot
  const isEventless = before === undefined || event === previousEvent
  const { enabled } = evaluateMicrostep(before ?? initialSnapshot(after), event, isEventless)
  return { event, transitions: enabled, snapshot: after }
}

/** A snapshot of the initial states. */
const initialSnapshot = (snapshot: ChartSnapshot): ChartSnapshot => ({ ...snapshot, value: {} })
