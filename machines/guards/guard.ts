/** A guard's meaning in a few words; a pair if the words for "does not hold" differ. */
export type GuardWording = string | readonly [holds: string, fails: string]

interface GuardMeaning<Args> {
  readonly words: GuardWording
  /** The numbers that the guard compares, for `charthouse why`. */
  readonly reason: (args: Args) => string
}

export type ExplainedGuard<Args> = ((args: Args) => boolean) & GuardMeaning<Args>

/** Words and reason are optional in a strategy of the user. */
export type ChartGuard<Args> = ((args: Args) => boolean) & Partial<GuardMeaning<Args>>

/** A new function with words and reason, since other guards may share the predicate. */
export const explainGuard = <Args>(
  predicate: (args: Args) => boolean,
  words: GuardWording,
  reason: (args: Args) => string
): ExplainedGuard<Args> => Object.assign((args: Args) => predicate(args), { words, reason })

export const findGuard = (
  guards: Readonly<Record<string, unknown>>,
  name: string
): ChartGuard<AnyGuardArgs> | undefined =>
  // Callers pass the context and the events of the machine that owns the guard.
  Object.hasOwn(guards, name) ? (guards[name] as ChartGuard<AnyGuardArgs>) : undefined

export interface AnyGuardArgs {
  readonly context: unknown
  readonly event: { readonly type: string }
}

/** Labelled numbers of an actor's observation, for people; empty without an observation. */
export type ObservedNumbers = (
  context: unknown,
  event: { readonly type: string }
) => ReadonlyArray<readonly [label: string, value: number | string]>
