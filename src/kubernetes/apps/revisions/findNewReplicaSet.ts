import { compareByCreation } from "../../meta/objectOrder.ts"
import { isSameTemplate } from "./podTemplates.ts"
import type { Deployment, ReplicaSet } from "../../meta/objects.ts"

/**
 * The oldest ReplicaSet of the present template. Source:
 * deployment_util.go (FindNewReplicaSet).
 */
export const findNewReplicaSet = (
  { spec: { template } }: Pick<Deployment, "spec">,
  replicaSets: Iterable<ReplicaSet>
): ReplicaSet | undefined => {
  let newReplicaSet: ReplicaSet | undefined
  for (const it of replicaSets) {
    const isOlder = newReplicaSet === undefined || compareByCreation(it, newReplicaSet) < 0
    if (isOlder && isSameTemplate(it.spec.template, template)) newReplicaSet = it
  }
  return newReplicaSet
}
