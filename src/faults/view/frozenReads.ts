import { resources } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { relistChanges } from "./relist.ts"
import { copyState } from "./replicaCopies.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Replica, ReplicaState } from "../../store/replica.ts"
import type { ViewSubscribers } from "./viewSubscribers.ts"
import type { ReplicaCopies } from "./replicaCopies.ts"

type View = ClusterView["Service"]

export interface FrozenReads {
  readonly freeze: () => () => void
  readonly frozen: () => View | undefined
  readonly save: () => ReplicaState | undefined
  readonly restore: (state: ReplicaState) => void
}

export const makeFrozenReads = (options: {
  readonly delivered: () => View
  readonly copies: ReplicaCopies
  readonly onSwitch: () => void
  /** The subscribers that get the changes of the stale time again. */
  readonly subscribers: ViewSubscribers | undefined
}): FrozenReads => {
  const { delivered, copies, onSwitch, subscribers } = options
  let freezes = 0
  let frozen: Replica | undefined
  return {
    freeze: () => {
      freezes += 1
      frozen ??= copies.copyOf(delivered())
      onSwitch()
      return () => {
        freezes -= 1
        if (freezes > 0 || frozen === undefined) return
        const frozenView = frozen.view
        frozen = undefined
        onSwitch()
        if (subscribers !== undefined) deliverMissed(subscribers, frozenView, delivered())
      }
    },
    frozen: () => frozen?.view,
    save: () => (frozen === undefined ? undefined : copyState(frozen)),
    restore: (state) => {
      frozen = copies.fromState(state)
    }
  }
}

const deliverMissed = ({ deliver, deliverQuota }: ViewSubscribers, seen: View, present: View): void => {
  for (const change of relistChanges(seen, present)) deliver(change)
  for (const quota of present.all(resources.resourceQuotas)) deliverQuota(objectKeyOf(quota))
}
