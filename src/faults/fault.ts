import type { ClockFaultTypes } from "./schemas/clockFaultSchemas.ts"
import type { ControllerFaultTypes } from "./schemas/controllerFaultSchemas.ts"
import type { FaultDuration, durationFieldNames } from "./schemas/faultFields.ts"
import type { NodeFaultTypes } from "./schemas/nodeFaultSchemas.ts"
import type { PodFaultTypes } from "./schemas/podFaultSchemas.ts"
import type { QuotaFaultTypes } from "./schemas/quotaFaultSchemas.ts"
import type { WatchFaultTypes } from "./schemas/watchFaultSchemas.ts"
import type { WriteFaultTypes } from "./schemas/writeFaultSchemas.ts"

/**
 * Something that goes wrong, as data: in a story's YAML, in TypeScript, in a report. After `for` its effects end.
 * Without `for` it lasts until the end, or happens once, as `kill` does.
 */
export type Fault = FaultTypes[FaultName] & {
  readonly for?: FaultDuration
}

/** A fault given in code: its durations may be numbers, in milliseconds. */
export type FaultGiven = WithMillis<Fault>

type WithMillis<F> = F extends Fault
  ? { readonly [K in keyof F]: K extends (typeof durationFieldNames)[number] ? F[K] | number : F[K] }
  : never

export type FaultName = keyof FaultTypes

/**
 * Every fault by its name. The types of faults stand beside their schemas, of which programs load nothing until a
 * fault is given: import only types from there.
 */
export interface FaultTypes
  extends
    PodFaultTypes,
    NodeFaultTypes,
    QuotaFaultTypes,
    ControllerFaultTypes,
    WriteFaultTypes,
    WatchFaultTypes,
    ClockFaultTypes {}

/** Faults that begin at random times: each time one of `faults` is drawn by its weight. */
export interface RandomFaults {
  /** The mean of the exponential distribution that waits are drawn from. */
  readonly every: FaultDuration
  /** No fault begins before `from` or after `until`; a story settles only after its faults have ended. */
  readonly from?: FaultDuration
  readonly until: FaultDuration
  readonly faults: ReadonlyArray<Fault & { /** 1 where it is left out. */ readonly weight?: number }>
}
