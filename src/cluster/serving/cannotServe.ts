import { TaggedError } from "effect/Data"

export class CannotServe extends TaggedError("CannotServe")<{
  readonly address: string
  readonly why: string
}> {
  override get message(): string {
    return `cannot listen on ${this.address}: ${this.why}`
  }
}
