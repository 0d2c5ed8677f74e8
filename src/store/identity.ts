import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus"

/**
 * Names and uids of one cluster, all from one seed: the same seed and the same order of writes give the same
 * ones.
 */
interface Identity {
  /** A version 4 UUID. */
  readonly uid: () => string
  /** Completes a `generateName`: its first 58 characters and five letters without vowels. */
  readonly nameFor: (generateName: string) => string
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"
const suffixLength = 5
const prefixLengthMax = 58
const hexLetters = Buffer.from("0123456789abcdef")
const dash = 0x2d
const uidLength = 36

export const makeIdentity = (seed: number): Identity => {
  const chance = xoroshiro128plus(seed)
  const bytes = new Uint8Array(16)
  const words = new Int32Array(bytes.buffer)
  // Text that is put together of pieces keeps them all, which for an event would be more than the event itself.
  const text = Buffer.alloc(uidLength)

  const uid = (): string => {
    for (let word = 0; word < words.length; word += 1) words[word] = chance.next()
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    let end = 0
    for (const [index, byte] of bytes.entries()) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text[end++] = dash
      text[end++] = hexLetters[byte >> 4] ?? 0
      text[end++] = hexLetters[byte & 0x0f] ?? 0
    }
    return text.toString("latin1")
  }

  const nameFor = (generateName: string): string => {
    let name = generateName.slice(0, prefixLengthMax)
    for (let index = 0; index < suffixLength; index += 1) {
      name += suffixLetters[uniformInt(chance, 0, suffixLetters.length - 1)]
    }
    return name
  }
  return { uid, nameFor }
}
