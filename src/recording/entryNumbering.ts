/** Numbers the steps and all other entries of a cluster's recording, in one sequence. */
export interface EntryNumbering {
  readonly next: () => number
  /** Uses so many numbers, and returns the first of them. */
  readonly reserve: (count: number) => number
  readonly last: () => number
  /** Releases the last number for reuse; other numbers stay used. */
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
