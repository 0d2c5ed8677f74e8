import { TaggedError } from "effect/Data"
import type { StoreError } from "../store/storeErrors.ts"
import type { FaultName } from "./fault.ts"

/** The fault cannot begin, for example because its node does not exist. */
export class FaultRefused extends TaggedError("FaultRefused")<{
  readonly fault: string
  readonly why: string
  readonly cause?: StoreError
}> {
  override get message(): string {
    return `fault ${this.fault}: ${this.why}`
  }
}

export const refusedByStore = (fault: FaultName, cause: StoreError): FaultRefused =>
  new FaultRefused({ fault, why: cause.message, cause })
