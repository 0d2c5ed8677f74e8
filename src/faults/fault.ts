import type { ClockFaultTypes } from "./schemas/clockFaultSchemas.ts"
import type { ControllerFaultTypes } from "./schemas/controllerFaultSchemas.ts"
import type { FaultDuration, durationFieldNames } from "./schemas/faultFields.ts"
import type { NodeFaultTypes } from "./schemas/nodeFaultSchemas.ts"
import type { PodFaultTypes } from "./schemas/podFaultSchemas.ts"
import type { QuotaFaultTypes } from "./schemas/quotaFaultSchemas.ts"
import type { WatchFaultTypes } from "./schemas/watchFaultSchemas.ts"
import type { WriteFaultTypes } from "./schemas/writeFaultSchemas.ts"

/** A failure injected on purpose. Without `for` the fault lasts until it is ended, or happens once, as `kill` does. */
export type Fault = FaultTypes[FaultName] & {
  readonly for?: FaultDuration
}

/** In code, durations may be numbers of milliseconds. */
export type FaultGiven = WithMillis<Fault>

type WithMillis<F> = F extends Fault
  ? { readonly [K in keyof F]: K extends (typeof durationFieldNames)[number] ? F[K] | number : F[K] }
  : never

export type FaultName = keyof FaultTypes

/** Import only types from the schema files: the schema library loads with the first fault. */
export interface FaultTypes
  extends
    PodFaultTypes,
    NodeFaultTypes,
    QuotaFaultTypes,
    ControllerFaultTypes,
    WriteFaultTypes,
    WatchFaultTypes,
    ClockFaultTypes {}

/** Faults that begin at random times, drawn by weight. */
export interface RandomFaults {
  /** The mean wait between faults, which is distributed exponentially. */
  readonly every: FaultDuration
  /** No fault begins before `from` or after `until`. */
  readonly from?: FaultDuration
  readonly until: FaultDuration
  readonly faults: ReadonlyArray<Fault & { /** 1 where it is left out. */ readonly weight?: number }>
}
