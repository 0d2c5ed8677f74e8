/** A problem in a text of one line. `column` counts characters from 1. */
export interface TextProblem {
  readonly column: number
  readonly message: string
}

export type ParseResult<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly problems: ReadonlyArray<TextProblem> }
