/** When a timer is due, and its order among timers of the same instant: lower rank, then lower sequence first. */
export interface TimerPlace {
  readonly atMillis: number
  readonly rank: number
  readonly sequence: number
}

export interface Timer extends TimerPlace {
  run: () => void
  /** -1 when the timer has run or was cancelled. */
  heapIndex: number
}

/** A binary heap. Each timer knows its index, so that cancelling removes it at once: charts do so all the time. */
export class TimerHeap {
  readonly #timers: Array<Timer> = []
  #sequence: number

  constructor(sequence = 0) {
    this.#sequence = sequence
  }

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

  addAt({ atMillis, rank, sequence }: TimerPlace, run: () => void): Timer {
    // NaN compares with nothing: the timer, and all below it in the heap, would never be due.
    if (Number.isNaN(atMillis)) throw new RangeError("a timer that is due at no time")
    const timer: Timer = { atMillis, rank, sequence, run, heapIndex: this.#timers.length }
    this.#timers.push(timer)
    this.#rise(timer)
    return timer
  }

  countBelow(rank: number): number {
    let count = 0
    for (const timer of this.#timers) if (timer.rank < rank) count += 1
    return count
  }

  remove(timer: Timer): void {
    const { heapIndex } = timer
    if (heapIndex < 0) return
    timer.heapIndex = -1
    const last = this.#timers.pop()
    if (last === undefined || last === timer) return
    this.#put(last, heapIndex)
    this.#rise(last)
    this.#sink(last)
  }

  clear(): void {
    for (const timer of this.#timers) timer.heapIndex = -1
    this.#timers.length = 0
  }

  #put(timer: Timer, heapIndex: number): void {
    this.#timers[heapIndex] = timer
    timer.heapIndex = heapIndex
  }

  #rise(timer: Timer): void {
    while (timer.heapIndex > 0) {
      const { heapIndex } = timer
      const parentIndex = (heapIndex - 1) >> 1
      const parent = this.#timers[parentIndex]
      if (parent === undefined || !isBefore(timer, parent)) return
      this.#put(parent, heapIndex)
      this.#put(timer, parentIndex)
    }
  }

  #sink(timer: Timer): void {
    for (;;) {
      const { heapIndex } = timer
      const left = this.#timers[2 * heapIndex + 1]
      const right = this.#timers[2 * heapIndex + 2]
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left
      if (child === undefined || !isBefore(child, timer)) return
      const childIndex = child.heapIndex
      this.#put(child, heapIndex)
      this.#put(timer, childIndex)
    }
  }
}

const isBefore = (a: Timer, b: Timer): boolean =>
  a.atMillis !== b.atMillis
    ? a.atMillis < b.atMillis
    : a.rank !== b.rank
      ? a.rank < b.rank
      : a.sequence < b.sequence
