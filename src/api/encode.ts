import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../domain/objects.ts"

/**
 * Objects as JSON text. What the store hands out never changes, so each version is written once, whoever asks for it
 * and however often.
 */

/** By object: its fields without kind and version, as the inside of braces. */
const insides = new WeakMap<KubeObject, string>()

/** Without `kind` and `apiVersion`, as a list writes its items. */
export const encodeItem = (object: KubeObject): string => `{${insideOf(object)}}`

/** With `kind` and `apiVersion`, as an object stands alone. */
export const encodeObject = (object: KubeObject): string => {
  const inside = insideOf(object)
  const type = `"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)}`
  return inside === "" ? `{${type}}` : `{${type},${inside}}`
}

const insideOf = (object: KubeObject): string => {
  const known = insides.get(object)
  if (known !== undefined) return known
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...fields } = object
  const others = JSON.stringify(fields).slice(1, -1)
  const inside = `"metadata":${encodeMetadata(metadata)}${others === "" ? "" : `,${others}`}`
  // A draft may still be changed by its owner; only what is stored is frozen.
  if (Object.isFrozen(object)) insides.set(object, inside)
  return inside
}

/** Entries of managed fields stand at the end, and objects that live alike share most of their texts. */
export const encodeMetadata = ({ managedFields, ...metadata }: KubeObject["metadata"]): string => {
  const text = JSON.stringify(metadata)
  if (managedFields === undefined) return text
  const entries = `"managedFields":[${managedFields.map(encodeEntry).join(",")}]`
  return text === "{}" ? `{${entries}}` : `${text.slice(0, -1)},${entries}}`
}

const encodeEntry = (entry: ManagedFieldsEntry): string => {
  const known = texts.get(entry)
  if (known !== undefined) return known
  const { manager, operation, apiVersion, time, fieldsType, fieldsV1, ...others } = entry
  if (fieldsV1 === undefined || !Object.isFrozen(fieldsV1)) return JSON.stringify(entry)
  const head = JSON.stringify({ manager, operation, apiVersion, time, fieldsType }).slice(0, -1)
  const rest = JSON.stringify(others).slice(1, -1)
  const text = `${head},"fieldsV1":${encodeFieldsV1(fieldsV1)}${rest === "" ? "" : `,${rest}`}}`
  if (Object.isFrozen(entry)) texts.set(entry, text)
  return text
}

/** By frozen entries of managed fields and by the frozen maps in them. */
const texts = new WeakMap<object, string>()

const encodeFieldsV1 = (fields: object): string => {
  const known = texts.get(fields)
  if (known !== undefined) return known
  let inside = ""
  for (const [element, below] of Object.entries<object>(fields as Readonly<Record<string, object>>)) {
    inside += `${inside === "" ? "" : ","}${JSON.stringify(element)}:${encodeFieldsV1(below)}`
  }
  const text = `{${inside}}`
  if (Object.isFrozen(fields)) texts.set(fields, text)
  return text
}

type WatchType = "ADDED" | "MODIFIED" | "DELETED"

const lines = new WeakMap<KubeObject, Partial<Record<WatchType, Buffer>>>()

/** One line of a watch, the same bytes for every watcher. */
export const encodeLine = (type: WatchType, object: KubeObject): Buffer => {
  const known = lines.get(object)
  const line = known?.[type]
  if (line !== undefined) return line
  const made = Buffer.from(`{"type":"${type}","object":${encodeObject(object)}}\n`)
  if (known === undefined) lines.set(object, { [type]: made })
  else known[type] = made
  return made
}
