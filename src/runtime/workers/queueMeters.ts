import type { Kernel } from "../time/kernel.ts"

/** Counts of keys. */
export interface QueueMeter {
  /** Offered keys, without those that waited already. */
  added: number
  handled: number
  failed: number
  delayed: number
  depth: () => number
}

/** A restarted controller continues its counts. */
export type QueueMeters = ReadonlyMap<string, QueueMeter>

const metersByKernel = new WeakMap<Kernel, Map<string, QueueMeter>>()

export const queueMetersOf = (kernel: Kernel): QueueMeters => metersByKernel.get(kernel) ?? new Map()

export const openQueueMeter = (kernel: Kernel, owner: string, depth: () => number): QueueMeter => {
  const meters = metersByKernel.get(kernel) ?? new Map<string, QueueMeter>()
  metersByKernel.set(kernel, meters)
  const meter = meters.get(owner) ?? { added: 0, handled: 0, failed: 0, delayed: 0, depth }
  meter.depth = depth
  meters.set(owner, meter)
  return meter
}
