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
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = object
  const inside = JSON.stringify(fields).slice(1, -1)
  // A draft may still be changed by its owner; only what is stored is frozen.
  if (Object.isFrozen(object)) insides.set(object, inside)
  return inside
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
