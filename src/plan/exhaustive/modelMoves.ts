import { withSpecReplicas, packedUnit, readyNotAvailableOf, availableOf } from "./modelPodCounts.ts"
import { makeDeploymentReconciler } from "./deployments/deploymentReconciler.ts"
import { makeReplicaSetReconciler } from "./replicaSetReconciler.ts"
import { makePodMoves } from "./podMoves.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { ViolationDetails } from "../../scenario/ledger/violations.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { ModelObjects, ModelObjectsTable } from "./modelObjects.ts"
import type { PureChart } from "./pureChart.ts"
import type { DeploymentOutcome } from "./deployments/deploymentOutcomes.ts"
import type { MinReadySecondsChange } from "./modelStore.ts"
import type { SearchStep } from "./searchStep.ts"

/**
 * A state is one Deployment with at most two ReplicaSets. Three numbers hold it: the Pod counts and `spec.replicas` of
 * the older and of the newer ReplicaSet, and the id of the objects with the number of failures.
 */
export interface MoveVisitor {
  readonly reach: (
    olderCounts: PackedCounts,
    newerCounts: PackedCounts,
    objectsAndFailures: PackedObjectsAndFailures,
    step: SearchStep
  ) => void
  readonly violate: (violation: ViolationDetails, step: SearchStep) => void
}

export type PackedObjectsAndFailures = number

export const ignoreViolations: MoveVisitor["violate"] = () => {}

/** The bits above the id count failures. */
const objectsIdBits = 24
export const packObjectsAndFailures = (objects: ModelObjects, failures: number): PackedObjectsAndFailures =>
  objects.id | (failures << objectsIdBits)
export const objectsIdOf = (objectsAndFailures: PackedObjectsAndFailures): number =>
  objectsAndFailures & (2 ** objectsIdBits - 1)
export const podFailuresOf = (objectsAndFailures: PackedObjectsAndFailures): number =>
  objectsAndFailures >>> objectsIdBits

export interface ModelMoves {
  /** Returns false if nothing but failures of Pods can happen. */
  readonly visitSteps: (
    olderCounts: PackedCounts,
    newerCounts: PackedCounts,
    objectsAndFailures: PackedObjectsAndFailures,
    visitor: MoveVisitor
  ) => boolean
  readonly lookCount: () => number
}

