/** When a timer is due, and who goes before it then. */
export interface TimerPlace {
  readonly atMillis: number
  readonly rank: number
  readonly sequence: number
}

/**
 * A callback that is due at a moment. Among those due at one instant the lower rank goes first, then the
 * older.
 */
export interface Timer extends TimerPlace {
  run: () => void
  /** Its place in the heap; -1 once it has run or was cancelled. */
  place: number
}

/**
 * A binary heap of timers in which each knows its place, so that a cancelled one leaves at once and is not kept
 * until it would have been due: statecharts arm and disarm deadlines all the time.
 */
export class TimerHeap {
  readonly #timers: Array<Timer> = []
  #sequence: number

  /** Counts on from the last timer of the heap that this one takes the place of. */
  constructor(sequence = 0) {
    this.#sequence = sequence
  }

  /** How many timers there have ever been. */
  get sequence(): number {
    return this.#sequence
  }

  peek(): Timer | undefined {
    return this.#timers[0]
  }

  add(atMillis: number, rank: number, run: () => void): Timer {
    this.#sequence += 1
    return this.addAt({ atMillis, rank, sequence: this.#sequence }, run)
  }

  /** Adds a timer in the place that it had in another heap. */
  addAt({ atMillis, rank, sequence }: TimerPlace, run: () => void): Timer {
    // It would be due never, and so would those behind it.
    if (Number.isNaN(atMillis)) throw new RangeError("a timer that is due at no time")
    const timer: Timer = { atMillis, rank, sequence, run, place: this.#timers.length }
    this.#timers.push(timer)
    this.#rise(timer)
    return timer
  }

  /** How many timers wait whose rank is below a bound. */
  countBelow(rank: number): number {
    let count = 0
    for (const timer of this.#timers) if (timer.rank < rank) count += 1
    return count
  }

  remove(timer: Timer): void {
    const { place } = timer
    if (place < 0) return
    timer.place = -1
    const last = this.#timers.pop()
    if (last === undefined || last === timer) return
    this.#put(last, place)
    this.#rise(last)
    this.#sink(last)
  }

  clear(): void {
    for (const timer of this.#timers) timer.place = -1
    this.#timers.length = 0
  }

  #put(timer: Timer, place: number): void {
    this.#timers[place] = timer
    timer.place = place
  }

  #rise(timer: Timer): void {
    while (timer.place > 0) {
      const { place } = timer
      const parentPlace = (place - 1) >> 1
      const parent = this.#timers[parentPlace]
      if (parent === undefined || !isBefore(timer, parent)) return
      this.#put(parent, place)
      this.#put(timer, parentPlace)
    }
  }

  #sink(timer: Timer): void {
    for (;;) {
      const { place } = timer
      const left = this.#timers[2 * place + 1]
      const right = this.#timers[2 * place + 2]
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
      if (child === undefined || !isBefore(child, timer)) return
      const childPlace = child.place
      this.#put(child, place)
      this.#put(timer, childPlace)
    }
  }
}

const isBefore = (a: Timer, b: Timer): boolean =>
  a.atMillis !== b.atMillis
    ? a.atMillis < b.atMillis
    : a.rank !== b.rank
      ? a.rank < b.rank
      : a.sequence < b.sequence
