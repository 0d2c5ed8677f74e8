import { makeFaultyStore } from "./faultyStore.ts"
import { makeFaultyView } from "./faultyView.ts"
import { makeWatchConnection } from "./watchConnection.ts"
import { observedStore } from "../store/writeObserver.ts"
import type { FaultyStore } from "./faultyStore.ts"
import type { FaultyView, ViewReads } from "./faultyView.ts"
import type { Timers } from "../runtime/timers.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { WriteObserver } from "../store/writeObserver.ts"
import type { WatchConnection } from "./watchConnection.ts"

/** Faults replace the methods of `store` and `view`. */
export interface ClientConnection {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly faultyStore: FaultyStore
  readonly faultyView: FaultyView
  /** Breaks watches; `faultyView` delays and drops their changes. */
  readonly watches: WatchConnection
  /** For reads of the latest version: the store's view, unless a fault makes these reads stale. */
  readonly viewOfLatestReads: () => ClusterView["Service"]
  readonly makeLatestReadsStale: () => () => void
  /** Fixes the connection's place in the order in which the store calls its subscribers. */
  readonly subscribeToStore: () => void
  readonly observeWrites: (observer: WriteObserver) => void
}

export interface ClientConnectionOptions {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly timers: Timers
  /** Controllers retry writes refused with 429, and receive missed changes after a freeze of their reads. */
  readonly usedBy: "controller" | "client"
}

export const makeClientConnection = (options: ClientConnectionOptions): ClientConnection => {
  const { timers, view: storeView } = options
  const { kinds } = storeView
  const isController = options.usedBy === "controller"
  const { store, replaceStore, observeWrites } = makeReplaceableStore(options.store, kinds)
  const { view, replaceReads, changeSubscribers, quotaSubscribers } = makeReplaceableView(storeView)
  let faultsOfLatestReads = 0

  return {
    store,
    view,
    faultyStore: makeFaultyStore({
      store: options.store,
      kinds,
      timers,
      retriesAfter429: isController,
      replaceStore
    }),
    faultyView: makeFaultyView({
      present: storeView,
      changeSubscribers,
      quotaSubscribers,
      timers,
      redeliversAfterFreeze: isController,
      replaceReads
    }),
    watches: makeWatchConnection(),
    viewOfLatestReads: () => (faultsOfLatestReads > 0 ? view : storeView),
    makeLatestReadsStale: () => {
      faultsOfLatestReads += 1
      return () => {
        faultsOfLatestReads -= 1
      }
    },
    subscribeToStore: changeSubscribers.attach,
    observeWrites
  }
}

/** The store's writes are observed before and after its methods are replaced. */
const makeReplaceableStore = (original: ObjectStore["Service"], kinds: ClusterView["Service"]["kinds"]) => {
  const store = { ...original }
  let storeWithoutObserver = original
  let observer: WriteObserver | undefined
  const replaceStore = (next: ObjectStore["Service"]): void => {
    storeWithoutObserver = next
    Object.assign(store, observer === undefined ? next : observedStore(next, kinds, observer))
  }
  const observeWrites = (nextObserver: WriteObserver): void => {
    observer = nextObserver
    replaceStore(storeWithoutObserver)
  }
  return { store, replaceStore, observeWrites }
}

/** The view's subscribers stay when its reads are replaced. */
const makeReplaceableView = (original: ClusterView["Service"]) => {
  const changeSubscribers = original.makeSubscriberGroup()
  const quotaSubscribers = original.quotas.makeSubscriberGroup()
  const withSubscribers = (reads: ViewReads): ClusterView["Service"] => ({
    ...reads,
    subscribe: changeSubscribers.subscribe,
    quotas: { ...reads.quotas, subscribe: quotaSubscribers.subscribe }
  })
  const view = withSubscribers(original)
  const replaceReads = (reads: ViewReads): void => {
    Object.assign(view, withSubscribers(reads))
  }
  return { view, replaceReads, changeSubscribers, quotaSubscribers }
}
