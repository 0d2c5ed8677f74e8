import type { Effect } from "effect/Effect"
import type { Exit } from "effect/Exit"
import type { Strategy } from "../../machines/strategies/strategy.ts"
import type { ClusterCalls } from "./calls/clusterCalls.ts"
import type { ObjectApi } from "./calls/objectApi.ts"
import type { StepRecorder } from "../explain/steps/stepRecorder.ts"
import type { Faults } from "../faults/activeFaults.ts"
import type { LoadShares } from "./loads/loadShares.ts"
import type { OutsideMetrics } from "./loads/outsideMetrics.ts"
import type { PodMeter } from "../kubernetes/metrics/podMeter.ts"
import type { FaultyStore } from "../faults/faultyStore.ts"
import type { WatchConnection } from "../faults/watchConnection.ts"
import type { ClusterRecorder } from "../recording/clusterRecorder.ts"
import type { Durability } from "./data/clusterData.ts"
import type { QueueMeters } from "../runtime/workers/queueMeters.ts"
import type { Observers } from "../runtime/observers.ts"
import type { ClusterView, ObjectStore } from "../store/objectStore.ts"

export interface ClientAccess {
  readonly store: ObjectStore["Service"]
  /** The view of watches, and of reads that accept any version. */
  readonly view: ClusterView["Service"]
  readonly viewOfLatestReads: () => ClusterView["Service"]
  readonly watches: WatchConnection
  readonly meter: PodMeter
  readonly observers: Observers
  readonly runWithFaults: FaultyStore["runAsOneRequest"]
  /** A promise where a fault delays requests. */
  readonly step: <A, E>(effect: Effect<A, E>) => Exit<A, E> | Promise<Exit<A, E>>
}

export interface ClusterService extends ClusterCalls<"effect", ClusterService>, Pick<ObjectApi, "modify"> {
  readonly nowMillis: () => number
  /** The effect runs as one step: controllers react after it. */
  readonly run: <A, E>(effect: Effect<A, E>) => Effect<A, E>
  readonly checkOpen: () => void
  /** The effect runs as one step: controllers react at the end of the event loop's turn. */
  readonly step: <A, E>(effect: Effect<A, E>) => Exit<A, E>
  /** False while an actor moves, or an active fault ends by itself or keeps Pods flapping. */
  readonly isAtRest: () => boolean
  readonly publishCertificate: (certificate: string) => Effect<void>
  readonly queueMeters: () => QueueMeters
  readonly stepRecorder: Effect<StepRecorder>
  readonly clusterRecorder: Effect<ClusterRecorder>
  readonly addNote: ClusterRecorder["note"]
  readonly faultInjector: Faults
  readonly load: { readonly shares: LoadShares; readonly outsideMetrics: OutsideMetrics }
  readonly strategies: ReadonlyArray<Strategy>
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly clientAccess: ClientAccess
  readonly durability: Durability | undefined
}
