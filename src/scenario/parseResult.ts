export interface TextProblem {
  /** From 1. */
  readonly column: number
  readonly message: string
}

export type ParseResult<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly problems: ReadonlyArray<TextProblem> }
