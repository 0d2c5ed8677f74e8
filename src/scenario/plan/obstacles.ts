import { conditionOf } from "../../domain/conditions.ts"
import { resources } from "../../domain/kinds.ts"
import { rolloutState } from "./planWatch.ts"
import { whyNotAvailable } from "../ledger/reasons.ts"
import { toCompleteEvent } from "../../domain/wholeEvent.ts"
import type { Cluster } from "../../cluster.ts"
import type { Key } from "../../domain/objects.ts"

export const incompleteReasons = (cluster: Cluster["Service"], key: Key): ReadonlyArray<string> => {
  const deployment = cluster.view.get(resources.deployments, key)
  if (deployment === undefined || rolloutState(cluster.view, key) === "complete") return []
  if (rolloutState(cluster.view, key) === "paused")
    return ["spec.paused is true, and a paused rollout never ends"]
  const failure = conditionOf(deployment.status.conditions, "ReplicaFailure")?.message
  const pods = cluster.view
    .controlled(resources.replicaSets, deployment.metadata.uid)
    .flatMap(({ metadata }) => cluster.view.controlled(resources.pods, metadata.uid))
  const events = Array.from(cluster.view.all(resources.events), toCompleteEvent)
  const reasons = pods.flatMap((pod) => whyNotAvailable(pod, events) ?? [])
  const all = failure === undefined ? reasons : [withoutPodName(failure), ...reasons]
  return [...new Set(all)]
}

/** Removes the Pod's name, which differs from seed to seed: `pods "web-1" is forbidden`, `Pod "web-1" is invalid`. */
const withoutPodName = (message: string): string => message.replace(/^(?:pods|Pod) "[^"]*" is /, "Pods are ")
