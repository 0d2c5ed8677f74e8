/** Timers of one instant run by the turn order of their controllers, then by sequence, lowest first. */
export interface TimerPlace {
  readonly atMillis: number
  readonly turnOrder: number
  readonly sequence: number
}

export interface Timer extends TimerPlace {
  atMillis: number
  sequence: number
  run: () => void
  readonly periodMillis: number | undefined
  /** -1 when the timer has run or was cancelled. */
  heapIndex: number
}

export const isPending = ({ heapIndex }: Timer): boolean => heapIndex >= 0

/** Each timer knows its index, which makes cancelling fast. */
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

  add(atMillis: number, turnOrder: number, run: () => void): Timer {
    return this.addAt({ atMillis, turnOrder, sequence: this.takeSequence() }, run)
  }

  takeSequence(count = 1): number {
    this.#sequence += count
    return this.#sequence
  }

  postpone(byMillis: number, bySequences: number): void {
    for (const timer of this.#timers) {
      timer.atMillis += byMillis
      timer.sequence += bySequences
    }
  }

  addAt({ atMillis, turnOrder, sequence }: TimerPlace, run: () => void, periodMillis?: number): Timer {
    // NaN compares with nothing: the timer, and all below it in the heap, would never be due.
    if (Number.isNaN(atMillis)) throw new RangeError("a timer that is due at no time")
    const timer: Timer = { atMillis, turnOrder, sequence, run, periodMillis, heapIndex: this.#timers.length }
    this.#timers.push(timer)
    this.#rise(timer)
    return timer
  }

  countBelow(turnOrder: number): number {
    let count = 0
    for (const timer of this.#timers) if (timer.turnOrder < turnOrder) count += 1
    return count
  }

  all(): ReadonlyArray<Timer> {
    return this.#timers
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

export const isBefore = (a: TimerPlace, b: TimerPlace): boolean =>
  a.atMillis !== b.atMillis
    ? a.atMillis < b.atMillis
    : a.turnOrder !== b.turnOrder
      ? a.turnOrder < b.turnOrder
      : a.sequence < b.sequence
