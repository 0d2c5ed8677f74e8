import { resources } from "../../domain/kinds.ts"
import { keyOf } from "../../domain/objects.ts"
import { missedBetween } from "../relist.ts"
import { stateOf } from "./copies.ts"
import type { ClusterView } from "../objectStore.ts"
import type { Replica, ReplicaState } from "../replica.ts"
import type { Audience } from "./audience.ts"
import type { Copies } from "./copies.ts"

type View = ClusterView["Service"]

/** Stale reads of one view. */
export interface Freezing {
  readonly freeze: () => () => void
  /** Undefined while reads are not stale. */
  readonly frozen: () => View | undefined
  readonly save: () => ReplicaState | undefined
  readonly restore: (state: ReplicaState) => void
}

export const makeFreezing = (options: {
  /** What reads return while they are not stale. */
  readonly heard: () => View
  readonly copies: Copies
  /** Called when reads become stale or stop being so. */
  readonly onTurn: () => void
  /** The subscribers that get the changes of the stale time again. */
  readonly audience: Audience | undefined
}): Freezing => {
  const { heard, copies, onTurn, audience } = options
  let freezes = 0
  let frozen: Replica | undefined
  return {
    freeze: () => {
      freezes += 1
      frozen ??= copies.of(heard())
      onTurn()
      return () => {
        freezes -= 1
        if (freezes > 0 || frozen === undefined) return
        const former = frozen.view
        frozen = undefined
        onTurn()
        if (audience !== undefined) tellMissed(audience, former, heard())
      }
    },
    frozen: () => frozen?.view,
    save: () => (frozen === undefined ? undefined : stateOf(frozen)),
    restore: (state) => {
      frozen = copies.restored(state)
    }
  }
}

const tellMissed = ({ tell, tellQuota }: Audience, seen: View, present: View): void => {
  for (const change of missedBetween(seen, present)) tell(change)
  for (const quota of present.all(resources.resourceQuotas)) tellQuota(keyOf(quota))
}
