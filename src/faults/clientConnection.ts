import { makeFaultyStore } from "./faultyStore.ts"
import { makeFaultyView } from "./faultyView.ts"
import { makeWatchConnection } from "./watchConnection.ts"
import type { FaultyStore } from "./faultyStore.ts"
import type { FaultyView } from "./faultyView.ts"
import type { Timers } from "../runtime/timers.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"
import type { WatchConnection } from "./watchConnection.ts"

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
