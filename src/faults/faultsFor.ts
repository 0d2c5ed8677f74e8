import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultWorld.ts"
import type { Faults, FaultsWithin } from "./begin.ts"
import type { Fault, FaultGiven } from "./fault.ts"
import type { Entrance } from "../runtime/entrance.ts"

/** The faults of a cluster for those who are not on its timeline, and come to it by its entrance. */
export const faultsFor = (
  faults: FaultsWithin,
  { here, loading, checkOpen }: Pick<Entrance, "here" | "loading" | "checkOpen">
): Faults => ({
  begin: (given, { isChecked = false } = {}) =>
    Effect.gen(function* () {
      // Whoever has read it says that it is as a file would have it.
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

/** Reading a fault needs the whole schema library, which nobody waits for who begins none. */
const checked = (given: FaultGiven, loading: Entrance["loading"]): Effect.Effect<Fault, FaultRefused> =>
  Effect.flatMap(
    loading(() => import("./checkFault.ts")),
    ({ checkFault }) => {
      const fault = checkFault(given)
      return fault instanceof FaultRefused ? Effect.fail(fault) : Effect.succeed(fault)
    }
  )
