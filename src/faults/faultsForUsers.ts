import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultRefused.ts"
import type { Faults, TimelineFaults } from "./activeFaults.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { UserCalls } from "../runtime/time/userCalls.ts"

type UserFaultCalls = Pick<UserCalls, "runNow" | "endNow" | "closedMillis" | "importModule" | "checkOpen">

/** Closing the cluster ends all faults. */
export const faultsForUsers = (
  faults: TimelineFaults,
  { runNow, endNow, closedMillis, importModule, checkOpen }: UserFaultCalls
): Faults => ({
  begin: (input, { isValidated = false } = {}) =>
    Effect.gen(function* () {
      const fault = isValidated ? (input as Fault) : yield* loadAndCheckFault(input, importModule)
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
  importModule: UserCalls["importModule"]
): Effect.Effect<Fault, FaultRefused> =>
  Effect.flatMap(
    importModule(() => import("./checkFault.ts")),
    ({ checkFault }) => {
      const fault = checkFault(input)
      return fault instanceof FaultRefused ? Effect.fail(fault) : Effect.succeed(fault)
    }
  )
