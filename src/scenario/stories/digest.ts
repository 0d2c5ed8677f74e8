import { createHash } from "node:crypto"
import { isFields } from "../../domain/fields.ts"
import type { Change } from "../../store/objectStore.ts"

/** Takes in everything that happens, in order: equal digests are equal runs, to the byte. */
interface Digest {
  readonly see: (change: Change, atMillis: number) => void
  readonly text: () => string
}

/** Text is gathered: a hash is quicker over few long pieces. */
const pieceLength = 65_536

export const makeDigest = (): Digest => {
  const hash = createHash("sha256")
  let piece = ""
  return {
    see: ({ type, resource, object, old, resourceVersion }, atMillis) => {
      const { namespace = "", name } = object.metadata
      piece += `${atMillis} ${type} ${resource} ${namespace}/${name} ${resourceVersion} `
      piece += old === undefined ? JSON.stringify(object) : differenceText(old, object)
      piece += "\n"
      if (piece.length < pieceLength) return
      hash.update(piece)
      piece = ""
    },
    text: () => hash.copy().update(piece).digest("hex")
  }
}

/**
 * What has changed, to two levels of depth. Objects are frozen and share what did not change, so what is the same is
 * seen without looking into it; everything before was taken in already.
 */
const differenceText = (old: object, next: object): string => {
  let text = ""
  const before = new Map<string, unknown>(Object.entries(old))
  for (const [field, value] of Object.entries(next)) {
    const former = before.get(field)
    before.delete(field)
    if (former === value) continue
    if (!isFields(former) || !isFields(value)) {
      text += `${field}=${JSON.stringify(value)},`
      continue
    }
    const inside = new Map(Object.entries(former))
    for (const [below, part] of Object.entries(value)) {
      if (inside.get(below) !== part) text += `${field}.${below}=${JSON.stringify(part)},`
      inside.delete(below)
    }
    for (const gone of inside.keys()) text += `-${field}.${gone},`
  }
  for (const gone of before.keys()) text += `-${gone},`
  return text
}
