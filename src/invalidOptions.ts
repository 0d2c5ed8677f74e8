import { TaggedError } from "effect/Data"
import { isFields } from "./domain/fields.ts"
import { nearest } from "./domain/nearest.ts"

/** Options that cannot be meant, all of them. */
export class InvalidOptions extends TaggedError("InvalidOptions")<{
  readonly problems: ReadonlyArray<string>
}> {
  override get message(): string {
    return this.problems.join("; ")
  }
}

/** What options say that means nothing: a name that is spelt wrong would change nothing, and nobody would see it. */
export const unknownOptions = (
  given: object,
  { of, names }: { readonly of: string; readonly names: ReadonlyArray<string> }
): ReadonlyArray<string> =>
  Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const meant = nearest(name, names)
      const hint = meant === undefined ? `${names.join(", ")} are` : `did you mean ${meant}?`
      return `${name} is no option of ${of}: ${hint}`
    })

/** A value as options show it that cannot be meant. */
export const spelt = (value: unknown): string =>
  typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value))

/** The names of what may be said, each once: a table that the compiler keeps complete. */
export type NamesOf<A> = Readonly<Record<keyof A, true>>

/**
 * The options of a call, where all of them can be meant.
 *
 * @throws InvalidOptions
 */
export const meantFor = <A extends object>(of: string, given: A, names: NamesOf<A>): A => {
  const problems = isFields(given)
    ? unknownOptions(given, { of, names: Object.keys(names) })
    : [`the options of ${of} must be an object, not ${spelt(given)}`]
  if (problems.length > 0) throw new InvalidOptions({ problems })
  return given
}
