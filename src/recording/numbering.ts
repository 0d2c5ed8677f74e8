/** One numbering of all that happens. */
export interface Numbering {
  readonly next: () => number
  readonly last: () => number
}

export const makeNumbering = (): Numbering => {
  let last = 0
  return { next: () => (last += 1), last: () => last }
}
