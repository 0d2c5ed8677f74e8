import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultRefused.ts"
import type { Faults, TimelineFaults } from "./activeFaults.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { UserCalls } from "../runtime/time/userCalls.ts"

type UserFaultCalls = Pick<UserCalls, "runNow" | "endNow" | "closedMillis" | "whileLoading" | "checkOpen">

/** Closing the cluster ends all faults. */
export const faultsForUsers = (
  faults: TimelineFaults,
  { runNow, endNow, closedMillis, whileLoading, checkOpen }: UserFaultCalls
): Faults => ({
  begin: (input, { isValidated = false } = {}) =>
    Effect.gen(function* () {
      const fault = isValidated ? (input as Fault) : yield* loadAndCheckFault(input, whileLoading)
      const handle = yield* runNow(faults.begin(fault))
      const endedMillis = (): number | undefined => handle.endedMillis() ?? closedMillis()
      return { ...handle, endedMillis, end: endNow(handle.end) }
    }),
  keepsMoving: faults.keepsMoving,
  podEffects: faults.podEffects,
  active: () => {
    checkOpen()
    return faults.active().map((it) => ({ ...it, end: endNow(it.end) }))
  }
})

const loadAndCheckFault = (
  input: FaultGiven,
  whileLoading: UserCalls["whileLoading"]
): Effect.Effect<Fault, FaultRefused> =>
  Effect.flatMap(
    whileLoading(() => import("./checkFault.ts")),
    ({ checkFault }) => {
      const fault = checkFault(input)
      return fault instanceof FaultRefused ? Effect.fail(fault) : Effect.succeed(fault)
    }
  )
