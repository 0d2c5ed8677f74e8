import { availableReplicas, specReplicas } from "../../kubernetes/apps/replicaCounts.ts"
import { controllerOf, isTerminating } from "../../kubernetes/meta/ownerReferences.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { isPreviousRunning } from "../../kubernetes/apps/recreate.ts"
import { nextReplicaSetSize, planPrevious } from "../../kubernetes/apps/rollingUpdate.ts"
import type { DeploymentObservation } from "../../kubernetes/apps/deploymentObservation.ts"
import type { IntOrPercent } from "../../kubernetes/meta/amounts/intOrPercent.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/** Why the strategy creates or removes no more Pods now, with the sums. */
export const strategySentences = (
  observation: DeploymentObservation,
  pods: ReadonlyArray<Pod>
): ReadonlyArray<string> => {
  const { strategy } = observation.deployment.spec
  if (strategy.type === "Recreate") return recreateSentences(observation, pods)
  if (strategy.type !== "RollingUpdate") return []
  const all = [...createSentences(observation), ...removeSentences(observation)]
  return all.length === 0 ? [] : [...all, ...emptySentences(observation)]
}

const recreateSentences = (
  observation: DeploymentObservation,
  pods: ReadonlyArray<Pod>
): ReadonlyArray<string> => {
  if (!isPreviousRunning(observation)) return []
  const old = pods.filter(
    (pod) => controllerOf(pod)?.uid !== observation.next?.metadata.uid && !isPodFinished(pod)
  )
  const terminating = old.filter(isTerminating).length
  const terminatingText = terminating === 0 ? "" : ` (${terminating} terminating)`
  return [
    `Recreate begins no new Pod before every old one has ended: ${old.length} ` +
      `${old.length === 1 ? "has" : "have"} not${terminatingText}.`
  ]
}

const createSentences = (observation: DeploymentObservation): ReadonlyArray<string> => {
  const { deployment, next, surgeMax, replicaSets } = observation
  const desired = deployment.spec.replicas
  if (
    next === undefined ||
    next.spec.replicas >= desired ||
    nextReplicaSetSize(observation) > next.spec.replicas
  )
    return []
  const surge = deployment.spec.strategy.rollingUpdate?.maxSurge
  return [
    `It may not create more new Pods: desired ${desired} + surge ${surgeMax}${percentText(surge)} = ` +
      `${desired + surgeMax}, and ${specReplicas(replicaSets)} are asked for.`
  ]
}

const removeSentences = (observation: DeploymentObservation): ReadonlyArray<string> => {
  const { deployment, previous, unavailableMax, replicaSets } = observation
  if (specReplicas(previous) === 0 || planPrevious(observation).length > 0) return []
  const desired = deployment.spec.replicas
  const unavailable = deployment.spec.strategy.rollingUpdate?.maxUnavailable
  const floor = desired - unavailableMax
  const available = availableReplicas(replicaSets)
  const availableText =
    available > floor
      ? `${available} are`
      : available === floor
        ? `${available} are`
        : `only ${available} are`
  return [
    `It may not remove more old Pods: desired ${desired}, unavailable at most ${unavailableMax}` +
      `${percentText(unavailable)}, so ${floor} must stay available, and ${availableText}.`
  ]
}

const percentText = (amount: IntOrPercent | undefined): string =>
  typeof amount === "string" ? ` (${amount})` : ""

/** Both bounds cannot resolve to 0: Kubernetes then allows one unavailable Pod. */
const emptySentences = ({ deployment, surgeMax, unavailableMax }: DeploymentObservation) => {
  const { maxSurge, maxUnavailable } = deployment.spec.strategy.rollingUpdate ?? {}
  const isResolved = surgeMax === 0 && unavailableMax === 1 && maxUnavailable !== 1
  return isResolved && isNothing(maxUnavailable, deployment.spec.replicas)
    ? [
        `Surge ${maxSurge ?? 0} and unavailable ${maxUnavailable ?? 0} come to nothing both, so that 1 may be unavailable.`
      ]
    : []
}

const isNothing = (amount: IntOrPercent | undefined, replicas: number): boolean =>
  typeof amount === "string"
    ? Math.floor((replicas * Number.parseInt(amount, 10)) / 100) === 0
    : (amount ?? 0) === 0
