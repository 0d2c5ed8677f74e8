import { replicasMax, statesMaxDefault } from "./bounds.ts"
import { builtInStrategies, deploymentMachine } from "../../../machines/deployment.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import { promisesOf } from "../../domain/promises.ts"
import { countMax } from "./brood.ts"
import { beginning } from "./beginning.ts"
import { makeChapters } from "./chapters.ts"
import { makeMoves } from "./moves.ts"
import { playChart } from "./emitted.ts"
import { search } from "./search.ts"
import { claimsOf, tellTo } from "./claims.ts"
import type { AnyStateMachine } from "xstate"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { Claim, Counterexample } from "./claims.ts"
import type { Memory } from "./chapters.ts"
import type { Invariant } from "./search.ts"

/** One rollout, and how far it is to be explored. */
export interface SmallWorld {
  /** What runs before, as the server stores it; nothing where it is left out. */
  readonly from?: Deployment
  readonly next: Deployment
  /** How many Pods may fail, be lost or lose their readiness, at any moment: 0 to 7. */
  readonly failures: number
  /** More states than this are not explored, and nothing is proved then. */
  readonly statesMax?: number
  readonly strategies?: ReadonlyArray<Strategy>
  /** What must hold in every state, beside the rules that a rollout keeps. */
  readonly invariants?: ReadonlyArray<Invariant>
  /** What there may be too little of beside it, for which it may never end. */
  readonly shortage?: string
  /** Other charts than those that every cluster runs. */
  readonly charts?: { readonly deployment?: AnyStateMachine; readonly replicaSet?: AnyStateMachine }
  readonly memory?: Memory
}

/** What all orders of events come to. */
export interface Exploration {
  readonly states: number
  readonly transitions: number
  /** Whether these are all; claims are proved only then. */
  readonly isWhole: boolean
  /** How many different observations the charts were shown: the rest was known already. */
  readonly looks: number
  readonly desired: number
  /** How many Pods were asked for before. */
  readonly askedBefore: number
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
  readonly claims: ReadonlyArray<Claim>
  /** By how many failures there were, from none on. */
  readonly extremes: ReadonlyArray<ExploredExtremes>
}

export interface ExploredExtremes {
  readonly failures: number
  readonly availableFewest: number
  readonly podsMost: number
  /** With those on their way out; the same as `podsMost` where nothing depends on them. */
  readonly presentMost: number
  /** The shortest way to the fewest available. */
  readonly worst: Counterexample
}

/** Why a world is too large to be explored, before that is tried; undefined where it is not. */
export const tooLarge = (deployment: Deployment): string | undefined => {
  const { replicas } = deployment.spec
  return replicas > replicasMax
    ? `it has ${replicas} replicas, and every order can be explored for ${replicasMax} at the most`
    : undefined
}

/**
 * Explores every order in which the Pods of one rollout can become ready and available and some of them fail, and in
 * which the controllers take their turns: they may be as late as they like, and be stopped after any write.
 * Decisions are those of the charts and the domain that every cluster runs. Time does not pass: whatever time can
 * bring may happen at any moment, so that what is proved holds however long anything takes. Each turn is that of an
 * actor made anew, which decides as one that has lived. Taken for granted is that a controller is woken when
 * something has changed, that every look sees what is so at that moment, and that no write is refused.
 */
export const exploreRollout = (world: SmallWorld): Exploration => {
  const { next, invariants = [], shortage } = world
  const { found, looks, tell } = exploreStates(world)
  const isExact = found.isWhole && found.extremes.every(({ stopping }) => stopping < countMax)
  return {
    states: found.table.count(),
    transitions: found.transitions,
    isWhole: isExact,
    looks,
    desired: next.spec.replicas,
    askedBefore: found.askedBefore,
    ...promisesOf(next),
    claims: claimsOf({ found, isExact, tell, next, invariants, shortage }),
    extremes: found.extremes.map(({ available, pods, present }, count) => ({
      failures: count,
      availableFewest: available.fewest,
      podsMost: pods.most,
      presentMost: present,
      worst: tell({ state: available.state, step: undefined, sums: "", broken: "" })
    }))
  }
}

/** The states themselves, and how each was reached. */
export const exploreStates = (world: SmallWorld) => {
  const { from, next, failures, strategies = builtInStrategies, charts = {}, invariants = [] } = world
  const memory = world.memory ?? "decisive"
  const strategy = strategies.find(({ type }) => type === next.spec.strategy.type)
  // A rolling update never looks at Pods that are on their way out; another strategy may.
  const tracksStopping = strategy !== rollingUpdate || memory === "everything"
  const chapters = makeChapters(memory)
  const moves = makeMoves({
    chapters,
    deployment: playChart(charts.deployment ?? deploymentMachine(strategies)),
    replicaSet: playChart(charts.replicaSet ?? replicaSetMachine),
    tracksStopping,
    failuresMax: failures
  })
  const begin = beginning({ from, next, chapters, moves })
  const statesMax = world.statesMax ?? statesMaxDefault
  const found = search({ begin, moves, chapters, invariants, statesMax })
  return { found, looks: moves.looks(), tell: tellTo({ table: found.table, moves, chapters }) }
}
