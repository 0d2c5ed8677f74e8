import { makeGatedStore } from "./gatedStore.ts"
import { makeLaggingView } from "./laggingView.ts"
import { makeWatchConnection } from "./watchLine.ts"
import type { GatedStore } from "./gatedStore.ts"
import type { LaggingView } from "./laggingView.ts"
import type { Later } from "./later.ts"
import type { ClusterView, ObjectStore } from "./objectStore.ts"
import type { WatchLine } from "./watchLine.ts"

/** How one client or controller reads, writes and watches; faults act on it. */
export interface Link {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly gate: GatedStore
  readonly sight: LaggingView
  readonly watches: WatchLine
}

interface ClientConnectionOptions {
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly later: Later
  readonly of: "controller" | "client"
}

export const makeLink = (options: ClientConnectionOptions): Link => {
  const { store, view: present, later } = options
  const isController = options.of === "controller"
  const gate = makeGatedStore({ store, kinds: () => present.kinds, later, retries: isController })
  const sight = makeLaggingView({ present, later, tellsAgain: isController })
  return { store: gate.store, view: sight.view, gate, sight, watches: makeWatchConnection() }
}
