import { withSpecReplicas, packedUnit, readyNotAvailableOf, availableOf } from "./modelPodCounts.ts"
import { makeDeploymentReconciler } from "./deploymentReconciler.ts"
import { makeReplicaSetReconciler } from "./replicaSetReconciler.ts"
import { makePodMoves } from "./podMoves.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { ViolationDetails } from "../../scenario/ledger/violations.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { ModelObjects, ModelObjectsTable } from "./modelObjects.ts"
import type { PureChart } from "./pureChart.ts"
import type { DeploymentOutcome } from "./deploymentReconciler.ts"
import type { MinReadyChange } from "./modelStore.ts"
import type { SearchStep } from "./searchStep.ts"

/**
 * A state is one Deployment with at most two ReplicaSets. The counts of the Pods of each, by phase, and its
 * `spec.replicas` are packed in one number: `first` and `second`; everything else is in `rest`.
 */

export interface MoveVisitor {
  readonly reach: (first: PackedCounts, second: PackedCounts, rest: PackedRest, step: SearchStep) => void
  readonly violate: (violation: ViolationDetails, step: SearchStep) => void
}

export type PackedRest = number

/** The bits above the id count failures. */
const objectsIdBits = 24
export const packRest = (objects: ModelObjects, failures: number): PackedRest =>
  objects.id | (failures << objectsIdBits)
export const objectsIdOf = (rest: PackedRest): number => rest & (2 ** objectsIdBits - 1)
export const failuresOf = (rest: PackedRest): number => rest >>> objectsIdBits

export interface ModelMoves {
  /** Returns false if nothing but failures of Pods can happen. */
  readonly visitSteps: (
    first: PackedCounts,
    second: PackedCounts,
    rest: PackedRest,
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
    deploymentStrategySeesPods: tracksStopping,
    strategies
  })
  const replicaSets = makeReplicaSetReconciler(options.replicaSet, objectsTable, { tracksStopping })
  const podMoves = makePodMoves({ tracksStopping })

  const fromReplicaSet = (
    objects: ModelObjects,
    position: 0 | 1,
    first: PackedCounts,
    second: PackedCounts,
    failures: number,
    visitor: MoveVisitor
  ) => {
    const counts = position === 0 ? first : second
    const reach = (next: PackedCounts, rest: PackedRest, step: SearchStep): void => {
      if (position === 0) visitor.reach(next, second, rest, step)
      else visitor.reach(first, next, rest, step)
    }
    const outcomes = replicaSets.outcomesOf(objects, position, counts)
    for (const outcome of outcomes) {
      for (const violation of outcome.violations) visitor.violate(violation, outcome.step)
      reach(outcome.packed, packRest(outcome.objects, failures), outcome.step)
    }
    let hasNormalStep = outcomes.length > 0
    const hasMinReady = objects.hasMinReady[position]
    for (const { mayHappen, change, step } of podMoves[position]) {
      if ((step.isFailure && failures === failuresMax) || !mayHappen(counts, hasMinReady)) continue
      if (!step.isFailure) hasNormalStep = true
      reach(counts + change, packRest(objects, step.isFailure ? failures + 1 : failures), step)
    }
    return hasNormalStep
  }

  const fromDeployment = (
    objects: ModelObjects,
    first: PackedCounts,
    second: PackedCounts,
    failures: number,
    visitor: MoveVisitor
  ) => {
    const { outcomes, afterStrategyDelay } = deployments.decisionOf(objects, first, second)
    if (afterStrategyDelay !== undefined)
      visitor.reach(first, second, packRest(afterStrategyDelay.objects, failures), afterStrategyDelay.step)
    for (const outcome of outcomes) {
      const { step } = outcome
      for (const violation of outcome.violations) visitor.violate(violation, step)
      if (outcome.checkPodCounts !== undefined)
        for (const violation of outcome.checkPodCounts([first, second])) visitor.violate(violation, step)
      const rest = packRest(outcome.objects, failures)
      const nextFirst = countsAfter(outcome, 0, first)
      const nextSecond = countsAfter(outcome, 1, second)
      if (outcome.minReadyChange === undefined) visitor.reach(nextFirst, nextSecond, rest, step)
      else if (outcome.minReadyChange.position === 0)
        for (const counts of possibleCountsAfter(outcome.minReadyChange, nextFirst))
          visitor.reach(counts, nextSecond, rest, step)
      else
        for (const counts of possibleCountsAfter(outcome.minReadyChange, nextSecond))
          visitor.reach(nextFirst, counts, rest, step)
    }
    return outcomes.length > 0 || afterStrategyDelay !== undefined
  }

  return {
    lookCount: () => deployments.lookCount() + replicaSets.lookCount(),
    visitSteps: (first, second, rest, visitor) => {
      const objects = objectsTable.at(objectsIdOf(rest))
      const failures = failuresOf(rest)
      let hasNormalStep = fromDeployment(objects, first, second, failures, visitor)
      if (objects.replicaSets[0] !== undefined)
        hasNormalStep = fromReplicaSet(objects, 0, first, second, failures, visitor) || hasNormalStep
      if (objects.replicaSets[1] !== undefined)
        hasNormalStep = fromReplicaSet(objects, 1, first, second, failures, visitor) || hasNormalStep
      return hasNormalStep
    }
  }
}

const countsAfter = (
  { objects, specReplicas }: DeploymentOutcome,
  position: 0 | 1,
  packed: PackedCounts
): PackedCounts =>
  objects.replicaSets[position] === undefined ? 0 : withSpecReplicas(packed, specReplicas[position])

/** With a larger `minReadySeconds`, any number of available Pods may have to wait again. */
const possibleCountsAfter = (
  { change }: MinReadyChange,
  packed: PackedCounts
): ReadonlyArray<PackedCounts> => {
  if (change === "setToZero")
    return [packed + readyNotAvailableOf(packed) * (packedUnit.available - packedUnit.ready)]
  return Array.from(
    { length: availableOf(packed) + 1 },
    (_, count) => packed + count * (packedUnit.ready - packedUnit.available)
  )
}
