/**
 * Weak maps and sets of modules are emptied for each mutant. Tests share constants: a result cached for one mutant
 * could fail the tests of the next, and a result cached by one test would hide from the coverage of the next test which
 * code computes it.
 */
let generation = 0

/** Empties all forgetful maps and sets. */
export const emptyForgetfulCaches = (): void => {
  generation += 1
}

export class ForgetfulWeakMap<K extends WeakKey, V> extends WeakMap<K, V> {
  #entries = new WeakMap<K, V>()
  #generation = generation

  get #currentEntries(): WeakMap<K, V> {
    if (this.#generation !== generation) {
      this.#entries = new WeakMap()
      this.#generation = generation
    }
    return this.#entries
  }
  override get(key: K): V | undefined {
    return this.#currentEntries.get(key)
  }
  override has(key: K): boolean {
    return this.#currentEntries.has(key)
  }
  override set(key: K, value: V): this {
    this.#currentEntries.set(key, value)
    return this
  }
  override delete(key: K): boolean {
    return this.#currentEntries.delete(key)
  }
}

export class ForgetfulWeakSet<A extends WeakKey> extends WeakSet<A> {
  #members = new ForgetfulWeakMap<A, true>()

  override has(value: A): boolean {
    return this.#members.has(value)
  }
  override add(value: A): this {
    this.#members.set(value, true)
    return this
  }
  override delete(value: A): boolean {
    return this.#members.delete(value)
  }
}
