import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultRefused.ts"
import type { Faults, TimelineFaults } from "./activeFaults.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { TimelineGate } from "../runtime/time/timelineGate.ts"

type FaultGate = Pick<
  TimelineGate,
  "runAtPresent" | "endAtPresent" | "closedMillis" | "whileLoading" | "checkOpen"
>

/** Each call enters the cluster's timeline. The closing of the cluster ends all faults. */
export const faultsOutsideTimeline = (
  faults: TimelineFaults,
  { runAtPresent, endAtPresent, closedMillis, whileLoading, checkOpen }: FaultGate
): Faults => ({
  begin: (input, { isValidated = false } = {}) =>
    Effect.gen(function* () {
      const fault = isValidated ? (input as Fault) : yield* loadAndCheckFault(input, whileLoading)
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

const loadAndCheckFault = (
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
