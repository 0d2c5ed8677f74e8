import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import type { ReplicaSet } from "../../kubernetes/meta/objects.ts"

/** Why the number of a ReplicaSet's Pods does not change: it is refused, or its controller has not looked yet. */
export const replicaSetRefusals = (replicaSet: ReplicaSet): ReadonlyArray<string> => [
  ...failureSentences(replicaSet),
  ...unobservedSentences(replicaSet)
]

const failureSentences = ({ metadata, status }: ReplicaSet): ReadonlyArray<string> => {
  const failure = conditionOf(status.conditions, "ReplicaFailure")
  if (failure?.status !== "True") return []
  const { reason = "FailedCreate", message = "it was refused" } = failure
  const what = reason === "FailedDelete" ? "deleted" : "created"
  return [
    `Pods of ReplicaSet ${metadata.name} cannot be ${what}: ${message.replace(/\.$/u, "")} (${reason}).`
  ]
}

const unobservedSentences = ({ metadata, status }: ReplicaSet): ReadonlyArray<string> =>
  (metadata.generation ?? 0) > (status.observedGeneration ?? 0)
    ? [`The ReplicaSet controller has not seen the latest size of ${metadata.name} yet.`]
    : []
