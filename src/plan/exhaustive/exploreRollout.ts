import { replicasMax, statesMaxDefault } from "./explorationLimits.ts"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { builtInStrategies, rolloutBounds, strategyFor } from "../../../machines/strategies/strategies.ts"
import { countMax } from "./modelPodCounts.ts"
import { initialModelState } from "./initialModelState.ts"
import { makeModelObjectsTable } from "./modelObjects.ts"
import { makeModelMoves } from "./modelMoves.ts"
import { makePureChart } from "./pureChart.ts"
import { searchStates } from "./searchStates.ts"
import { claimsOf, makeCounterexampleFinder, noBrokenRule } from "./claims.ts"
import type { AnyStateMachine } from "xstate"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Claim, Counterexample } from "./claims.ts"
import type { StatusDetail } from "./modelObjects.ts"
import type { StateInvariant } from "./searchStates.ts"

export interface RolloutModel {
  readonly from?: Deployment
  readonly next: Deployment
  readonly failuresMax: number
  readonly statesMax?: number
  readonly strategies?: ReadonlyArray<Strategy>
  readonly invariants?: ReadonlyArray<StateInvariant>
  /** Why quotas or nodes may lack room for all Pods; the claim `end` is then unproved. */
  readonly shortage?: string
  readonly charts?: { readonly deployment?: AnyStateMachine; readonly replicaSet?: AnyStateMachine }
  /** By default, states are told apart only by what charts decide on. */
  readonly statusDetail?: StatusDetail
}

export interface Exploration {
  readonly states: number
  readonly transitions: number
  /** Whether all states were visited and all Pods counted. */
  readonly isWhole: boolean
  /** The number of distinct observations on which the charts have decided. */
  readonly looks: number
  readonly desired: number
  /** `spec.replicas` before the change. */
  readonly askedBefore: number
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
  readonly claims: ReadonlyArray<Claim>
  readonly extremes: ReadonlyArray<ExploredExtremes>
}

export interface ExploredExtremes {
  readonly failures: number
  readonly availableFewest: number
  readonly podsMost: number
  /** Includes terminating Pods if the strategy depends on them. */
  readonly presentMost: number
  readonly worst: Counterexample
}

export const whyTooLarge = (deployment: Deployment): string | undefined => {
  const { replicas } = deployment.spec
  return replicas > replicasMax
    ? `it has ${replicas} replicas, and every order can be explored for ${replicasMax} at the most`
    : undefined
}

/**
 * Explores every order in which Pods become ready, become available and fail, and in which controllers reconcile. A
 * controller may be late, or be stopped after any write. Observations are current and no write is refused. Time
 * passes only for a strategy that waits for a moment (`lookAgain`).
 */
export const exploreRollout = (model: RolloutModel): Exploration => {
  const { next, strategies, invariants = [], shortage } = model
  const { result, looks, toCounterexample } = exploreStates(model)
  // A count stops at `countMax`, so that there may be more terminating Pods.
  const isExact = result.areAllStatesVisited && result.extremes.every(({ stopping }) => stopping < countMax)
  return {
    states: result.table.count(),
    transitions: result.transitions,
    isWhole: isExact,
    looks,
    desired: next.spec.replicas,
    askedBefore: result.specReplicasBefore,
    ...rolloutBounds(next, strategies),
    claims: claimsOf({ result, isExact, toCounterexample, next, strategies, invariants, shortage }),
    extremes: result.extremes.map(({ available, pods, present }, failuresSoFar) => ({
      failures: failuresSoFar,
      availableFewest: available.fewest,
      podsMost: pods.most,
      presentMost: present,
      worst: toCounterexample({ state: available.state, step: undefined, ...noBrokenRule })
    }))
  }
}

export const exploreStates = (model: RolloutModel) => {
  const { from, next, failuresMax, strategies = builtInStrategies, charts = {}, invariants = [] } = model
  const detail = model.statusDetail ?? "decisive"
  const tracksStopping = strategyFor(next, strategies)?.ignoresTerminating !== true || detail === "everything"
  const objectsTable = makeModelObjectsTable(detail)
  const moves = makeModelMoves({
    objectsTable,
    deployment: makePureChart(charts.deployment ?? deploymentMachine(strategies)),
    replicaSet: makePureChart(charts.replicaSet ?? replicaSetMachine),
    tracksStopping,
    strategies,
    failuresMax
  })
  const initialState = initialModelState({ from, next, objectsTable, moves })
  const statesMax = model.statesMax ?? statesMaxDefault
  const result = searchStates({ initialState, moves, objectsTable, invariants, statesMax })
  return {
    result,
    looks: moves.lookCount(),
    toCounterexample: makeCounterexampleFinder({ table: result.table, moves, objectsTable })
  }
}
