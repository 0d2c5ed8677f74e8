import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultWorld.ts"
import type { Faults, TimelineFaults } from "./begin.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { Entrance } from "../runtime/entrance.ts"

/** Faults for callers outside the cluster's timeline: enters the timeline for each call. */
export const faultsFor = (
  faults: TimelineFaults,
  { here, loading, checkOpen }: Pick<Entrance, "here" | "loading" | "checkOpen">
): Faults => ({
  begin: (input, { isChecked = false } = {}) =>
    Effect.gen(function* () {
      const fault = isChecked ? (input as Fault) : yield* validateFault(input, loading)
      const handle = yield* here(faults.begin(fault))
      return { ...handle, end: here(handle.end) }
    }),
  isRestless: faults.isRestless,
  befalls: faults.befalls,
  active: () => {
    checkOpen()
    return faults.active().map((it) => ({ ...it, end: here(it.end) }))
  }
})

/** Loads the schema library only when a fault is given. */
const validateFault = (input: FaultGiven, loading: Entrance["loading"]): Effect.Effect<Fault, FaultRefused> =>
  Effect.flatMap(
    loading(() => import("./checkFault.ts")),
    ({ checkFault }) => {
      const fault = checkFault(input)
      return fault instanceof FaultRefused ? Effect.fail(fault) : Effect.succeed(fault)
    }
  )
