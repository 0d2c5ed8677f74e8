/**
 * The Pods of one ReplicaSet as a small world knows them: how many there are of each condition, and what was said of
 * them. Pods of one condition are the same, so that orders which differ only in which of them it was are one order.
 */
export interface Brood {
  /** What the ReplicaSet is asked for. */
  readonly asked: number
  /** Pods that are not ready, whether they never were or are no longer. */
  readonly unready: number
  /** Ready, but not for `minReadySeconds` yet. */
  readonly ready: number
  readonly available: number
  /** On their way out. */
  readonly stopping: number
  /** How many Pods the ReplicaSet has last reported, and how many available ones. */
  readonly toldPods: number
  readonly toldAvailable: number
}

/** A brood as one number of 28 bits, 4 for each count. */
export type Packed = number

const bits = 4
/** The most that a count can be. */
export const countMax = 2 ** bits - 1

const places = ["asked", "unready", "ready", "available", "stopping", "toldPods", "toldAvailable"] as const

/** One of each, as it is added to a packed brood or taken away. */
export const one = {
  unready: 1 << bits,
  ready: 1 << (2 * bits),
  available: 1 << (3 * bits),
  stopping: 1 << (4 * bits)
} as const

/** A world in which something cannot be counted any more. */
export class WorldTooLarge extends Error {}

export const pack = (brood: Brood): Packed => {
  let packed = 0
  for (const [place, name] of places.entries()) {
    const count = brood[name]
    if (count < 0 || count > countMax) throw new WorldTooLarge(`${count} is no count of at most ${countMax}`)
    packed |= count << (place * bits)
  }
  return packed
}

export const askedOf = (packed: Packed): number => packed & countMax
export const unreadyOf = (packed: Packed): number => (packed >>> bits) & countMax
export const readyOf = (packed: Packed): number => (packed >>> (2 * bits)) & countMax
export const availableOf = (packed: Packed): number => (packed >>> (3 * bits)) & countMax
export const stoppingOf = (packed: Packed): number => (packed >>> (4 * bits)) & countMax
export const toldPodsOf = (packed: Packed): number => (packed >>> (5 * bits)) & countMax
export const toldAvailableOf = (packed: Packed): number => (packed >>> (6 * bits)) & countMax

/** Pods that are there and not on their way out. */
export const activeOf = (packed: Packed): number => unreadyOf(packed) + readyOf(packed) + availableOf(packed)

/** Pods that have not come to an end, those on their way out among them. */
export const presentOf = (packed: Packed): number => activeOf(packed) + stoppingOf(packed)

/** What a Deployment can see of a brood without looking at Pods: its size and its report. */
export const seenOf = (packed: Packed): number => askedOf(packed) | ((packed >>> (5 * bits)) << bits)

/** The same brood, asked for another size. */
export const asking = (packed: Packed, asked: number): Packed => (packed & ~countMax) | asked

export const unpack = (packed: Packed): Brood => ({
  asked: askedOf(packed),
  unready: unreadyOf(packed),
  ready: readyOf(packed),
  available: availableOf(packed),
  stopping: stoppingOf(packed),
  toldPods: toldPodsOf(packed),
  toldAvailable: toldAvailableOf(packed)
})
