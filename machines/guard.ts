/** A guard's meaning in a few words; a pair if its negation needs words of its own. */
export type GuardWording = string | readonly [holds: string, fails: string]

interface GuardMeaning<Moment> {
  /** For drawings. */
  readonly words: GuardWording
  /** What it compares, in numbers, whether it holds or not: for `charthouse why`. */
  readonly reason: (moment: Moment) => string
}

export type ExplainedGuard<Moment> = ((moment: Moment) => boolean) & GuardMeaning<Moment>

/** A guard that may lack a meaning: its name then stands for it. */
export type ChartGuard<Moment> = ((moment: Moment) => boolean) & Partial<GuardMeaning<Moment>>

export const explainGuard = <Moment>(
  holds: (moment: Moment) => boolean,
  words: GuardWording,
  reason: (moment: Moment) => string
): ExplainedGuard<Moment> => Object.assign((moment: Moment) => holds(moment), { words, reason })

/** A guard of a machine, with its meaning if it has one. `guards` are the machine's implementations. */
export const findGuard = (
  guards: Readonly<Record<string, unknown>>,
  name: string
): ChartGuard<AnyMoment> | undefined =>
  // XState evaluates a guard with its own machine's context and events, and so does `charthouse why`.
  Object.hasOwn(guards, name) ? (guards[name] as ChartGuard<AnyMoment>) : undefined

export interface AnyMoment {
  readonly context: unknown
  readonly event: { readonly type: string }
}
