/**
 * What modules remember about objects is remembered for one mutant only: tests share constants, so an answer worked
 * out wrongly for one mutant would otherwise fail the tests of the next, and an answer remembered from one test would
 * hide from the next test's coverage who works it out.
 */
let generation = 0

/** Makes every remembering map and set forget. */
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
