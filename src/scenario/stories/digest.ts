import { createHash } from "node:crypto"
import { isFields } from "../../domain/fields.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Fields } from "../../domain/fields.ts"

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
  const [before, after] = [old as Fields, next as Fields]
  let text = ""
  for (const field of Object.keys(after)) {
    const [former, value] = [before[field], after[field]]
    if (former === value) continue
    if (!isFields(former) || !isFields(value)) {
      text += `${field}=${JSON.stringify(value)},`
      continue
    }
    for (const below of Object.keys(value)) {
      if (former[below] !== value[below]) text += `${field}.${below}=${JSON.stringify(value[below])},`
    }
    for (const gone of Object.keys(former)) if (!Object.hasOwn(value, gone)) text += `-${field}.${gone},`
  }
  for (const gone of Object.keys(before)) if (!Object.hasOwn(after, gone)) text += `-${gone},`
  return text
}
