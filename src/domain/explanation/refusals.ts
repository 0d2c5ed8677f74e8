import { conditionOf } from "../conditions.ts"
import type { ReplicaSet } from "../objects.ts"

/** What the server has refused to a ReplicaSet, and what its controller has not seen yet. */
export const replicaSetRefusals = (replicaSet: ReplicaSet): ReadonlyArray<string> => [
  ...refusedTo(replicaSet),
  ...unseenOf(replicaSet)
]

const refusedTo = ({ metadata, status }: ReplicaSet): ReadonlyArray<string> => {
  const failure = conditionOf(status.conditions, "ReplicaFailure")
  if (failure?.status !== "True") return []
  const { reason = "FailedCreate", message = "it was refused" } = failure
  const what = reason === "FailedDelete" ? "deleted" : "created"
  return [
    `Pods of ReplicaSet ${metadata.name} cannot be ${what}: ${message.replace(/\.$/u, "")} (${reason}).`
  ]
}

const unseenOf = ({ metadata, status }: ReplicaSet): ReadonlyArray<string> =>
  (metadata.generation ?? 0) > (status.observedGeneration ?? 0)
    ? [`The ReplicaSet controller has not seen the latest size of ${metadata.name} yet.`]
    : []
