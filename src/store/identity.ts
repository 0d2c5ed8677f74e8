import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus, xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus"

/**
 * Names and uids of one cluster, all from one seed: the same seed and the same order of writes give the same
 * ones.
 */
export interface Identity {
  /** A version 4 UUID. */
  readonly uid: () => string
  /** Completes a `generateName`: its first 58 characters and five letters without vowels. */
  readonly nameFor: (generateName: string) => string
  /** How far chance has got. */
  readonly save: () => ReadonlyArray<number>
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"
const suffixLength = 5
const prefixLengthMax = 58
const hexLetters = Buffer.from("0123456789abcdef")
const dash = 0x2d
const uidLength = 36

/** From a seed, or from how far another's chance had got. */
export const makeIdentity = (from: number | ReadonlyArray<number>): Identity => {
  const chance = typeof from === "number" ? xoroshiro128plus(from) : xoroshiro128plusFromState(from)
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
  return { uid, nameFor, save: () => chance.getState() }
}

type Three<A> = readonly [A, A, A]

/**
 * Three independent ones for a store. What goes on with another seed than its own goes on with chance that nobody has
 * drawn from before: what there is by now has names from the first.
 */
export const makeIdentities = ({
  seed,
  from
}: {
  readonly seed: number
  readonly from?: IdentitiesState | undefined
}): Three<Identity> => {
  const [own, tried, kept] = from?.identities ?? []
  if (
    from !== undefined &&
    from.seed === seed &&
    own !== undefined &&
    tried !== undefined &&
    kept !== undefined
  ) {
    return [makeIdentity(own), makeIdentity(tried), makeIdentity(kept)]
  }
  const first = from === undefined ? seed : reseeded(seed, own ?? [])
  return [makeIdentity(first), makeIdentity(first + 1), makeIdentity(first + 2)]
}

interface IdentitiesState {
  readonly seed: number
  readonly identities: ReadonlyArray<ReadonlyArray<number>>
}

/** A seed that hangs on where chance had got to as well, so that a seed that was used before gives nothing again. */
const reseeded = (seed: number, state: ReadonlyArray<number>): number =>
  state.reduce(
    (hash, word) => Math.imul(hash ^ word, 0x01000193) | 0,
    Math.imul(seed ^ 0x811c9dc5, 0x01000193)
  )
