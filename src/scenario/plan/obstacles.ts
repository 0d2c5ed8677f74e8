import { conditionOf } from "../../domain/conditions.ts"
import { resources } from "../../domain/kinds.ts"
import { stateOf } from "./planWatch.ts"
import { whyNotAvailable } from "../ledger/reasons.ts"
import { wholeEvent } from "../../domain/wholeEvent.ts"
import type { Cluster } from "../../cluster.ts"
import type { Key } from "../../domain/objects.ts"

/** Why the Deployment is not there: what keeps it from making Pods, and its Pods from being available. */
export const reasonsOf = (cluster: Cluster["Service"], key: Key): ReadonlyArray<string> => {
  const deployment = cluster.view.get(resources.deployments, key)
  if (deployment === undefined || stateOf(cluster.view, key) === "complete") return []
  if (stateOf(cluster.view, key) === "paused") return ["spec.paused is true, and a paused rollout never ends"]
  const failure = conditionOf(deployment.status.conditions, "ReplicaFailure")?.message
  const pods = cluster.view
    .controlled(resources.replicaSets, deployment.metadata.uid)
    .flatMap(({ metadata }) => cluster.view.controlled(resources.pods, metadata.uid))
  const events = Array.from(cluster.view.all(resources.events), wholeEvent)
  const reasons = pods.flatMap((pod) => whyNotAvailable(pod, events) ?? [])
  const all = failure === undefined ? reasons : [withoutName(failure), ...reasons]
  return [...new Set(all)]
}

/**
 * What a Pod is called that could not be made is another thing with each seed, and nothing to anybody: `pods "web-1" is
 * forbidden`, `Pod "web-1" is invalid`.
 */
const withoutName = (message: string): string => message.replace(/^(?:pods|Pod) "[^"]*" is /, "Pods are ")
