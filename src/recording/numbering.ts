/** One numbering of all that happens. */
export interface Numbering {
  readonly next: () => number
  readonly last: () => number
  /** What had the last number never happened: it is the next one's. Any other stays. */
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
