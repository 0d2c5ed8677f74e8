import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultWorld.ts"
import type { Faults, FaultsWithin } from "./begin.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { Entrance } from "../runtime/entrance.ts"

/** Faults for callers outside the cluster's timeline: enters the timeline for each call. */
export const faultsFor = (
  faults: FaultsWithin,
  { here, loading, checkOpen }: Pick<Entrance, "here" | "loading" | "checkOpen">
): Faults => ({
  begin: (given, { isChecked = false } = {}) =>
    Effect.gen(function* () {
      // The caller has decoded it.
      const fault = isChecked ? (given as Fault) : yield* checked(given, loading)
      const begun = yield* here(faults.begin(fault))
      return { ...begun, end: here(begun.end) }
    }),
  isRestless: faults.isRestless,
  befalls: faults.befalls,
  active: () => {
    checkOpen()
    return faults.active().map((it) => ({ ...it, end: here(it.end) }))
  }
})

/** Loads the schema library only when a fault is given. */
const checked = (given: FaultGiven, loading: Entrance["loading"]): Effect.Effect<Fault, FaultRefused> =>
  Effect.flatMap(
    loading(() => import("./checkFault.ts")),
    ({ checkFault }) => {
      const fault = checkFault(given)
      return fault instanceof FaultRefused ? Effect.fail(fault) : Effect.succeed(fault)
    }
  )
