import { noSnapshotParts, snapshotPartOfSet } from "../runtime/snapshotParts.ts"
import type { Key } from "../kubernetes/meta/objects.ts"
import type { SnapshotParts } from "../runtime/snapshotParts.ts"

export interface PodScheduler {
  readonly request: (key: Key) => void
}

/** Requests outlive a scheduler that is restarted. */
export interface SchedulingRequests extends PodScheduler {
  readonly pendingKeys: Set<Key>
  readonly attachScheduler: (scheduler: PodScheduler) => void
}

export const makeSchedulingRequests = (
  snapshotParts: SnapshotParts = noSnapshotParts
): SchedulingRequests => {
  const pendingKeys = new Set<Key>()
  let scheduler: PodScheduler | undefined
  snapshotParts.registerPart("requests", snapshotPartOfSet(pendingKeys))
  return {
    pendingKeys,
    request: (key) => {
      pendingKeys.add(key)
      scheduler?.request(key)
    },
    attachScheduler: (next) => {
      scheduler = next
    }
  }
}
