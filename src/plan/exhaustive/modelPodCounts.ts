/** Unlike in a status, `ready` leaves out the available Pods. */
export interface ModelPodCounts {
  readonly specReplicas: number
  readonly unready: number
  /** Ready for less than `minReadySeconds`. */
  readonly ready: number
  readonly available: number
  readonly stopping: number
  readonly reportedPods: number
  readonly reportedAvailable: number
}

/** The counts of one ReplicaSet, 4 bits each. */
export type PackedCounts = number

export const noPackedCounts: PackedCounts = 0

const bitsPerCount = 4
export const countMax = 2 ** bitsPerCount - 1

/** Adding a unit to packed counts adds one Pod. */
export const packedUnit = {
  unready: 1 << bitsPerCount,
  ready: 1 << (2 * bitsPerCount),
  available: 1 << (3 * bitsPerCount),
  stopping: 1 << (4 * bitsPerCount)
} as const

export class ModelTooLarge extends Error {}

export const packCounts = (counts: ModelPodCounts): PackedCounts => {
  const countsInOrder = [
    counts.specReplicas,
    counts.unready,
    counts.ready,
    counts.available,
    counts.stopping,
    counts.reportedPods,
    counts.reportedAvailable
  ]
  let packed = 0
  for (const [index, count] of countsInOrder.entries()) {
    if (count < 0 || count > countMax) throw new ModelTooLarge(`${count} is no count of at most ${countMax}`)
    packed |= count << (index * bitsPerCount)
  }
  return packed
}

export const specReplicasOf = (packed: PackedCounts): number => packed & countMax
export const unreadyOf = (packed: PackedCounts): number => (packed >>> bitsPerCount) & countMax
export const readyNotAvailableOf = (packed: PackedCounts): number =>
  (packed >>> (2 * bitsPerCount)) & countMax
export const availableOf = (packed: PackedCounts): number => (packed >>> (3 * bitsPerCount)) & countMax
export const stoppingOf = (packed: PackedCounts): number => (packed >>> (4 * bitsPerCount)) & countMax
export const reportedPodsOf = (packed: PackedCounts): number => (packed >>> (5 * bitsPerCount)) & countMax
export const reportedAvailableOf = (packed: PackedCounts): number =>
  (packed >>> (6 * bitsPerCount)) & countMax

/** Neither finished nor terminating. */
export const activePodsOf = (packed: PackedCounts): number =>
  unreadyOf(packed) + readyNotAvailableOf(packed) + availableOf(packed)

export const presentPodsOf = (packed: PackedCounts): number => activePodsOf(packed) + stoppingOf(packed)

/** The size and the reported status: all that a Deployment observes without looking at Pods. */
export const visibleToDeployment = (packed: PackedCounts): number =>
  specReplicasOf(packed) | ((packed >>> (5 * bitsPerCount)) << bitsPerCount)

export const withSpecReplicas = (packed: PackedCounts, specReplicas: number): PackedCounts =>
  (packed & ~countMax) | specReplicas

export const unpackCounts = (packed: PackedCounts): ModelPodCounts => ({
  specReplicas: specReplicasOf(packed),
  unready: unreadyOf(packed),
  ready: readyNotAvailableOf(packed),
  available: availableOf(packed),
  stopping: stoppingOf(packed),
  reportedPods: reportedPodsOf(packed),
  reportedAvailable: reportedAvailableOf(packed)
})
