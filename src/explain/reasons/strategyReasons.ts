import { countText } from "../../kubernetes/meta/text/countText.ts"
import { activeReplicaSets, specReplicas, statusReplicas } from "../../kubernetes/apps/replicaCounts.ts"
import { scaleDownBudget, planNext, planPrevious, surgeRoom } from "../../kubernetes/apps/rollingUpdate.ts"
import { planStart, planStop } from "../../kubernetes/apps/recreate.ts"
import { deploymentReason, floorText, nameTakenText, nextMissingText } from "./deploymentReasons.ts"
import type { DeploymentObservation } from "../../kubernetes/apps/deploymentObservation.ts"
import type { Resize } from "../../kubernetes/apps/rollingUpdate.ts"
import type { GuardReasons } from "./guardReason.ts"

const resizesText = (resizes: ReadonlyArray<Resize>): string =>
  resizes
    .map(
      ({ replicaSet, replicasFrom, replicasTo }) =>
        `${replicaSet.metadata.name} ${replicasFrom} -> ${replicasTo}`
    )
    .join(", ")

const resultText = (resizes: ReadonlyArray<Resize>, emptyText: string): string =>
  resizes.length === 0 ? emptyText : resizesText(resizes)

const scaleUpText = (seen: DeploymentObservation): string => {
  const desired = seen.deployment.spec.replicas
  const desiredTotal = specReplicas(seen.replicaSets)
  const newReplicas = seen.next?.spec.replicas ?? 0
  const resizes = planNext(seen)
  if (newReplicas >= desired)
    return `desired ${desired}, new ${newReplicas}: ${resultText(resizes, "all of them are asked for")}`
  return (
    `desired ${desired} + surge ${seen.surgeMax} - asked for ${desiredTotal} = room for ${Math.max(0, surgeRoom(seen))}: ` +
    resultText(resizes, `new stays at ${newReplicas}`)
  )
}

const scaleDownText = (seen: DeploymentObservation): string => {
  const old = specReplicas(seen.previous)
  if (old === 0) return "no old Pods are asked for"
  const { floor, nextAvailable: nextServing, available: serving, removable, spare } = scaleDownBudget(seen)
  const floorSum = `${floorText(seen)}${seen.unavailableMax === 0 ? "" : ` = ${floor}`}`
  const resizes = planPrevious(seen)
  const sum = `${floorSum}; old ${old} + new available ${nextServing} - floor ${floor} = ${removable} may go`
  if (removable <= 0) return `${sum}: none`
  return `${sum}; available ${serving} - floor ${floor} = ${spare} of those that serve: ${resultText(resizes, "none")}`
}

/** Compares the last reported status, as the guard does. */
const reportedText = ({ deployment: { spec, status, metadata } }: DeploymentObservation): string => {
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status
  const counts = `reported ${updatedReplicas} updated, ${replicas} there, ${availableReplicas} available`
  return `${counts}, ${spec.replicas} desired; generation ${metadata.generation ?? 0}, observed ${observedGeneration}`
}

const oldRunningText = (seen: DeploymentObservation): string =>
  `old ReplicaSets report ${countText(statusReplicas(seen.previous), "Pod")}, ` +
  `${seen.podsUnderPrevious} of theirs have not come to an end`

export const rollingUpdateReasons: GuardReasons = {
  "rollingUpdate.isNameTaken": deploymentReason(nameTakenText),
  "rollingUpdate.isNextMissing": deploymentReason(nextMissingText),
  "rollingUpdate.mayResizeNew": deploymentReason(scaleUpText),
  "rollingUpdate.mayScaleDownOld": deploymentReason(scaleDownText),
  "rollingUpdate.isDone": deploymentReason(reportedText)
}

export const recreateReasons: GuardReasons = {
  "recreate.mayStopOld": deploymentReason(
    (seen) =>
      `${countText(activeReplicaSets(seen.previous).length, "old ReplicaSet")} asked to run ${countText(specReplicas(seen.previous), "Pod")}` +
      `: ${resultText(planStop(seen), "none to stop")}`
  ),
  "recreate.isOldRunning": deploymentReason(oldRunningText),
  "recreate.isNameTaken": deploymentReason(nameTakenText),
  "recreate.isNextMissing": deploymentReason(nextMissingText),
  "recreate.mayStartNew": deploymentReason((seen) => {
    const newReplicas = seen.next?.spec.replicas ?? 0
    return `desired ${seen.deployment.spec.replicas}, new ${newReplicas}: ${resultText(planStart(seen), "nothing to start")}`
  }),
  "recreate.isDone": deploymentReason(reportedText)
}
