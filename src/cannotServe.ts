import { TaggedError } from "effect/Data"

/** The server cannot listen: the port is in use, or listening there is not permitted. */
export class CannotServe extends TaggedError("CannotServe")<{
  readonly address: string
  readonly why: string
}> {
  override get message(): string {
    return `cannot listen on ${this.address}: ${this.why}`
  }
}
