/** Worst first. */
export const verdictNames = ["stuck", "unknown", "risky", "ships"] as const

/**
 * `ships`: it completes, and no request is lost. `risky`: it completes, at a price. `stuck`: with some seeds it misses its deadline or
 * never completes. `unknown`: something decides about it that is not played.
 */
export type VerdictName = (typeof verdictNames)[number]

export interface ReasonedVerdict {
  readonly verdict: VerdictName
  /** Why, a clause each, the weightiest first; none for `ships`. */
  readonly reasons: ReadonlyArray<string>
}

export const worstVerdict = (verdicts: ReadonlyArray<VerdictName>): VerdictName =>
  verdictNames.find((name) => verdicts.includes(name)) ?? "ships"

export const byVerdict = (a: ReasonedVerdict, b: ReasonedVerdict): number =>
  verdictNames.indexOf(a.verdict) - verdictNames.indexOf(b.verdict)
