/** A guard's meaning in a few words; a pair if the words for "does not hold" differ. */
export type GuardWording = string | readonly [holds: string, fails: string]

/** `Args` are the context and the event that XState passes to a guard. */
interface GuardMeaning<Args> {
  readonly words: GuardWording
  /** The numbers that the guard compares, for `charthouse why`. */
  readonly reason: (args: Args) => string
}

export type ExplainedGuard<Args> = ((args: Args) => boolean) & GuardMeaning<Args>

/** A guard that need not be explained: a strategy of the user's may leave out words and reason. */
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
  // The machine that owns the guard passes it its own context and events, and so does `charthouse why`.
  Object.hasOwn(guards, name) ? (guards[name] as ChartGuard<AnyGuardArgs>) : undefined

export interface AnyGuardArgs {
  readonly context: unknown
  readonly event: { readonly type: string }
}

/** Labelled numbers of an actor's observation, for people. Empty without an observation. */
export type ObservedNumbers = (
  context: unknown,
  event: { readonly type: string }
) => ReadonlyArray<readonly [label: string, value: number | string]>
