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
  /** How many Pods may fail, be lost or become unready in one order, at any moment: 0 to 7. */
  readonly failures: number
  /** Beyond this number of states the search stops, and then proves nothing. */
  readonly statesMax?: number
  readonly strategies?: ReadonlyArray<Strategy>
  readonly invariants?: ReadonlyArray<StateInvariant>
  /** Why not all Pods may fit; the end of the rollout is then unproved. */
  readonly shortage?: string
  /** Default: the charts that every cluster runs. */
  readonly charts?: { readonly deployment?: AnyStateMachine; readonly replicaSet?: AnyStateMachine }
  /** Which parts of a status make two states differ. Default: those that decisions depend on. */
  readonly statusDetail?: StatusDetail
}

export interface Exploration {
  readonly states: number
  readonly transitions: number
  /** Whether all states were visited, and all Pods counted in them; only then are claims proved. */
  readonly isWhole: boolean
  /** The number of different observations sent to the charts. */
  readonly looks: number
  readonly desired: number
  /** `spec.replicas` of all ReplicaSets before the rollout. */
  readonly askedBefore: number
  /** The ceiling and the floor; undefined if the strategy has none. */
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
  readonly claims: ReadonlyArray<Claim>
  /** For each number of failed Pods, from 0 on, the extremes of the states that so many failures lead to. */
  readonly extremes: ReadonlyArray<ExploredExtremes>
}

export interface ExploredExtremes {
  readonly failures: number
  readonly availableFewest: number
  /** The most Pods that are neither finished nor terminating. */
  readonly podsMost: number
  /** Including terminating Pods, if the strategy depends on them; otherwise the same as `podsMost`. */
  readonly presentMost: number
  /** A shortest way to the fewest available Pods. */
  readonly worst: Counterexample
}

/** Why a Deployment is too large to be explored; undefined if it is not. */
export const whyTooLarge = (deployment: Deployment): string | undefined => {
  const { replicas } = deployment.spec
  return replicas > replicasMax
    ? `it has ${replicas} replicas, and every order can be explored for ${replicasMax} at the most`
    : undefined
}

/**
 * Explores every order in which the Pods of one rollout become ready, become available and fail, and in which the
 * controllers reconcile. A controller may be arbitrarily late, and be stopped after any write.
 *
 * Decisions are made by the charts and rules that every cluster runs. All that time can bring may happen at any moment,
 * so that a proof holds whatever the delays. Time itself passes only for a strategy that waits for a moment
 * (`lookAgain`): as a step among others, up to the moment at which the strategy decides otherwise. Each reconciliation
 * starts with a new actor, which decides as one that runs already would.
 *
 * The model assumes that controllers are woken by changes, that observations are current, and that no write is refused.
 */
export const exploreRollout = (model: RolloutModel): Exploration => {
  const { next, strategies, invariants = [], shortage } = model
  const { result, looks, toCounterexample } = exploreStates(model)
  // Terminating Pods beyond `countMax` are not counted, so that a count of `countMax` may be too low.
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
      // Nothing is broken: only the way to that state is wanted.
      worst: toCounterexample({ state: available.state, step: undefined, sums: "", broken: "" })
    }))
  }
}

/** Searches the states of the model, without judging claims. */
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
    looks: moves.looks(),
    toCounterexample: makeCounterexampleFinder({ table: result.table, moves, objectsTable })
  }
}
