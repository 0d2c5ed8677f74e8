import { TaggedError } from "effect/Data"

/** A patch that cannot be applied, or whose result is no valid object of its kind. */
export class UnapplicablePatch extends TaggedError("UnapplicablePatch")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}
