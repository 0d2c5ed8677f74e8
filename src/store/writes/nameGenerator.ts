import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus, xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus"

export interface NameGenerator {
  readonly uid: () => string
  /** Completes a `generateName`: its first 58 characters and five letters or digits without vowels. */
  readonly nameFor: (generateName: string) => string
  readonly save: () => ReadonlyArray<number>
}

const suffixCharacters = "bcdfghjklmnpqrstvwxz2456789"
const suffixLength = 5
const prefixLengthMax = 58
const hexDigitCodes = Buffer.from("0123456789abcdef")
const hyphenCode = 0x2d
const uidLength = 36

/** `from`: a seed, or the state that `save` has returned. */
export const makeNameGenerator = (from: number | ReadonlyArray<number>): NameGenerator => {
  const random = typeof from === "number" ? xoroshiro128plus(from) : xoroshiro128plusFromState(from)
  const bytes = new Uint8Array(16)
  const words = new Int32Array(bytes.buffer)
  // A concatenated string would keep all its pieces in memory.
  const text = Buffer.alloc(uidLength)

  const uid = (): string => {
    for (let word = 0; word < words.length; word += 1) words[word] = random.next()
    // The bits of the version and the variant.
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    let end = 0
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0
      if (index === 4 || index === 6 || index === 8 || index === 10) text[end++] = hyphenCode
      text[end++] = hexDigitCodes[byte >> 4] ?? 0
      text[end++] = hexDigitCodes[byte & 0x0f] ?? 0
    }
    return text.toString("latin1")
  }

  const nameFor = (generateName: string): string => {
    let name = generateName.slice(0, prefixLengthMax)
    for (let index = 0; index < suffixLength; index += 1) {
      name += suffixCharacters[uniformInt(random, 0, suffixCharacters.length - 1)]
    }
    return name
  }
  return { uid, nameFor, save: () => random.getState() }
}

/**
 * Independent generators, so that dry runs and the control plane's own objects do not change the names of workloads.
 */
export const makeNameGenerators = ({
  seed,
  from
}: {
  readonly seed: number
  readonly from?: NameGeneratorsState | undefined
}): readonly [ordinary: NameGenerator, dryRuns: NameGenerator, controlPlane: NameGenerator] => {
  const [ordinary, dryRuns, controlPlane] = from?.identities ?? []
  if (
    from !== undefined &&
    from.seed === seed &&
    ordinary !== undefined &&
    dryRuns !== undefined &&
    controlPlane !== undefined
  ) {
    return [makeNameGenerator(ordinary), makeNameGenerator(dryRuns), makeNameGenerator(controlPlane)]
  }
  const firstSeed = from === undefined ? seed : reseeded(seed, ordinary ?? [])
  return [makeNameGenerator(firstSeed), makeNameGenerator(firstSeed + 1), makeNameGenerator(firstSeed + 2)]
}

interface NameGeneratorsState {
  readonly seed: number
  readonly identities: ReadonlyArray<ReadonlyArray<number>>
}

/** FNV-1a. */
const reseeded = (seed: number, state: ReadonlyArray<number>): number =>
  state.reduce(
    (hash, word) => Math.imul(hash ^ word, 0x01000193) | 0,
    Math.imul(seed ^ 0x811c9dc5, 0x01000193)
  )
