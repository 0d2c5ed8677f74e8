import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isGenerationObserved } from "../../kubernetes/meta/observedGeneration.ts"
import type { ReplicaSet } from "../../kubernetes/meta/objects.ts"

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

const unobservedSentences = (replicaSet: ReplicaSet): ReadonlyArray<string> =>
  isGenerationObserved(replicaSet)
    ? []
    : [`The ReplicaSet controller has not seen the latest size of ${replicaSet.metadata.name} yet.`]
