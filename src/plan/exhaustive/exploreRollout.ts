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
import { claimsOf, makeCounterexampleFinder } from "./claims.ts"
import type { AnyStateMachine } from "xstate"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Claim, Counterexample } from "./claims.ts"
import type { StatusDetail } from "./modelObjects.ts"
import type { StateInvariant } from "./searchStates.ts"

export interface RolloutModel {
  /** The Deployment before the change, unless it is new, and after it. */
  readonly from?: Deployment
  readonly next: Deployment
  /** How many Pods may fail, be lost or become unready in one order, at most `failuresMax` of the search. */
  readonly failures: number
  /** Beyond this number of states, the search stops and proves nothing. */
  readonly statesMax?: number
  readonly strategies?: ReadonlyArray<Strategy>
  readonly invariants?: ReadonlyArray<StateInvariant>
  /** Why not all Pods may fit into quotas or on nodes. The end of the rollout is then unproved. */
  readonly shortage?: string
  /** Default: the charts that clusters run. */
  readonly charts?: { readonly deployment?: AnyStateMachine; readonly replicaSet?: AnyStateMachine }
  /** Which parts of a status make two states different. Default: those that decisions depend on. */
  readonly statusDetail?: StatusDetail
}

export interface Exploration {
  readonly states: number
  readonly transitions: number
  /** Whether all states were visited and all Pods counted: else nothing is proved. */
  readonly isWhole: boolean
  /** On how many different observations the charts have decided. */
  readonly looks: number
  /** `spec.replicas` of the Deployment. */
  readonly desired: number
  /** The sum of `spec.replicas` of all ReplicaSets before the rollout. */
  readonly askedBefore: number
  /** The ceiling and the floor of the strategy; undefined if it has none. */
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
  readonly claims: ReadonlyArray<Claim>
  readonly extremes: ReadonlyArray<ExploredExtremes>
}

/** The extremes of all states with this number of failures. */
export interface ExploredExtremes {
  readonly failures: number
  readonly availableFewest: number
  /** Pods that are neither finished nor terminating. */
  readonly podsMost: number
  /** With terminating Pods, if the strategy depends on them; else the same as `podsMost`. */
  readonly presentMost: number
  /** A shortest way to the fewest available Pods. */
  readonly worst: Counterexample
}

/** Why a Deployment has too many states to explore; undefined if it has not. */
export const whyTooLarge = (deployment: Deployment): string | undefined => {
  const { replicas } = deployment.spec
  return replicas > replicasMax
    ? `it has ${replicas} replicas, and every order can be explored for ${replicasMax} at the most`
    : undefined
}

/**
 * Explores every order in which the Pods of a rollout become ready, become available and fail, and in which the
 * controllers reconcile. A controller may be arbitrarily late, and be stopped after any write. The charts and rules
 * that clusters run decide. What usually takes time may happen at any moment, so that a proof holds for all delays.
 * Time passes only for a strategy that waits for a moment (`lookAgain`): in one step, up to the moment at which it
 * decides differently. Each reconciliation starts with a new actor, which decides as a running one would. The model
 * assumes that changes wake controllers, that observations are current, and that no write is refused.
 */
export const exploreRollout = (model: RolloutModel): Exploration => {
  const { next, strategies, invariants = [], shortage } = model
  const { result, looks, toCounterexample } = exploreStates(model)
  // A count of `countMax` may be too low: the model counts no further terminating Pods.
  const isExact = result.isWhole && result.extremes.every(({ stopping }) => stopping < countMax)
  return {
    states: result.table.count(),
    transitions: result.transitions,
    isWhole: isExact,
    looks,
    desired: next.spec.replicas,
    askedBefore: result.specReplicasBefore,
    ...rolloutBounds(next, strategies),
    claims: claimsOf({ result, isExact, toCounterexample, next, strategies, invariants, shortage }),
    extremes: result.extremes.map(({ available, pods, present }, count) => ({
      failures: count,
      availableFewest: available.fewest,
      podsMost: pods.most,
      presentMost: present,
      // No rule is broken there, and so none has numbers: this only finds the way to that state.
      worst: toCounterexample({ state: available.state, step: undefined, sums: "", broken: "" })
    }))
  }
}

/** The search of `exploreRollout` without claims about its result. */
export const exploreStates = (model: RolloutModel) => {
  const { from, next, failures, strategies = builtInStrategies, charts = {}, invariants = [] } = model
  const detail = model.statusDetail ?? "decisive"
  const tracksStopping = strategyFor(next, strategies)?.ignoresTerminating !== true || detail === "everything"
  const objectsTable = makeModelObjectsTable(detail)
  const moves = makeModelMoves({
    objectsTable,
    deployment: makePureChart(charts.deployment ?? deploymentMachine(strategies)),
    replicaSet: makePureChart(charts.replicaSet ?? replicaSetMachine),
    tracksStopping,
    strategies,
    failuresMax: failures
  })
  const begin = initialModelState({ from, next, objectsTable, moves })
  const statesMax = model.statesMax ?? statesMaxDefault
  const result = searchStates({ begin, moves, objectsTable, invariants, statesMax })
  return {
    result,
    looks: moves.lookCount(),
    toCounterexample: makeCounterexampleFinder({ table: result.table, moves, objectsTable })
  }
}
