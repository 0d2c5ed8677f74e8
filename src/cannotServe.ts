import { TaggedError } from "effect/Data"

/** The address cannot be had: the port is in use, or this is not for everybody. */
export class CannotServe extends TaggedError("CannotServe")<{
  readonly address: string
  readonly why: string
}> {
  override get message(): string {
    return `cannot listen on ${this.address}: ${this.why}`
  }
}
