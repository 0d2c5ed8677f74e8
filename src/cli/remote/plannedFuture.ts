import * as Effect from "effect/Effect"
import { defaultNodeCount } from "../../cluster/defaultNodeCount.ts"
import { judgePlan } from "../../plan/verdicts/judgePlan.ts"
import { planLines } from "../plan/outputs/planLines.ts"
import { planRollout } from "../../plan/planRollout.ts"
import { readLiveCluster } from "../plan/readLiveCluster.ts"
import { readManifestObjects } from "../../manifests/readManifests.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { withoutIdentity } from "../../manifests/manifestDocument.ts"

import type { Palette } from "../terminal/palette.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"
import type { ShownFuture } from "./remoteForecast.ts"
import type { RemoteRolloutRef } from "./remoteRollout.ts"
import type { Manifest } from "../../kubernetes/meta/objects.ts"

/** Fewer seeds than `charthouse plan` plays, so that the answer comes soon. */
const seeds = Array.from({ length: 20 }, (_, index) => index + 1)

/**
 * The answer of `charthouse plan --kubeconfig` for a Deployment in a cluster that cannot be copied, with measured
 * behaviours of Pods.
 */
export const plannedFuture = async (
  remote: RemoteCluster,
  { name, kubeconfig, context }: RemoteRolloutRef,
  palette: Palette
): Promise<ShownFuture> => {
  const deployment = await remote.get({ resource: resources.deployments, name })
  const next = readManifestObjects([deployment as object as Manifest], {
    skipsCustomResources: true
  }).documents.map(withoutIdentity)
  const live = await Effect.runPromise(
    readLiveCluster({ kubeconfig, context }, next, { includesReplicaSets: true })
  )
  const plan = await Effect.runPromise(
    planRollout(
      {
        next,
        from: live.from,
        livePods: live.livePods,
        // `from` contains the cluster's nodes if they could be read.
        nodes: live.nodes === undefined ? defaultNodeCount : 0,
        behaviours: [...live.failingBehaviours, ...live.measuredBehaviours],
        traffic: {},
        warnings: live.warnings
      },
      seeds
    )
  )
  const judgement = judgePlan(plan)
  return {
    json: { planned: plan },
    lines: [
      palette.strong(
        "This cluster is not Charthouse's and cannot be copied. As charthouse plan --kubeconfig predicts:"
      ),
      ...planLines(plan, { judgement, failedPredicates: [], isDetailed: () => true }, palette)
    ]
  }
}