export const makeModelMoves = (options: {
  readonly objectsTable: ModelObjectsTable
  readonly deployment: PureChart
  readonly replicaSet: PureChart
  /** Whether a strategy such as Recreate waits for the end of terminating Pods. */
  readonly tracksStopping: boolean
  readonly strategies?: ReadonlyArray<Strategy>
  readonly failuresMax: number
}): ModelMoves => {
  const { tracksStopping, strategies, failuresMax } = options
  const objectsTable = options.objectsTable
  const deployments = makeDeploymentReconciler(options.deployment, objectsTable, {
    countsOldPods: tracksStopping,
    strategies
  })
  const replicaSets = makeReplicaSetReconciler(options.replicaSet, objectsTable, { tracksStopping })
  const podMoves = makePodMoves({ tracksStopping })

  const visitReplicaSetSteps = (
    objects: ModelObjects,
    position: 0 | 1,
    olderCounts: PackedCounts,
    newerCounts: PackedCounts,
    failures: number,
    visitor: MoveVisitor
  ) => {
    const counts = position === 0 ? olderCounts : newerCounts
    const reach = (
      next: PackedCounts,
      objectsAndFailures: PackedObjectsAndFailures,
      step: SearchStep
    ): void => {
      if (position === 0) visitor.reach(next, newerCounts, objectsAndFailures, step)
      else visitor.reach(olderCounts, next, objectsAndFailures, step)
    }
    const outcomes = replicaSets.outcomesOf(objects, position, counts)
    for (const outcome of outcomes) {
      for (const violation of outcome.violations) visitor.violate(violation, outcome.step)
      reach(outcome.packed, packObjectsAndFailures(outcome.objects, failures), outcome.step)
    }
    let hasStepWithoutFailure = outcomes.length > 0
    const hasMinReady = objects.hasMinReady[position]
    for (const { mayHappen, packedChange, step } of podMoves[position]) {
      if ((step.isFailure && failures === failuresMax) || !mayHappen(counts, hasMinReady)) continue
      if (!step.isFailure) hasStepWithoutFailure = true
      reach(
        counts + packedChange,
        packObjectsAndFailures(objects, step.isFailure ? failures + 1 : failures),
        step
      )
    }
    return hasStepWithoutFailure
  }

  const visitDeploymentSteps = (
    objects: ModelObjects,
    olderCounts: PackedCounts,
    newerCounts: PackedCounts,
    failures: number,
    visitor: MoveVisitor
  ) => {
    const { outcomes, afterStrategyDelay } = deployments.decisionOf(objects, olderCounts, newerCounts)
    if (afterStrategyDelay !== undefined)
      visitor.reach(
        olderCounts,
        newerCounts,
        packObjectsAndFailures(afterStrategyDelay.objects, failures),
        afterStrategyDelay.step
      )
    for (const outcome of outcomes) {
      const { step } = outcome
      for (const violation of outcome.violations) visitor.violate(violation, step)
      if (outcome.checkPodCounts !== undefined)
        for (const violation of outcome.checkPodCounts([olderCounts, newerCounts]))
          visitor.violate(violation, step)
      const objectsAndFailures = packObjectsAndFailures(outcome.objects, failures)
      const nextOlder = countsAfter(outcome, 0, olderCounts)
      const nextNewer = countsAfter(outcome, 1, newerCounts)
      if (outcome.minReadySecondsChange === undefined)
        visitor.reach(nextOlder, nextNewer, objectsAndFailures, step)
      else if (outcome.minReadySecondsChange.position === 0)
        for (const counts of possibleCountsAfter(outcome.minReadySecondsChange, nextOlder))
          visitor.reach(counts, nextNewer, objectsAndFailures, step)
      else
        for (const counts of possibleCountsAfter(outcome.minReadySecondsChange, nextNewer))
          visitor.reach(nextOlder, counts, objectsAndFailures, step)
    }
    return outcomes.length > 0 || afterStrategyDelay !== undefined
  }

  return {
    lookCount: () => deployments.lookCount() + replicaSets.lookCount(),
    visitSteps: (olderCounts, newerCounts, objectsAndFailures, visitor) => {
      const objects = objectsTable.at(objectsIdOf(objectsAndFailures))
      const failures = podFailuresOf(objectsAndFailures)
      let hasStepWithoutFailure = visitDeploymentSteps(objects, olderCounts, newerCounts, failures, visitor)
      if (objects.replicaSets[0] !== undefined)
        hasStepWithoutFailure =
          visitReplicaSetSteps(objects, 0, olderCounts, newerCounts, failures, visitor) ||
          hasStepWithoutFailure
      if (objects.replicaSets[1] !== undefined)
        hasStepWithoutFailure =
          visitReplicaSetSteps(objects, 1, olderCounts, newerCounts, failures, visitor) ||
          hasStepWithoutFailure
      return hasStepWithoutFailure
    }
  }
}

const countsAfter = (
  { objects, specReplicas }: DeploymentOutcome,
  position: 0 | 1,
  packed: PackedCounts
): PackedCounts =>
  objects.replicaSets[position] === undefined ? 0 : withSpecReplicas(packed, specReplicas[position])

/** With `minReadySeconds: 0` all ready Pods are available; with more, any number of them may have to wait again. */
const possibleCountsAfter = (
  { change }: MinReadySecondsChange,
  packed: PackedCounts
): ReadonlyArray<PackedCounts> => {
  if (change === "setToZero")
    return [packed + readyNotAvailableOf(packed) * (packedUnit.available - packedUnit.ready)]
  return Array.from(
    { length: availableOf(packed) + 1 },
    (_, count) => packed + count * (packedUnit.ready - packedUnit.available)
  )
}
