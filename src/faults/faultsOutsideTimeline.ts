import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultRefused.ts"
import type { Faults, TimelineFaults } from "./activeFaults.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { TimelineGate } from "../runtime/time/timelineGate.ts"

/** What runs and ends faults on the timeline, and tells whether and when the cluster was closed. */
type FaultGate = Pick<
  TimelineGate,
  "runAtPresent" | "endAtPresent" | "closedMillis" | "whileLoading" | "checkOpen"
>

/**
 * Faults for callers outside the cluster's timeline: enters the timeline for each call. A fault that lasts when the
 * cluster closes ends then.
 */
export const faultsOutsideTimeline = (
  faults: TimelineFaults,
  { runAtPresent, endAtPresent, closedMillis, whileLoading, checkOpen }: FaultGate
): Faults => ({
  begin: (input, { isValidated = false } = {}) =>
    Effect.gen(function* () {
      const fault = isValidated ? (input as Fault) : yield* validateFault(input, whileLoading)
      const handle = yield* runAtPresent(faults.begin(fault))
      const endedMillis = (): number | undefined => handle.endedMillis() ?? closedMillis()
      return { ...handle, endedMillis, end: endAtPresent(handle.end) }
    }),
  keepsMoving: faults.keepsMoving,
  podEffects: faults.podEffects,
  active: () => {
    checkOpen()
    return faults.active().map((it) => ({ ...it, end: endAtPresent(it.end) }))
  }
})

/** Loads the schema library only when a fault is given. */
const validateFault = (
  input: FaultGiven,
  whileLoading: TimelineGate["whileLoading"]
): Effect.Effect<Fault, FaultRefused> =>
  Effect.flatMap(
    whileLoading(() => import("./checkFault.ts")),
    ({ checkFault }) => {
      const fault = checkFault(input)
      return fault instanceof FaultRefused ? Effect.fail(fault) : Effect.succeed(fault)
    }
  )
