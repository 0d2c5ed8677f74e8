import { requiredField, DurationSchema } from "../../behaviours/fieldSchemas.ts"
import { faultSchema, partyField, readsField } from "./faultFields.ts"
import type { FaultDuration, FaultSchemas, Party, ReadScope } from "./faultFields.ts"

export interface WatchFaultTypes {
  readonly watchLate: {
    readonly fault: "watchLate"
    readonly of: Party
    readonly by: FaultDuration
    readonly reads?: ReadScope
  }
  /** At the end the client lists again and sees only the outcome of what happened. */
  readonly watchDropped: { readonly fault: "watchDropped"; readonly of: Party }
  readonly watchRepeated: { readonly fault: "watchRepeated"; readonly of: Party }
  /** Cached reads show the objects of the fault's beginning. */
  readonly staleReads: { readonly fault: "staleReads"; readonly of: Party; readonly reads?: ReadScope }
}

export const watchFaultSchemas = {
  watchLate: faultSchema("watchLate", "Watch events arrive later.", {
    of: partyField,
    by: requiredField(DurationSchema, "The delay."),
    reads: readsField
  }),
  watchDropped: faultSchema(
    "watchDropped",
    "Watches break. After the fault, clients list again and observe only the resulting state.",
    { of: partyField }
  ),
  watchRepeated: faultSchema("watchRepeated", "Every watch event arrives twice.", { of: partyField }),
  staleReads: faultSchema(
    "staleReads",
    "Reads and lists from a cache return the state as of the beginning of the fault.",
    { of: partyField, reads: readsField }
  )
} as const satisfies FaultSchemas<WatchFaultTypes>
