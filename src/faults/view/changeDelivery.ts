import { relistChanges } from "./relist.ts"
import { copyState } from "./replicaCopies.ts"
import { makePendingChanges } from "./pendingChanges.ts"
import type { Timers } from "../../runtime/timers.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { Replica, ReplicaState } from "../../store/replica.ts"
import type { ViewSubscribers } from "./viewSubscribers.ts"
import type { ReplicaCopies } from "./replicaCopies.ts"
import type { PendingChangesState } from "./pendingChanges.ts"

type View = ClusterView["Service"]

export interface ChangeDelivery {
  /** The objects as of the latest delivered change; without faults, the store itself. */
  readonly deliveredView: () => View
  readonly subscribeToStore: () => void
  readonly subscribeToQuotas: () => void
  readonly delay: (millis: number) => () => void
  readonly drop: () => () => void
  readonly underway: () => number
  readonly save: () => ChangeDeliveryState | undefined
  readonly restore: (state: ChangeDeliveryState) => void
}

export interface ChangeDeliveryState extends PendingChangesState {
  readonly heard: ReplicaState
}

export const makeChangeDelivery = (options: {
  readonly present: View
  readonly timers: Timers
  readonly copies: ReplicaCopies
  readonly subscribers: ViewSubscribers
  /** Called after each delivery, and when the view begins or stops to differ from the store. */
  readonly onDelivery: () => void
}): ChangeDelivery => {
  const { present, timers, copies, subscribers, onDelivery } = options
  const delays: Array<number> = []
  let drops = 0
  let lagging: Replica | undefined

  const deliver = (change: Change): void => {
    lagging?.apply(change)
    subscribers.deliver(change)
    onDelivery()
  }
  const pending = makePendingChanges({ timers, deliver })
  const attend = once(() =>
    present.subscribe((change) => {
      if (lagging === undefined) subscribers.deliver(change)
      else if (drops === 0) pending.send(change, Math.max(...delays))
    })
  )
  const attendQuotas = once(() =>
    present.quotas.subscribe((key) => {
      if (lagging === undefined) subscribers.deliverQuota(key)
    })
  )
  const lagBehind = (replica: Replica): void => {
    attend()
    lagging = replica
    lagging.quotas.subscribe(subscribers.deliverQuota)
    onDelivery()
  }
  const fallBehind = (): void => {
    if (lagging === undefined) lagBehind(copies.copyOf(present))
  }
  /** After the last delay or drop: delivers pending changes at once, and then what was dropped. */
  const catchUp = (): void => {
    if (drops > 0 || lagging === undefined) return
    pending.deliverAll()
    for (const change of relistChanges(lagging.view, present)) deliver(change)
    if (delays.length > 0) return
    // Subscribers may have written in response.
    pending.deliverAll()
    lagging = undefined
    onDelivery()
  }
  return {
    deliveredView: () => lagging?.view ?? present,
    subscribeToStore: attend,
    subscribeToQuotas: attendQuotas,
    delay: (millis) => {
      fallBehind()
      delays.push(millis)
      return () => {
        delays.splice(delays.indexOf(millis), 1)
        if (delays.length === 0) catchUp()
      }
    },
    drop: () => {
      fallBehind()
      drops += 1
      return () => {
        drops -= 1
        catchUp()
      }
    },
    underway: pending.size,
    save: () => (lagging === undefined ? undefined : { heard: copyState(lagging), ...pending.save() }),
    restore: (state) => {
      lagBehind(copies.fromState(state.heard))
      pending.restore(state)
    }
  }
}

const once = (subscribe: () => unknown): (() => void) => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    subscribe()
  }
}
