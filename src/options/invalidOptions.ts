import { TaggedError } from "effect/Data"
import { isFields } from "../kubernetes/meta/fields.ts"
import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"

export class InvalidOptions extends TaggedError("InvalidOptions")<{
  readonly problems: ReadonlyArray<string>
}> {
  override get message(): string {
    return this.problems.join("; ")
  }
}

/** `owner`: what has the options, such as `a cluster`. */
export const unknownOptionProblems = (
  options: object,
  { owner, names }: { readonly owner: string; readonly names: ReadonlyArray<string> }
): ReadonlyArray<string> =>
  Object.keys(options)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const suggestion = nearestWord(name, names)
      const hint =
        suggestion === undefined ? `the options are ${names.join(", ")}` : `did you mean ${suggestion}?`
      return `${name} is no option of ${owner}: ${hint}`
    })

export const formatOptionValue = (value: unknown): string =>
  typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value))

export type OptionCheck = (name: string, value: unknown) => ReadonlyArray<string>

/**
 * Checks by hand: loading effect/Schema would make import and `openCluster` a fifth slower. `isValueInMessage` keeps
 * secrets out of the message.
 */
export const mustBe =
  (
    expected: string,
    isValid: (value: unknown) => boolean,
    { isValueInMessage = () => true }: { readonly isValueInMessage?: (value: unknown) => boolean } = {}
  ): OptionCheck =>
  (name, value) => {
    if (value === undefined || isValid(value)) return []
    return [
      `${name} must be ${expected}${isValueInMessage(value) ? `, not ${formatOptionValue(value)}` : ""}`
    ]
  }

export const integerUpTo = (max: number): OptionCheck =>
  mustBe(`an integer from 0 to ${max}`, (value) => isInteger(value) && value >= 0 && value <= max)

const isInteger = (value: unknown): value is number => Number.isInteger(value)

export type OptionChecks<A> = Readonly<Record<keyof A, OptionCheck>>

export type OptionNames<A> = Readonly<Record<keyof A, true>>

/** Throws for an unknown name: a misspelt option would be ignored silently. */
export const validateOptionNames = <A extends object>(
  owner: string,
  options: A,
  names: OptionNames<A>
): A => {
  const problems = isFields(options)
    ? unknownOptionProblems(options, { owner, names: Object.keys(names) })
    : [`the options of ${owner} must be an object, not ${formatOptionValue(options)}`]
  if (problems.length > 0) throw new InvalidOptions({ problems })
  return options
}
