export type RunAt = (atMillis: number, run: () => void) => () => void

interface ProgramTimerOptions {
  readonly id: number
  readonly callBack: (timer: ProgramTimer) => void
  readonly delayMillis: number
  readonly repeats: boolean
  readonly nowMillis: () => number
  /** During a callback, the instant for which the callback was due. */
  readonly instantMillis: () => number
  readonly runAt: RunAt
  readonly pendingTimers: Map<number, ProgramTimer>
}

export class ProgramTimer implements NodeJS.Timeout {
  readonly #options: ProgramTimerOptions
  #cancel: () => void = () => {}
  #isCleared = false
  #hasRef = true

  constructor(options: ProgramTimerOptions) {
    this.#options = options
    this.#setFrom(options.nowMillis())
  }

  /** The cluster's clock decides whether the process lives on. */
  ref(): this {
    this.#hasRef = true
    return this
  }

  unref(): this {
    this.#hasRef = false
    return this
  }

  hasRef(): boolean {
    return this.#hasRef
  }

  refresh(): this {
    if (!this.#isCleared) this.#setFrom(this.#options.nowMillis())
    return this
  }

  close(): this {
    const { id, pendingTimers } = this.#options
    this.#isCleared = true
    this.#cancel()
    pendingTimers.delete(id)
    return this
  }

  /** `clearTimeout` also accepts this number. */
  [Symbol.toPrimitive](): number {
    return this.#options.id
  }

  [Symbol.dispose](): void {
    this.close()
  }

  _onTimeout(): void {
    this.#options.callBack(this)
  }

  #setFrom(fromMillis: number): void {
    const { id, delayMillis, runAt, pendingTimers } = this.#options
    this.#cancel()
    this.#cancel = runAt(fromMillis + delayMillis, () => this.#run())
    pendingTimers.set(id, this)
  }

  #run(): void {
    const { id, repeats, instantMillis, pendingTimers } = this.#options
    const startMillis = instantMillis()
    const cancelBefore = this.#cancel
    if (!repeats) pendingTimers.delete(id)
    this._onTimeout()
    const isSetAgain = this.#cancel !== cancelBefore
    if (repeats && !this.#isCleared && !isSetAgain) this.#setFrom(startMillis)
  }
}
