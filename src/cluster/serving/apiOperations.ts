import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type { ApiOperations, RequestLogAndInterceptors } from "../../server/requestHandler.ts"
import type { ViewerRequest } from "../../recording/recordingViewer.ts"
import type { ClusterService } from "../clusterService.ts"
import type { Faults } from "../../faults/activeFaults.ts"

export type ApiCluster = Pick<
  ClusterService,
  | "clientAccess"
  | "view"
  | "nowMillis"
  | "clock"
  | "faultInjector"
  | "advance"
  | "settle"
  | "snapshot"
  | "forecast"
  | "stepRecorder"
  | "clusterRecorder"
  | "queueMeters"
  | "durability"
>

/** Distinguishes the recordings of two servers whose clusters started alike. */
const instanceBytes = 6

export const apiOperations = (cluster: ApiCluster, traffic?: RequestLogAndInterceptors): ApiOperations => {
  const { nowMillis, faultInjector } = cluster
  // Faults may make two views late: `watchCache`, and `viewOfLatestReads`.
  const { observers, runOnTimeline, view: watchCache, ...access } = cluster.clientAccess
  const { store, viewOfLatestReads, findFaultRunner, watches, meter } = access
  const recordingInstance = randomBytes(instanceBytes).toString("base64url")
  return {
    services: {
      store,
      view: cluster.view,
      watchCache,
      viewOfLatestReads,
      findFaultRunner,
      watchConnection: watches,
      meter,
      nowMillis
    },
    clock: { ...cluster.clock, advance: cluster.advance, settle: cluster.settle },
    faults: { nowMillis, begin: beginFault(faultInjector), active: faultInjector.active },
    snapshot: Effect.flatMap(cluster.snapshot, (snapshot) =>
      Effect.promise(async () => (await import("../snapshots/snapshotText.ts")).snapshotText(snapshot))
    ),
    forecast: cluster.forecast,
    stepOperations: cluster.stepRecorder,
    recording: Effect.flatMap(cluster.clusterRecorder, (recorder) =>
      Effect.promise(async () => {
        const { openRecordingViewer } = await import("../../recording/recordingViewer.ts")
        return { open: (request: ViewerRequest) => openRecordingViewer(recorder, request, recordingInstance) }
      })
    ),
    observers,
    queueMeters: cluster.queueMeters,
    runOnTimeline,
    durability: cluster.durability,
    traffic
  }
}

const beginFault =
  ({ begin }: Faults) =>
  (input: unknown) =>
    Effect.flatMap(
      Effect.promise(() => import("../../faults/checkFault.ts")),
      ({ readFault }) => {
        const fault = readFault(input)
        return fault instanceof Error ? Effect.fail(fault) : begin(fault, { isValidated: true })
      }
    )
