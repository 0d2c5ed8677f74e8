export interface Numbering {
  readonly next: () => number
  readonly last: () => number
  /** Releases the last number for reuse; other numbers stay used. */
  readonly giveBack: (number: number) => void
}

export const makeNumbering = (): Numbering => {
  let last = 0
  return {
    next: () => (last += 1),
    last: () => last,
    giveBack: (number) => {
      if (number === last) last -= 1
    }
  }
}
