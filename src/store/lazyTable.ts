import type { Key, KubeObject } from "../kubernetes/meta/objects.ts"

export class UnreadObject {
  #decode: ((index: number) => KubeObject) | undefined
  readonly #index: number
  #object: KubeObject | undefined

  /** `index`: the object's place among those that `decode` decodes. */
  constructor(decode: (index: number) => KubeObject, index: number) {
    this.#decode = decode
    this.#index = index
  }

  read(): KubeObject {
    const object = (this.#object ??= this.#decode?.(this.#index))
    this.#decode = undefined
    // Either the object or `#decode` is set from the beginning.
    return object as KubeObject
  }
}

/**
 * A table that decodes objects on the first read: most stored Events are never read, and decoding them would dominate
 * a start.
 */
export class LazyTable extends Map<Key, KubeObject> {
  #unread = new Map<Key, UnreadObject>()
  /** Whether a copy shares the map of unread objects, which is copied before one of the two changes. */
  #isShared = false

  setUnread(key: Key, object: UnreadObject): this {
    if (super.size > 0) super.delete(key)
    this.#unsharedUnread().set(key, object)
    return this
  }

  objectsDecodedSoFar(): MapIterator<KubeObject> {
    return super.values()
  }

  /** The copy has the same objects unread. */
  copy(): LazyTable {
    const copy = new LazyTable()
    copy.#unread = this.#unread
    this.#isShared = copy.#isShared = true
    for (const [key, object] of super.entries()) copy.set(key, object)
    return copy
  }

  #unsharedUnread(): Map<Key, UnreadObject> {
    if (this.#isShared) this.#unread = new Map(this.#unread)
    this.#isShared = false
    return this.#unread
  }

  #readAll(): void {
    const unread = this.#unread
    this.#unread = new Map()
    this.#isShared = false
    for (const [key, object] of unread) super.set(key, object.read())
  }

  override get size(): number {
    return super.size + this.#unread.size
  }

  override get(key: Key): KubeObject | undefined {
    return super.get(key) ?? this.#unread.get(key)?.read()
  }

  override has(key: Key): boolean {
    return super.has(key) || this.#unread.has(key)
  }

  override set(key: Key, object: KubeObject): this {
    if (this.#unread.has(key)) this.#unsharedUnread().delete(key)
    return super.set(key, object)
  }

  override delete(key: Key): boolean {
    return this.#unread.has(key) ? this.#unsharedUnread().delete(key) : super.delete(key)
  }

  override clear(): void {
    this.#unread = new Map()
    this.#isShared = false
    super.clear()
  }

  override forEach(...args: Parameters<Map<Key, KubeObject>["forEach"]>): void {
    this.#readAll()
    super.forEach(...args)
  }

  override keys(): MapIterator<Key> {
    this.#readAll()
    return super.keys()
  }

  override values(): MapIterator<KubeObject> {
    this.#readAll()
    return super.values()
  }

  override entries(): MapIterator<[Key, KubeObject]> {
    this.#readAll()
    return super.entries()
  }

  override [Symbol.iterator](): MapIterator<[Key, KubeObject]> {
    return this.entries()
  }
}

export const copyTable = (table: ReadonlyMap<Key, KubeObject>): Map<Key, KubeObject> =>
  table instanceof LazyTable ? table.copy() : new Map(table)
