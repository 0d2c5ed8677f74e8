import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus"
import type { RandomGenerator } from "pure-rand/types/RandomGenerator"

/**
 * The chance that one pod has: the same for the same seed and uid, whatever other pods there are and in which
 * order they come.
 */
export const chanceOf = (seed: number, podUid: string): RandomGenerator => {
  const hash = hashOf(seed, podUid)
  // The generator hands out its first state words nearly as they are; mixing each keeps neighbours apart.
  return xoroshiro128plusFromState([
    mixed(hash + goldenGamma),
    mixed(hash + 2 * goldenGamma),
    mixed(hash + 3 * goldenGamma),
    mixed(hash + 4 * goldenGamma)
  ])
}

/** 2^32 divided by the golden ratio: the step that spreads consecutive numbers furthest (SplitMix). */
const goldenGamma = 0x9e3779b9

/**
 * FNV-1a over the uid, started from all bits of the seed. Of a hundred thousand pods two may share one: no
 * harm.
 */
const hashOf = (seed: number, text: string): number => {
  let hash = mixed(seed) ^ mixed(Math.floor(seed / 2 ** 32) + goldenGamma) ^ 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash
}

/** MurmurHash3's finalizer: every bit of the result hangs on every bit of the input. */
const mixed = (word: number): number => {
  let bits = word | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
