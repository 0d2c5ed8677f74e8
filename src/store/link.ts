import { makeFaultyStore } from "./gatedStore.ts"
import { makeFaultyView } from "./laggingView.ts"
import { makeWatchConnection } from "./watchLine.ts"
import type { FaultyStore } from "./gatedStore.ts"
import type { FaultyView } from "./laggingView.ts"
import type { Timers } from "./later.ts"
import type { ClusterView, ObjectStore } from "./objectStore.ts"
import type { WatchConnection } from "./watchLine.ts"

/** How one client or controller reads, writes and watches; faults act on it. */
export interface ClientConnection {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly writes: FaultyStore
  readonly reads: FaultyView
  readonly watches: WatchConnection
}

interface ClientConnectionOptions {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly timers: Timers
  readonly of: "controller" | "client"
}

export const makeClientConnection = (options: ClientConnectionOptions): ClientConnection => {
  const { store, view: present, timers: later } = options
  const isController = options.of === "controller"
  const gate = makeFaultyStore({ store, kinds: () => present.kinds, timers: later, retries: isController })
  const sight = makeFaultyView({ present, timers: later, redeliversAfterFreeze: isController })
  return { store: gate.store, view: sight.view, writes: gate, reads: sight, watches: makeWatchConnection() }
}
