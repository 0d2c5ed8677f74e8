import { makeSubscribers } from "./view/viewSubscribers.ts"
import { makeReplicaCopies } from "./view/replicaCopies.ts"
import { makeFrozenReads } from "./view/frozenReads.ts"
import { makeChangeDelivery } from "./view/changeDelivery.ts"
import { makeSwitchableReads } from "./view/switchableReads.ts"
import { makeVersionWaits } from "./view/versionWaits.ts"
import type { Timers } from "../runtime/timers.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { ReplicaState } from "../store/replica.ts"
import type { PendingChangesState } from "./view/pendingChanges.ts"

type View = ClusterView["Service"]

type End = () => void

/** What one client or controller sees of the cluster: without faults, the store itself. */
export interface FaultyView {
  /** Methods read the current state also when they were taken out earlier. */
  readonly view: View
  /** Subscribes after the existing subscribers of the store, before this view has any. */
  readonly subscribeToStore: () => void
  /** Delivers changes late; of several delays the longest counts. */
  readonly delay: (millis: number) => End
  /** Delivers no changes until it ends, and then one change for every object that differs. */
  readonly drop: () => End
  /** Delivers every change twice. */
  readonly repeat: () => End
  /** Reads return the present state until it ends, although changes are delivered. */
  readonly freeze: () => End
  /** Answers reads of the latest version: from the store, unless `holdBack` is on. */
  readonly viewForLatestReads: () => View
  /** Answers reads of the latest version from this view. */
  readonly makeLatestReadsStale: () => End
  readonly pendingChanges: () => number
  readonly waitingFibers: () => number
  /** Undefined where this view shows the present. Does not include the faults themselves. */
  readonly save: () => FaultyViewState | undefined
  /** For a new view. The restored faults register themselves again. */
  readonly restore: (state: FaultyViewState) => void
}

/** What is seen that is not the present, and what is on its way. */
export interface FaultyViewState extends PendingChangesState {
  readonly heard?: ReplicaState
  readonly frozen?: ReplicaState
}

interface FaultyViewOptions {
  readonly present: View
  readonly timers: Timers
  /** Whether unfreezing delivers the changes of the frozen time again, as a controller's informer needs. */
  readonly redeliversAfterFreeze: boolean
}

export const makeFaultyView = (options: FaultyViewOptions): FaultyView => {
  const { present, timers: later, redeliversAfterFreeze: tellsAgain } = options
  const copies = makeReplicaCopies(later.nowMillis)
  const subscribers = makeSubscribers()
  const switchable = makeSwitchableReads(present)
  const versionWaits = makeVersionWaits({ timers: later, version: switchable.reads.version })
  const currentView = (): View => frozenReads.frozen() ?? delivery.deliveredView()
  const switchReads = (): void => {
    switchable.switchTo(currentView())
    versionWaits.resumeCaughtUp()
  }
  const delivery = makeChangeDelivery({
    present,
    timers: later,
    copies,
    subscribers,
    onDelivery: switchReads
  })
  const frozenReads = makeFrozenReads({
    delivered: delivery.deliveredView,
    copies,
    onSwitch: switchReads,
    subscribers: tellsAgain ? subscribers : undefined
  })

  /** The history of the store, up to the version that this view holds. */
  const changesSeenSince = (view: View, from: number): ReturnType<View["since"]> =>
    present.since(from)?.filter(({ resourceVersion }) => resourceVersion <= view.version())
  const view: View = {
    ...switchable.reads,
    quotas: {
      ...switchable.reads.quotas,
      subscribe: (listener) => {
        delivery.subscribeToQuotas()
        return subscribers.subscribeQuotas(listener)
      }
    },
    subscribe: (listener) => {
      delivery.subscribeToStore()
      return subscribers.subscribe(listener)
    },
    since: (from) =>
      currentView() === present ? present.since(from) : changesSeenSince(currentView(), from),
    delivered: {
      version: () => delivery.deliveredView().version(),
      since: (from) => {
        const delivered = delivery.deliveredView()
        return delivered === present ? present.since(from) : changesSeenSince(delivered, from)
      }
    },
    waitForVersion: (version) =>
      currentView() === present ? present.waitForVersion(version) : versionWaits.caughtUp(version)
  }

  let staleLatestReads = 0
  return {
    view,
    subscribeToStore: delivery.subscribeToStore,
    delay: delivery.delay,
    drop: delivery.drop,
    repeat: subscribers.repeat,
    freeze: frozenReads.freeze,
    viewForLatestReads: () => (staleLatestReads > 0 ? view : present),
    makeLatestReadsStale: () => {
      staleLatestReads += 1
      return () => {
        staleLatestReads -= 1
      }
    },
    pendingChanges: delivery.underway,
    waitingFibers: versionWaits.size,
    save: () => {
      const [heard, frozen] = [delivery.save(), frozenReads.save()]
      if (heard === undefined && frozen === undefined) return undefined
      return { underway: [], ...heard, ...(frozen === undefined ? {} : { frozen }) }
    },
    restore: ({ frozen, heard, ...underway }) => {
      if (frozen !== undefined) frozenReads.restore(frozen)
      if (heard !== undefined) delivery.restore({ heard, ...underway })
      else switchReads()
    }
  }
}
