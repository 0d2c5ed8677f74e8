import { resources } from "../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { makeReplica } from "../store/replica.ts"
import { makePendingChanges } from "./view/pendingChanges.ts"
import { presentObjectsIn, relistChanges } from "./view/relist.ts"
import { makeVersionWaits } from "./view/versionWaits.ts"
import { deliveredView, deliveryOf, shownView, nextViewState } from "./view/viewState.ts"
import type { Key } from "../kubernetes/meta/objects.ts"
import type { Timers } from "../runtime/timers.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { Replica, ReplicaState } from "../store/replica.ts"
import type { PendingChangesState } from "./view/pendingChanges.ts"
import type { SubscriberGroup } from "../store/watch/subscribers.ts"
import type { ViewEvent, ViewState } from "./view/viewState.ts"

type View = ClusterView["Service"]

type EndViewFault = () => void

export interface FaultyView {
  /** Delivers changes late; the longest delay counts. */
  readonly delayChanges: (millis: number) => EndViewFault
  /** Delivers no changes until the fault ends, then one change for each object that differs. */
  readonly dropChanges: () => EndViewFault
  /** Delivers every change once more. */
  readonly repeatChanges: () => EndViewFault
  /** Reads show the objects of this moment until the fault ends; changes are still delivered. */
  readonly freezeReads: () => EndViewFault
  readonly pendingChanges: () => number
  readonly waitingFibers: () => number
  readonly save: () => FaultyViewState | undefined
  /** Called on a new view: the restored faults then begin again by themselves. */
  readonly restore: (state: FaultyViewState) => void
}

export interface FaultyViewState extends PendingChangesState {
  /** The delivered objects; undefined while every change is delivered at once. */
  readonly heard?: ReplicaState
  /** The objects that reads show during a freeze. */
  readonly frozen?: ReplicaState
}

export type ViewReads = Omit<View, "subscribe">

interface FaultyViewOptions {
  /** The store's own view, which is never late. */
  readonly present: View
  readonly changeSubscribers: SubscriberGroup<Change>
  readonly quotaSubscribers: SubscriberGroup<Key>
  readonly timers: Timers
  /** A controller's informer needs its changes again after a freeze. */
  readonly redeliversAfterFreeze: boolean
  readonly replaceReads: (reads: ViewReads) => void
}

