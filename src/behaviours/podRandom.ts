import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"

/** The generator of a Pod is independent of other Pods and their order. */
export const podRandom = (seed: number, podUid: string): RandomGenerator => {
  const hash = hashOf(seed, podUid)
  // The generator's first numbers are nearly its state, so the states of similar seeds must differ.
  return xoroshiro128plusFromState([
    mixBits(hash + goldenGamma),
    mixBits(hash + 2 * goldenGamma),
    mixBits(hash + 3 * goldenGamma),
    mixBits(hash + 4 * goldenGamma)
  ])
}

/** 2^32 divided by the golden ratio: SplitMix's increment. */
const goldenGamma = 0x9e3779b9

/** FNV-1a. Pods with equal hashes merely draw equal numbers. */
const hashOf = (seed: number, text: string): number => {
  let hash = mixBits(seed) ^ mixBits(Math.floor(seed / 2 ** 32) + goldenGamma) ^ 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash
}

/** MurmurHash3's finalizer. */
const mixBits = (word: number): number => {
  let bits = word | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
