import type { Key, KubeObject } from "../kubernetes/meta/objects.ts"

/** An object that is decoded when it is first read; copies of a table share the result. */
export class UnreadObject {
  #decode: (() => KubeObject) | undefined
  #object: KubeObject | undefined

  constructor(decode: () => KubeObject) {
    this.#decode = decode
  }

  read(): KubeObject {
    const object = (this.#object ??= this.#decode?.())
    this.#decode = undefined
    // One of the two is set from the beginning.
    return object as KubeObject
  }
}

/**
 * A table in which objects may be undecoded until they are read. Most Events of a cluster that goes on from a data
 * directory are never read again, and decoding them takes longer than everything else that a start needs.
 */
export class LazyTable extends Map<Key, KubeObject> {
  readonly #unread = new Map<Key, UnreadObject>()

  setUnread(key: Key, object: UnreadObject): this {
    super.delete(key)
    this.#unread.set(key, object)
    return this
  }

  /** The objects that have been decoded. */
  decodedObjects(): MapIterator<KubeObject> {
    return super.values()
  }

  /** Decodes nothing. */
  copy(): LazyTable {
    const copy = new LazyTable()
    for (const [key, object] of this.#unread) copy.#unread.set(key, object)
    for (const [key, object] of super.entries()) copy.set(key, object)
    return copy
  }

  #read(key: Key): KubeObject | undefined {
    const object = this.#unread.get(key)?.read()
    if (object !== undefined) this.set(key, object)
    return object
  }

  #readAll(): void {
    for (const key of this.#unread.keys()) this.#read(key)
  }

  override get size(): number {
    return super.size + this.#unread.size
  }

  override get(key: Key): KubeObject | undefined {
    return super.get(key) ?? this.#read(key)
  }

  override has(key: Key): boolean {
    return super.has(key) || this.#unread.has(key)
  }

  override set(key: Key, object: KubeObject): this {
    this.#unread.delete(key)
    return super.set(key, object)
  }

  override delete(key: Key): boolean {
    return this.#unread.delete(key) || super.delete(key)
  }

  override clear(): void {
    this.#unread.clear()
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

/** A copy of a table, with the same objects unread. */
export const copyTable = (table: ReadonlyMap<Key, KubeObject>): Map<Key, KubeObject> =>
  table instanceof LazyTable ? table.copy() : new Map(table)