export const makeFaultyView = (options: FaultyViewOptions): FaultyView => {
  const { present, changeSubscribers, quotaSubscribers, timers, redeliversAfterFreeze } = options
  let state: ViewState = { type: "present" }
  let repeats = 0
  const versionWaits = makeVersionWaits({ timers, version: () => shownView(state, present).version() })

  // A replica needs no history of its own: `since` reads the store's.
  const newReplica = (): Replica => makeReplica({ nowMillis: timers.nowMillis, historyChangesMax: 1 })
  const replicaOf = (view: View): Replica => {
    const replica = newReplica()
    replica.addInitialObjects(presentObjectsIn(view))
    return replica
  }
  const replicaFrom = (saved: ReplicaState): Replica => {
    const replica = newReplica()
    replica.restore(saved)
    return replica
  }

  const deliverToAll = (change: Change): void => {
    for (let round = 0; round <= repeats; round += 1) changeSubscribers.deliver(change)
  }
  const deliverToReplica = (change: Change): void => {
    const delivery = deliveryOf(state)
    if (delivery.type !== "present") delivery.replica.apply(change)
    deliverToAll(change)
    versionWaits.resumeCaughtUp()
  }
  const pending = makePendingChanges({ timers, deliver: deliverToReplica })
  const receive = (change: Change): void => {
    const delivery = deliveryOf(state)
    if (delivery.type === "present") deliverToAll(change)
    // While the view catches up, a change follows directly after the pending ones.
    else if (delivery.type !== "dropped") pending.send(change, Math.max(...delivery.delays))
  }

  const changesSince = (view: View, from: number): ReturnType<View["since"]> =>
    view === present
      ? present.since(from)
      : present.since(from)?.filter(({ resourceVersion }) => resourceVersion <= view.version())
  const currentReads = (): ViewReads => {
    const [shown, delivered] = [shownView(state, present), deliveredView(state, present)]
    if (shown === present) return present
    return {
      ...shown,
      since: (from) => changesSince(shown, from),
      delivered: { version: delivered.version, since: (from) => changesSince(delivered, from) },
      waitForVersion: versionWaits.waitFor
    }
  }
  const updateReads = (): void => {
    const isPresent = deliveryOf(state).type === "present"
    changeSubscribers.divert(isPresent && repeats === 0 ? undefined : receive)
    // While the view is behind, its replica reports changed quotas, with the usage that the view shows.
    quotaSubscribers.divert(isPresent ? undefined : () => {})
    options.replaceReads(currentReads())
    versionWaits.resumeCaughtUp()
  }
  const enter = (next: ViewState): void => {
    const [before, delivery] = [deliveryOf(state), deliveryOf(next)]
    state = next
    if (before.type === "present" && delivery.type !== "present") {
      changeSubscribers.attach()
      delivery.replica.quotas.subscribe(quotaSubscribers.deliver)
    }
    updateReads()
  }
  const step = (event: ViewEvent): void => {
    enter(nextViewState(state, event, present, replicaOf))
    if (deliveryOf(state).type === "catchingUp") catchUp()
  }
  /** Delivers what was pending and, as a new list would, what was dropped. */
  const catchUp = (): void => {
    pending.deliverAll()
    for (const change of relistChanges(deliveredView(state, present), present)) deliverToReplica(change)
    const delivery = deliveryOf(state)
    // Subscribers may have written meanwhile.
    if (delivery.type === "catchingUp" && delivery.delays.length === 0) pending.deliverAll()
    enter(nextViewState(state, { type: "caughtUp" }, present, replicaOf))
  }
  const endFreeze = (): void => {
    const before = state
    step({ type: "freezeEnded" })
    if (before.type !== "frozen" || state.type === "frozen" || !redeliversAfterFreeze) return
    for (const change of relistChanges(before.copy.view, deliveredView(state, present))) deliverToAll(change)
    for (const quota of deliveredView(state, present).all(resources.resourceQuotas)) {
      quotaSubscribers.deliver(objectKeyOf(quota))
    }
  }

  return {
    delayChanges: (millis) => {
      step({ type: "delayBegan", millis })
      return () => step({ type: "delayEnded", millis })
    },
    dropChanges: () => {
      step({ type: "dropBegan" })
      return () => step({ type: "dropEnded" })
    },
    repeatChanges: () => {
      repeats += 1
      updateReads()
      return () => {
        repeats -= 1
        updateReads()
      }
    },
    freezeReads: () => {
      step({ type: "freezeBegan" })
      return endFreeze
    },
    pendingChanges: pending.size,
    waitingFibers: versionWaits.size,
    save: () => {
      if (shownView(state, present) === present) return undefined
      const delivery = deliveryOf(state)
      const { underway, ...timer } = pending.save()
      // Snapshots have the fields in this order.
      return {
        underway,
        ...(delivery.type === "present" ? {} : { heard: withoutHistory(delivery.replica) }),
        ...timer,
        ...(state.type === "frozen" ? { frozen: withoutHistory(state.copy) } : {})
      }
    },
    restore: ({ heard, frozen, ...pendingState }) => {
      const delivery =
        heard === undefined
          ? ({ type: "present" } as const)
          : ({ type: "late", replica: replicaFrom(heard), delays: [] } as const)
      enter(
        frozen === undefined
          ? delivery
          : { type: "frozen", copy: replicaFrom(frozen), activeFreezes: 0, delivery }
      )
      pending.restore(pendingState)
    }
  }
}

/** A restored replica reads the store's history. */
const withoutHistory = (copy: Replica): ReplicaState => ({
  ...copy.save(),
  history: { changes: [], oldest: copy.view.version() }
})
