import { withSpecReplicas, packedUnit, readyOf, availableOf } from "./modelPodCounts.ts"
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

/** Receives each possible next step, and the rules that it breaks. */
export interface MoveVisitor {
  readonly reach: (first: PackedCounts, second: PackedCounts, rest: PackedRest, step: SearchStep) => void
  readonly broken: (broken: ViolationDetails, step: SearchStep) => void
}

/** The id of the `ModelObjects` and the number of failures so far, as one number. */
export type PackedRest = number

const objectsIdBits = 24
export const packRest = (objects: ModelObjects, failures: number): PackedRest =>
  objects.id | (failures << objectsIdBits)
export const objectsIdOf = (rest: PackedRest): number => rest & (2 ** objectsIdBits - 1)
export const failuresOf = (rest: PackedRest): number => rest >>> objectsIdBits

export interface ModelMoves {
  /** Visits each step. Returns whether there is one that is no failure. */
  readonly from: (
    first: PackedCounts,
    second: PackedCounts,
    rest: PackedRest,
    visitor: MoveVisitor
  ) => boolean
  readonly looks: () => number
}

export const makeModelMoves = (options: {
  readonly objectsTable: ModelObjectsTable
  readonly deployment: PureChart
  readonly replicaSet: PureChart
  readonly tracksStopping: boolean
  readonly strategies?: ReadonlyArray<Strategy>
  readonly failuresMax: number
}): ModelMoves => {
  const { tracksStopping, strategies, failuresMax } = options
  const objectsTable = options.objectsTable
  const deployments = makeDeploymentReconciler(options.deployment, objectsTable, {
    seesPods: tracksStopping,
    strategies
  })
  const replicaSets = makeReplicaSetReconciler(options.replicaSet, objectsTable, { tracksStopping })
  const events = makePodMoves({ tracksStopping })

  const fromReplicaSet = (
    objects: ModelObjects,
    slot: 0 | 1,
    first: PackedCounts,
    second: PackedCounts,
    failures: number,
    to: MoveVisitor
  ) => {
    const packed = slot === 0 ? first : second
    const reach = (next: PackedCounts, rest: PackedRest, step: SearchStep): void => {
      if (slot === 0) to.reach(next, second, rest, step)
      else to.reach(first, next, rest, step)
    }
    const outcomes = replicaSets.outcomesOf(objects, slot, packed)
    for (const outcome of outcomes) {
      for (const broken of outcome.broken) to.broken(broken, outcome.step)
      reach(outcome.packed, packRest(outcome.objects, failures), outcome.step)
    }
    let hasFreeMove = outcomes.length > 0
    const isWaiting = objects.hasMinReady[slot]
    for (const { mayHappen, change, step } of events[slot]) {
      if ((step.isFailure && failures === failuresMax) || !mayHappen(packed, isWaiting)) continue
      if (!step.isFailure) hasFreeMove = true
      reach(packed + change, packRest(objects, step.isFailure ? failures + 1 : failures), step)
    }
    return hasFreeMove
  }

  const fromDeployment = (
    objects: ModelObjects,
    first: PackedCounts,
    second: PackedCounts,
    failures: number,
    to: MoveVisitor
  ) => {
    const outcomes = deployments.outcomesOf(objects, first, second)
    for (const outcome of outcomes) {
      const { step } = outcome
      for (const broken of outcome.broken) to.broken(broken, step)
      if (outcome.judgeCounts !== undefined)
        for (const broken of outcome.judgeCounts([first, second])) to.broken(broken, step)
      const rest = packRest(outcome.objects, failures)
      const nextFirst = afterTurn(outcome, 0, first)
      const nextSecond = afterTurn(outcome, 1, second)
      if (outcome.minReadyChange === undefined) to.reach(nextFirst, nextSecond, rest, step)
      else if (outcome.minReadyChange.slot === 0)
        for (const it of afterMinReadyChange(outcome.minReadyChange, nextFirst))
          to.reach(it, nextSecond, rest, step)
      else
        for (const it of afterMinReadyChange(outcome.minReadyChange, nextSecond))
          to.reach(nextFirst, it, rest, step)
    }
    return outcomes.length > 0
  }

  return {
    looks: () => deployments.looks() + replicaSets.looks(),
    from: (first, second, rest, visitor) => {
      const objects = objectsTable.at(objectsIdOf(rest))
      const failures = failuresOf(rest)
      let hasFreeMove = fromDeployment(objects, first, second, failures, visitor)
      if (objects.replicaSets[0] !== undefined)
        hasFreeMove = fromReplicaSet(objects, 0, first, second, failures, visitor) || hasFreeMove
      if (objects.replicaSets[1] !== undefined)
        hasFreeMove = fromReplicaSet(objects, 1, first, second, failures, visitor) || hasFreeMove
      return hasFreeMove
    }
  }
}

const afterTurn = (
  { objects, specReplicas }: DeploymentOutcome,
  slot: 0 | 1,
  packed: PackedCounts
): PackedCounts =>
  objects.replicaSets[slot] === undefined ? 0 : withSpecReplicas(packed, specReplicas[slot])

/**
 * With `minReadySeconds: 0`, all ready Pods are available at once. With a larger value, any number of the available
 * ones may turn out not to be ready for long enough.
 */
const afterMinReadyChange = (
  { isLonger }: MinReadyChange,
  packed: PackedCounts
): ReadonlyArray<PackedCounts> => {
  if (!isLonger) return [packed + readyOf(packed) * (packedUnit.available - packedUnit.ready)]
  return Array.from(
    { length: availableOf(packed) + 1 },
    (_, count) => packed + count * (packedUnit.ready - packedUnit.available)
  )
}
