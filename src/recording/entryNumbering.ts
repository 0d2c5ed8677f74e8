/** Steps and all other entries share one sequence. */
export interface EntryNumbering {
  readonly next: () => number
  /** Reserves `count` numbers, and returns the first of them. */
  readonly reserve: (count: number) => number
  readonly last: () => number
  /** Only the last number can be used again. */
  readonly release: (number: number) => void
}

export const makeEntryNumbering = (): EntryNumbering => {
  let last = 0
  return {
    next: () => (last += 1),
    reserve: (count) => {
      last += count
      return last - count + 1
    },
    last: () => last,
    release: (number) => {
      if (number === last) last -= 1
    }
  }
}
