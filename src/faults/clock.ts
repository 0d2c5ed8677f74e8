import * as Effect from "effect/Effect"
import { FaultRefused, readMillis } from "./faultWorld.ts"
import { parseDuration } from "../domain/durations.ts"
import type { Beginnings } from "./faultWorld.ts"

/** Time that is suddenly later, as on a machine that has slept. It never goes back. */
export const clockFaults: Beginnings<"clockJump"> = {
  clockJump: ({ by }, { jump }) => {
    if ((parseDuration(by) ?? 1) <= 0) {
      const why = `by must be more than 0, not ${by}: time only goes forward`
      return Effect.fail(new FaultRefused({ fault: "clockJump", why }))
    }
    return Effect.map(readMillis("clockJump", "by", by), (millis) => {
      jump(millis)
      return undefined
    })
  }
}
