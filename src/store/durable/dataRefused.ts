import { TaggedError } from "effect/Data"

/** A data directory that cannot be used. */
export class DataRefused extends TaggedError("DataRefused")<{
  readonly directory: string
  readonly why: string
}> {
  override get message(): string {
    return `data directory ${this.directory}: ${this.why}`
  }
}
