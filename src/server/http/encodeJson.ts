import { letEventLoopTurn } from "../../runtime/time/userCode.ts"
import { isSameList } from "./isSameList.ts"
import { makeRecentValues } from "./recentValues.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/**
 * The JSON of each immutable object without braces, `kind` and `apiVersion`. The limit, in characters, fits 10,000
 * Pods.
 */
const textsWithoutType = makeRecentValues<KubeObject, string>({
  sizeMax: 64 * 1024 * 1024,
  sizeOf: ({ length }) => length
})

export const encodeObject = (object: KubeObject): string =>
  `{${typeFieldsText(object)}${textWithoutType(object)}}`

const typeFieldsText = ({ kind, apiVersion }: KubeObject): string =>
  `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`

interface EncodedList {
  readonly objects: ReadonlyArray<KubeObject>
  readonly encoding: ListEncoding
  readonly bytes: Buffer
}

/** A longer list is not cached: it would displace many others. */
const cachedListBytesMax = 8 * 1024 * 1024

/** The latest lists by their first object: clients list again what has not changed. */
const encodedLists = makeRecentValues<KubeObject, EncodedList>({
  sizeMax: 2 * cachedListBytesMax,
  sizeOf: ({ bytes }) => bytes.length
})

interface ListEncoding {
  readonly head: string
  readonly tail: string
  /** Items have `kind` and `apiVersion`, as those of custom resources. */
  readonly isTyped: boolean
}

/**
 * A promise for a long list, which is encoded in several turns of the event loop: other requests are answered in
 * between.
 */
export const encodeList = (
  objects: ReadonlyArray<KubeObject>,
  encoding: ListEncoding
): Buffer | Promise<Buffer> => {
  const [firstObject] = objects
  if (firstObject === undefined) return joinItems(objects, encoding)
  const cachedList = encodedLists.get(firstObject)
  if (cachedList !== undefined && isSameEncoding(cachedList.encoding, encoding)) {
    if (isSameList(cachedList.objects, objects)) return cachedList.bytes
  }
  const cacheIfShort = (bytes: Buffer): Buffer => {
    if (bytes.length <= cachedListBytesMax && objects.every((object) => Object.isFrozen(object)))
      encodedLists.set(firstObject, { objects, encoding, bytes })
    return bytes
  }
  const bytes = joinItems(objects, encoding)
  return bytes instanceof Promise ? bytes.then(cacheIfShort) : cacheIfShort(bytes)
}

const isSameEncoding = (a: ListEncoding, b: ListEncoding): boolean =>
  a.head === b.head && a.tail === b.tail && a.isTyped === b.isTyped

/** Encoding this many characters takes some 10 ms. */
const partCharactersMax = 256 * 1024

const joinItems = (objects: ReadonlyArray<KubeObject>, encoding: ListEncoding): Buffer | Promise<Buffer> => {
  const texts = listTexts(objects, encoding)
  const encodePart = (): { readonly bytes: Buffer; readonly isLast: boolean } => {
    const partTexts: Array<string> = []
    let length = 0
    while (length < partCharactersMax) {
      const next = texts.next()
      if (next.done === true) break
      partTexts.push(next.value)
      length += next.value.length
    }
    return { bytes: encodeTexts(partTexts), isLast: length < partCharactersMax }
  }
  const encodeOtherParts = async (firstPart: Buffer): Promise<Buffer> => {
    const parts = [firstPart]
    for (let isLast = false; !isLast;) {
      await letEventLoopTurn()
      const part = encodePart()
      parts.push(part.bytes)
      isLast = part.isLast
    }
    return Buffer.concat(parts)
  }
  const first = encodePart()
  return first.isLast ? first.bytes : encodeOtherParts(first.bytes)
}

function* listTexts(
  objects: ReadonlyArray<KubeObject>,
  { head, tail, isTyped }: ListEncoding
): Generator<string, void> {
  yield head
  let separator = "{"
  for (const object of objects) {
    yield isTyped ? `${separator}${typeFieldsText(object)}` : separator
    yield textWithoutType(object)
    separator = "},{"
  }
  yield objects.length === 0 ? tail : `}${tail}`
}

/** Writes text by text: joining the texts would copy them several times more. */
const encodeTexts = (texts: ReadonlyArray<string>): Buffer => {
  let length = 0
  for (const text of texts) length += Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(length)
  let offset = 0
  for (const text of texts) offset += bytes.write(text, offset)
  return bytes
}

const textWithoutType = (object: KubeObject): string => {
  const cached = textsWithoutType.get(object)
  if (cached !== undefined) return cached
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...fields } = object
  const others = JSON.stringify(fields).slice(1, -1)
  const inner = `"metadata":${encodeMetadata(metadata)}${others === "" ? "" : `,${others}`}`
  // Only stored objects are frozen; a draft may still change.
  if (Object.isFrozen(object)) textsWithoutType.set(object, inner)
  return inner
}

/** Caches the text of each `managedFields` entry: similar objects share entries. */
export const encodeMetadata = ({ managedFields, ...metadata }: KubeObject["metadata"]): string => {
  const text = JSON.stringify(metadata)
  if (managedFields === undefined) return text
  const entries = `"managedFields":[${managedFields.map(encodeEntry).join(",")}]`
  return text === "{}" ? `{${entries}}` : `${text.slice(0, -1)},${entries}}`
}

const encodeEntry = (entry: ManagedFieldsEntry): string => {
  const cached = entryTexts.get(entry)
  if (cached !== undefined) return cached
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, ...others } = entry
  if (fieldsV1 === undefined || !Object.isFrozen(fieldsV1)) return JSON.stringify(entry)
  const head = JSON.stringify({ manager, operation, apiVersion, time, fieldsType }).slice(0, -1)
  const rest = JSON.stringify(others).slice(1, -1)
  // `join` copies the many parts once: otherwise each later join of the cached text would walk them again.
  const text = [head, `,"fieldsV1":`, encodeFieldsV1(fieldsV1), rest === "" ? "" : `,${rest}`, "}"].join("")
  if (Object.isFrozen(entry)) entryTexts.set(entry, text)
  return text
}

/** JSON by frozen managedFields entry, and by each frozen map within it. */
const entryTexts = new WeakMap<object, string>()

const encodeFieldsV1 = (fields: object): string => {
  const cached = entryTexts.get(fields)
  if (cached !== undefined) return cached
  let members = ""
  for (const [element, children] of Object.entries<object>(fields as Readonly<Record<string, object>>)) {
    members += `${members === "" ? "" : ","}${JSON.stringify(element)}:${encodeFieldsV1(children)}`
  }
  const text = `{${members}}`
  if (Object.isFrozen(fields)) entryTexts.set(fields, text)
  return text
}

type WatchType = "ADDED" | "MODIFIED" | "DELETED"

/** Shared by all watchers. */
const watchLines = makeRecentValues<KubeObject, Partial<Record<WatchType, Buffer>>>({
  sizeMax: 1000,
  sizeOf: () => 1
})

export const encodeWatchLine = (type: WatchType, object: KubeObject): Buffer => {
  const cached = watchLines.get(object)
  const line = cached?.[type]
  if (line !== undefined) return line
  const encoded = Buffer.from(`{"type":"${type}","object":${encodeObject(object)}}\n`)
  if (cached === undefined) watchLines.set(object, { [type]: encoded })
  else cached[type] = encoded
  return encoded
}
