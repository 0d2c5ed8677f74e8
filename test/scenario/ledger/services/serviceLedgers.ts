import * as Effect from "effect/Effect"
import { serviceManifest } from "../../../builders.ts"
import { deploymentManifest, createObject } from "../../../cluster/testCluster.ts"
import { resources } from "../../../../src/kubernetes/meta/kinds.ts"
import { withLedger } from "../withLedger.ts"
import type { Behaviour } from "../../../../src/behaviours/behaviour.ts"
import type { ClusterOptions } from "../../../../src/cluster/clusterOptions.ts"
import type { LedgerOptions } from "../../../../src/scenario/ledger/ledger.ts"
import type { ClusterService } from "../../../cluster/testCluster.ts"

/** Pods take ten seconds until they are ready and five to stop. */
const plain: Behaviour = {
  name: "plain",
  schedule: "0s",
  pull: { delay: "0s" },
  start: "10s",
  ready: "0s",
  terminate: "5s"
}

export const hook = (preStop: object) => ({ lifecycle: { preStop } })

/** The Service's account of the minute that begins with `action`, for a Deployment that is complete. */
export const accountAfter = (
  manifest: Parameters<typeof deploymentManifest>[0],
  action: (cluster: ClusterService) => Effect.Effect<unknown, unknown>,
  options: LedgerOptions & {
    readonly behaviour?: Partial<Behaviour>
    readonly livesOf?: NonNullable<ClusterOptions["livesOf"]>
    readonly service?: object
  } = {}
) =>
  withLedger(
    {
      behaviour: { ...plain, ...options.behaviour },
      ...(options.livesOf === undefined ? {} : { livesOf: options.livesOf })
    },
    (cluster, ledger) =>
      Effect.gen(function* () {
        yield* cluster.create(serviceManifest(options.service))
        yield* createObject(cluster, deploymentManifest(manifest))
        yield* cluster.rollout("web")
        yield* cluster.advance(60_000)
        const from = cluster.nowMillis()
        ledger.restart(from)
        yield* action(cluster)
        yield* cluster.advance(60_000)
        ledger.advanceTo(cluster.nowMillis())
        const entry = ledger.ofService("default/web")
        if (entry === undefined) throw new Error("the Service is not in the ledger")
        return { from, entry, ...entry.totals(cluster.nowMillis()) }
      }),
    options
  )

export const firstPod = (cluster: ClusterService) =>
  [...cluster.view.all(resources.pods)][0]?.metadata.name ?? ""
/** Deletes one Pod. */
export const deleteOnePod =
  (gracePeriodSeconds?: number) =>
  (cluster: ClusterService): Effect.Effect<unknown, unknown> =>
    cluster.delete(
      { resource: resources.pods, name: firstPod(cluster) },
      gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
    )
