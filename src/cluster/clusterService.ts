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

/** How a server's clients see a cluster: faults delay and refuse their requests. */
export interface ClientAccess {
  readonly store: ObjectStore["Service"]
  /** The view of watches, and of reads that accept any version. */
  readonly view: ClusterView["Service"]
  /** The view of reads that need the latest version. */
  readonly viewOfLatestReads: () => ClusterView["Service"]
  readonly watches: WatchConnection
  /** The usage of Pods and custom metrics. */
  readonly meter: PodMeter
  /** Wraps callbacks of users, whose errors must not stop the cluster. */
  readonly observers: Observers
  /** Returns the function that runs a request so that active faults admit or refuse it as a whole. */
  readonly findFaultRunner: FaultyStore["findFaultRunner"]
  /** As `ClusterService.step`; if a fault delays requests, a promise that resolves when the delay is over. */
  readonly runOnTimeline: <A, E>(effect: Effect<A, E>) => Exit<A, E> | Promise<Exit<A, E>>
}

export interface ClusterService
  extends ClusterCalls<"effect", ClusterService>, Pick<ObjectApi, "modify" | "feed"> {
  readonly nowMillis: () => number
  /** Runs an effect on the cluster's timeline as one step: controllers react after it has ended. */
  readonly run: <A, E>(effect: Effect<A, E>) => Effect<A, E>
  /** Throws `ClusterClosed`, for synchronous calls. */
  readonly checkOpen: () => void
  /** Runs a synchronous effect as one step; controllers react at the end of the event loop's turn. */
  readonly step: <A, E>(effect: Effect<A, E>) => Exit<A, E>
  /** Whether no actor is moving, and no active fault ends by itself or keeps Pods flapping. */
  readonly isAtRest: () => boolean
  /** Writes the authority's certificate into the ConfigMap `kube-root-ca.crt` of each namespace. */
  readonly publishCertificate: (certificate: string) => Effect<void>
  /** The counts of the controllers' work queues. */
  readonly queueMeters: () => QueueMeters
  readonly stepRecorder: Effect<StepRecorder>
  readonly clusterRecorder: Effect<ClusterRecorder>
  /** Adds a note to the recording: that a step of a story began, or that something in it failed. */
  readonly addNote: ClusterRecorder["note"]
  readonly faultInjector: Faults
  /** For callers on the cluster's timeline: values are not validated. */
  readonly load: { readonly shares: LoadShares; readonly outsideMetrics: OutsideMetrics }
  readonly strategies: ReadonlyArray<Strategy>
  readonly store: ObjectStore["Service"]
  readonly view: ClusterView["Service"]
  readonly clientAccess: ClientAccess
  /** Keeps the cluster in its data directory; undefined without one. */
  readonly durability: Durability | undefined
}
