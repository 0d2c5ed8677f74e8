import { createHash } from "node:crypto"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import type { Change } from "../../../store/objectStore.ts"
import type { Fields } from "../../../kubernetes/meta/fields.ts"

interface RunDigest {
  readonly observe: (change: Change, atMillis: number) => void
  readonly text: () => string
}

/** Few long texts are hashed faster than many short ones. */
const bufferLength = 65_536

export const makeRunDigest = (): RunDigest => {
  const hash = createHash("sha256")
  let buffer = ""
  return {
    observe: ({ type, resource, object, old, resourceVersion }, atMillis) => {
      const { namespace = "", name } = object.metadata
      buffer += `${atMillis} ${type} ${resource} ${namespace}/${name} ${resourceVersion} `
      buffer += old === undefined ? JSON.stringify(object) : differenceText(old, object)
      buffer += "\n"
      if (buffer.length < bufferLength) return
      hash.update(buffer)
      buffer = ""
    },
    text: () => hash.copy().update(buffer).digest("hex")
  }
}

/** Objects are frozen and share unchanged parts, so comparing references is enough. */
const differenceText = (old: object, next: object): string => {
  const [before, after] = [old as Fields, next as Fields]
  let text = ""
  for (const field of Object.keys(after)) {
    const [previous, value] = [before[field], after[field]]
    if (previous === value) continue
    if (!isFields(previous) || !isFields(value)) {
      text += `${field}=${JSON.stringify(value)},`
      continue
    }
    for (const subfield of Object.keys(value)) {
      if (previous[subfield] !== value[subfield])
        text += `${field}.${subfield}=${JSON.stringify(value[subfield])},`
    }
    for (const removedField of Object.keys(previous))
      if (!Object.hasOwn(value, removedField)) text += `-${field}.${removedField},`
  }
  for (const removedField of Object.keys(before))
    if (!Object.hasOwn(after, removedField)) text += `-${removedField},`
  return text
}
