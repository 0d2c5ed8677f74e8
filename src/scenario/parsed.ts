/** What is wrong with a text, and at which of its characters, from 1. */
export interface TextProblem {
  readonly column: number
  readonly message: string
}

/** What a text says, or all that is wrong with it. */
export type Parsed<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly problems: ReadonlyArray<TextProblem> }
