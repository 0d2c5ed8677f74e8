/** A guard's meaning in a few words; a pair if its negation needs words of its own. */
export type GuardWording = string | readonly [holds: string, fails: string]

/** `Args` are the arguments of XState's guards: context and event. */
interface GuardMeaning<Args> {
  /** For drawings. */
  readonly words: GuardWording
  /** What it compares, in numbers, whether it holds or not: for `charthouse why`. */
  readonly reason: (args: Args) => string
}

export type ExplainedGuard<Args> = ((args: Args) => boolean) & GuardMeaning<Args>

/** A guard that may lack a meaning: its name then stands for it. */
export type ChartGuard<Args> = ((args: Args) => boolean) & Partial<GuardMeaning<Args>>

export const explainGuard = <Args>(
  predicate: (args: Args) => boolean,
  words: GuardWording,
  reason: (args: Args) => string
): ExplainedGuard<Args> => Object.assign((args: Args) => predicate(args), { words, reason })

/** A guard of a machine, with its meaning if it has one. `guards` are the machine's implementations. */
export const findGuard = (
  guards: Readonly<Record<string, unknown>>,
  name: string
): ChartGuard<AnyGuardArgs> | undefined =>
  // XState evaluates a guard with its own machine's context and events, and so does `charthouse why`.
  Object.hasOwn(guards, name) ? (guards[name] as ChartGuard<AnyGuardArgs>) : undefined

export interface AnyGuardArgs {
  readonly context: unknown
  readonly event: { readonly type: string }
}

/** The numbers that a chart's actor observed, each with its label, for people. Empty without an observation. */
export type ObservedNumbers = (
  context: unknown,
  event: { readonly type: string }
) => ReadonlyArray<readonly [label: string, value: number | string]>
