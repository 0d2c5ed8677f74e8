import { scaleDownBudget } from "../../kubernetes/apps/rollingUpdate.ts"
import { missingPods } from "../../kubernetes/apps/replicaSetObservation.ts"
import { specReplicas } from "../../kubernetes/apps/replicaCounts.ts"
import { observationAt } from "../../../machines/deploymentGuards.ts"
import type { ContainerContext } from "../../../machines/containerGuards.ts"
import type { DeploymentGuardArgs } from "../../../machines/deploymentGuards.ts"
import type { NodeObservation } from "../../../machines/nodeGuards.ts"
import type { ObservedPod } from "../../../machines/podGuards.ts"
import type { ReplicaSetObservation } from "../../kubernetes/apps/replicaSetObservation.ts"
import type { Step } from "./step.ts"

type Numbers = Step["numbers"]
type NumbersOf = (context: unknown, event: { readonly type: string }) => Numbers

export const observedNumbers = (chart: string, context: unknown, event: { readonly type: string }): Numbers =>
  Object.hasOwn(numbersByChart, chart) ? (numbersByChart[chart]?.(context, event) ?? []) : []

const deploymentNumbers: NumbersOf = (context, event) => {
  const observation = observationAt({ context, event } as DeploymentGuardArgs)
  if (observation === undefined) return []
  const { deployment, counts, surgeMax, unavailableMax, next, previous, replicaSets } = observation
  return [
    ["desired", deployment.spec.replicas],
    ...(deployment.spec.strategy.rollingUpdate !== undefined
      ? ([
          ["surge", surgeMax],
          ["unavailable", unavailableMax],
          ["floor", scaleDownBudget(observation).floor]
        ] as const)
      : []),
    ["asked for", specReplicas(replicaSets)],
    ["new", next?.spec.replicas ?? 0],
    ["old", specReplicas(previous)],
    ["there", counts.replicas],
    ["updated", counts.updatedReplicas],
    ["ready", counts.readyReplicas],
    ["available", counts.availableReplicas],
    ["terminating", counts.terminatingReplicas ?? "unknown"]
  ]
}

const replicaSetNumbers: NumbersOf = (context) => {
  const { seen } = context as { readonly seen: ReplicaSetObservation | undefined }
  if (seen === undefined) return []
  const { pods, replicaSet } = seen
  return [
    ["asked for", replicaSet.spec.replicas],
    ["there", pods.active],
    ["missing", missingPods(seen)],
    ["ready", pods.ready],
    ["available", pods.available],
    ["terminating", pods.terminating]
  ]
}

const podNumbers: NumbersOf = (context) => {
  const { seen, containers } = context as ObservedPod
  return [
    ["node", seen?.pod.spec.nodeName ?? "none"],
    ["containers", containers.length],
    ["ready", containers.filter(({ ready }) => ready).length],
    ["restarts", containers.reduce((sum, { restartCount }) => sum + restartCount, 0)]
  ]
}

const containerNumbers: NumbersOf = (context) => {
  const { facts, pulls } = context as ContainerContext
  return [
    ["doing", facts.doing],
    ["failed pulls", pulls],
    ["restarts", facts.restartCount],
    ["crashes in a row", facts.crashes]
  ]
}

const nodeNumbers: NumbersOf = (_context, event) => {
  const { seen } = event as { readonly seen?: NodeObservation }
  if (seen === undefined) return []
  return [
    ["Ready", seen.ready],
    ["to leave now", seen.overdue.length],
    ["to leave later", seen.tolerating.length]
  ]
}

const numbersByChart: Readonly<Record<string, NumbersOf>> = {
  deployment: deploymentNumbers,
  replicaSet: replicaSetNumbers,
  pod: podNumbers,
  container: containerNumbers,
  node: nodeNumbers
}
