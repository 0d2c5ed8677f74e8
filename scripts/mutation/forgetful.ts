/**
 * Weak maps and sets of modules are emptied for each mutant. Tests share constants: a result cached for one mutant
 * could fail the tests of the next, and a result cached by one test would hide from the coverage of the next test which
 * code computes it.
 */
let generation = 0

/** Empties all forgetful maps and sets. */
export const forget = (): void => {
  generation += 1
}

export class ForgetfulWeakMap<K extends WeakKey, V> extends WeakMap<K, V> {
  #known = new WeakMap<K, V>()
  #generation = generation

  get #now(): WeakMap<K, V> {
    if (this.#generation !== generation) {
      this.#known = new WeakMap()
      this.#generation = generation
    }
    return this.#known
  }
  override get(key: K): V | undefined {
    return this.#now.get(key)
  }
  override has(key: K): boolean {
    return this.#now.has(key)
  }
  override set(key: K, value: V): this {
    this.#now.set(key, value)
    return this
  }
  override delete(key: K): boolean {
    return this.#now.delete(key)
  }
}

export class ForgetfulWeakSet<A extends WeakKey> extends WeakSet<A> {
  #known = new ForgetfulWeakMap<A, true>()

  override has(value: A): boolean {
    return this.#known.has(value)
  }
  override add(value: A): this {
    this.#known.set(value, true)
    return this
  }
  override delete(value: A): boolean {
    return this.#known.delete(value)
  }
}
