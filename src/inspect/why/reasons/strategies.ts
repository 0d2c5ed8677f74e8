import { counted } from "../../../domain/counted.ts"
import { activeOf, specReplicas, statusReplicas } from "../../../domain/replicaCounts.ts"
import { budgetOfPrevious, planNext, planPrevious, roomForNext } from "../../../domain/rollingUpdate.ts"
import { planStart, planStop } from "../../../domain/recreate.ts"
import { aboutDeployment, floorText, nameTaken, nextMissing } from "./deployment.ts"
import type { DeploymentObservation } from "../../../domain/observations.ts"
import type { Resize } from "../../../domain/rollingUpdate.ts"
import type { Reasons } from "./reason.ts"

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
    `desired ${desired} + surge ${seen.surgeMax} - asked for ${desiredTotal} = room for ${Math.max(0, roomForNext(seen))}: ` +
    resultText(resizes, `new stays at ${newReplicas}`)
  )
}

const scaleDownText = (seen: DeploymentObservation): string => {
  const old = specReplicas(seen.previous)
  if (old === 0) return "no old Pods are asked for"
  const { floor, nextServing, serving, removable, spare } = budgetOfPrevious(seen)
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
  `old ReplicaSets report ${counted(statusReplicas(seen.previous), "Pod")}, ` +
  `${seen.podsUnderPrevious} of theirs have not come to an end`

export const rollingUpdateReasons: Reasons = {
  "rollingUpdate.isNameTaken": aboutDeployment(nameTaken),
  "rollingUpdate.isNextMissing": aboutDeployment(nextMissing),
  "rollingUpdate.mayResizeNew": aboutDeployment(scaleUpText),
  "rollingUpdate.mayScaleDownOld": aboutDeployment(scaleDownText),
  "rollingUpdate.isDone": aboutDeployment(reportedText)
}

export const recreateReasons: Reasons = {
  "recreate.mayStopOld": aboutDeployment(
    (seen) =>
      `${counted(activeOf(seen.previous).length, "old ReplicaSet")} asked to run ${counted(specReplicas(seen.previous), "Pod")}` +
      `: ${resultText(planStop(seen), "none to stop")}`
  ),
  "recreate.isOldRunning": aboutDeployment(oldRunningText),
  "recreate.isNameTaken": aboutDeployment(nameTaken),
  "recreate.isNextMissing": aboutDeployment(nextMissing),
  "recreate.mayStartNew": aboutDeployment((seen) => {
    const newReplicas = seen.next?.spec.replicas ?? 0
    return `desired ${seen.deployment.spec.replicas}, new ${newReplicas}: ${resultText(planStart(seen), "nothing to start")}`
  }),
  "recreate.isDone": aboutDeployment(reportedText)
}
