import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { podsOfDeployment } from "../../store/ownerLookup.ts"
import { placementDeadlockIn } from "../../store/placementSurroundings.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { rolloutState } from "./rolloutWatch.ts"
import { whyPodsNotReady } from "../../scenario/ledger/notReadyReason.ts"
import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"

export const incompleteReasons = (cluster: Cluster["Service"], key: Key): ReadonlyArray<string> => {
  const deployment = cluster.view.get(resources.deployments, key)
  if (deployment === undefined || rolloutState(cluster.view, key) === "complete") return []
  if (rolloutState(cluster.view, key) === "paused")
    return ["spec.paused is true, and a paused rollout never ends"]
  const failure = conditionOf(deployment.status.conditions, "ReplicaFailure")?.message
  const events = Array.from(cluster.view.all(resources.events), toCompleteEvent)
  const reasons = podsOfDeployment(cluster.view, deployment).flatMap(
    (pod) => whyPodsNotReady(pod, events) ?? []
  )
  const deadlock = placementDeadlockIn(cluster.view, deployment)
  const allReasons = [
    ...(failure === undefined ? [] : [withoutPodName(failure)]),
    ...reasons,
    ...(deadlock === undefined ? [] : [deadlock])
  ]
  return [...new Set(allReasons)]
}

/** The Pod's name differs from seed to seed: `pods "web-1" is forbidden`, `Pod "web-1" is invalid`. */
const withoutPodName = (message: string): string => message.replace(/^(?:pods|Pod) "[^"]*" is /, "Pods are ")
