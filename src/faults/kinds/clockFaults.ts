import * as Effect from "effect/Effect"
import { FaultRefused } from "../faultRefused.ts"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import type { FaultKinds } from "../faultKind.ts"
import type { ClockFaultTypes } from "../schemas/clockFaultSchemas.ts"

export const clockFaults: FaultKinds<keyof ClockFaultTypes> = {
  clockJump: {
    text: ({ by }) => `the clock jumps ahead by ${by}`,
    begin: ({ fault, by }, { jumpClock }) =>
      Effect.suspend(() => {
        const millis = toDurationMillis(by, "by")
        if (millis > 0) return Effect.sync(() => jumpClock(millis))
        const why = `by must be more than 0, not ${by}: time only goes forward`
        return Effect.fail(new FaultRefused({ fault, why }))
      })
  }
}
