import { requiredField, DurationSchema } from "../../behaviours/fieldSchemas.ts"
import { faultSchema } from "./faultFields.ts"
import type { FaultDuration, FaultSchemas } from "./faultFields.ts"

export interface ClockFaultTypes {
  /** The clock jumps as after a machine's sleep: timers that are due meanwhile fire late. */
  readonly clockJump: { readonly fault: "clockJump"; readonly by: FaultDuration }
}

export const clockFaultSchemas = {
  clockJump: faultSchema(
    "clockJump",
    "The clock jumps, as after a machine's sleep: everything that was due is late.",
    {
      by: requiredField(DurationSchema, "The delay.")
    }
  )
} as const satisfies FaultSchemas<ClockFaultTypes>
