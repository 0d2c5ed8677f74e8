import { activePodsOf, specReplicasOf, availableOf, presentPodsOf, stoppingOf } from "./modelPodCounts.ts"
import { objectsIdOf, podFailuresOf } from "./modelMoves.ts"
import { findCycle, makeEdges } from "./edges.ts"
import { makeStateTable, noParentState } from "./stateTable.ts"
import type { ViolationDetails } from "../../scenario/ledger/violations.ts"
import type { ModelObjects, ModelObjectsTable } from "./modelObjects.ts"
import type { ModelMoves, MoveVisitor } from "./modelMoves.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { StateTable } from "./stateTable.ts"
import type { SearchStep } from "./searchStep.ts"
import type { ModelState } from "./initialModelState.ts"

export interface StateInvariant {
  readonly text: string
  readonly violation: (counts: StateCounts) => string | undefined
}

export interface StateCounts {
  readonly desired: number
  readonly pods: number
  readonly available: number
}

export interface SearchFinding {
  /** The state that is wrong, or from which `step` is taken. */
  readonly state: number
  /** Undefined if the state itself is wrong. */
  readonly step: SearchStep | undefined
  /** States that can be visited again and again, beginning with `state`. */
  readonly cycle?: ReadonlyArray<number>
  /** The comparison that does not hold: `available >= floor: 1 >= 2`. */
  readonly sums: string
  /** The broken rule, as a sentence. */
  readonly broken: string
}

export interface SearchResult {
  readonly table: StateTable
  readonly transitions: number
  readonly specReplicasBefore: number
  readonly areAllStatesVisited: boolean
  readonly brokenRules: ReadonlyMap<ViolationDetails["rule"], SearchFinding>
  /** By index of the invariant. */
  readonly brokenInvariants: ReadonlyMap<number, SearchFinding>
  /** A state before the end of the rollout in which only failures of Pods can happen. */
  readonly deadEnd: SearchFinding | undefined
  readonly cycle: SearchFinding | undefined
  /** Indexed by the number of failures so far. */
  readonly extremes: ReadonlyArray<SearchExtremes>
}

export interface SearchExtremes {
  readonly available: { readonly fewest: number; readonly state: number }
  readonly pods: { readonly most: number; readonly state: number }
  /** The most Pods with the terminating ones, unless the strategy ignores those. */
  readonly present: number
  /** The most terminating Pods of one ReplicaSet; 0 if the model leaves them out. */
  readonly stopping: number
}

/** Visits every reachable state, breadth first: violations are found at the end of a shortest path. */
export const searchStates = (options: {
  readonly initialState: ModelState
  readonly moves: ModelMoves
  readonly objectsTable: ModelObjectsTable
  readonly invariants: ReadonlyArray<StateInvariant>
  readonly statesMax: number
}): SearchResult => {
  const { initialState, moves, invariants, statesMax } = options
  const objectsTable = options.objectsTable
  const table = makeStateTable()
  const edges = makeEdges()
  const brokenRules = new Map<ViolationDetails["rule"], SearchFinding>()
  const brokenInvariants = new Map<number, SearchFinding>()
  const extremes: Array<SearchExtremes> = []
  let deadEnd: SearchFinding | undefined
  let state = 0
  const visitor: MoveVisitor = {
    reach: (olderCounts, newerCounts, objectsAndFailures) =>
      edges.add(table.add(olderCounts, newerCounts, objectsAndFailures, state)),
    violate: (violation, step) => {
      if (!brokenRules.has(violation.rule)) brokenRules.set(violation.rule, { ...violation, state, step })
    }
  }
  table.add(
    initialState.olderCounts,
    initialState.newerCounts,
    initialState.objectsAndFailures,
    noParentState
  )
  for (; state < table.count() && table.count() <= statesMax; state += 1) {
    const [olderCounts, newerCounts, objectsAndFailures] = [
      table.olderCounts(state),
      table.newerCounts(state),
      table.objectsAndFailures(state)
    ]
    const objects = objectsTable.at(objectsIdOf(objectsAndFailures))
    const available = availableOf(olderCounts) + availableOf(newerCounts)
    const pods = activePodsOf(olderCounts) + activePodsOf(newerCounts)
    const present = presentPodsOf(olderCounts) + presentPodsOf(newerCounts)
    const stopping = Math.max(stoppingOf(olderCounts), stoppingOf(newerCounts))
    updateExtremes(extremes, podFailuresOf(objectsAndFailures), { state, available, pods, present, stopping })
    for (const [index, invariant] of invariants.entries()) {
      if (brokenInvariants.has(index)) continue
      const sums = invariant.violation({ desired: objects.deployment.spec.replicas, pods, available })
      if (sums !== undefined)
        brokenInvariants.set(index, { state, step: undefined, sums, broken: invariant.text })
    }
    edges.beginState()
    const canGoOn = moves.visitSteps(olderCounts, newerCounts, objectsAndFailures, visitor)
    if (!canGoOn && deadEnd === undefined && !isRolledOut(objects, olderCounts, newerCounts))
      deadEnd = deadEndFinding(objects, state, olderCounts, newerCounts)
  }
  const areAllStatesVisited = state === table.count()
  const cycle = areAllStatesVisited ? findCycle(edges, table.count()) : undefined
  return {
    table,
    transitions: edges.count(),
    specReplicasBefore: specReplicasOf(initialState.olderCounts) + specReplicasOf(initialState.newerCounts),
    areAllStatesVisited,
    brokenRules,
    brokenInvariants,
    deadEnd,
    cycle: cycle === undefined ? undefined : cycleFinding(cycle),
    extremes
  }
}

const cycleFinding = (cycle: ReadonlyArray<number>): SearchFinding => ({
  state: cycle[0] ?? 0,
  step: undefined,
  cycle,
  sums: `its last ${cycle.length} steps can be taken again and again`,
  broken: "every order leads to the end of the rollout"
})

interface StateFigures {
  readonly state: number
  readonly available: number
  readonly pods: number
  readonly present: number
  readonly stopping: number
}

const updateExtremes = (extremes: Array<SearchExtremes>, failures: number, figures: StateFigures): void => {
  const { state, available, pods, present, stopping } = figures
  const before = extremes[failures]
  const isFewer = before === undefined || available < before.available.fewest
  const isMore = before === undefined || pods > before.pods.most
  if (!isFewer && !isMore && present <= before.present && stopping <= before.stopping) return
  extremes[failures] = {
    available: isFewer ? { fewest: available, state } : before.available,
    pods: isMore ? { most: pods, state } : before.pods,
    present: Math.max(present, before?.present ?? 0),
    stopping: Math.max(stopping, before?.stopping ?? 0)
  }
}

const isRolledOut = (
  objects: ModelObjects,
  olderCounts: PackedCounts,
  newerCounts: PackedCounts
): boolean => {
  const { deployment, isComplete, newPosition } = objects
  if (deployment.spec.paused === true) return true
  const [newCounts, oldCounts] = newPosition === 1 ? [newerCounts, olderCounts] : [olderCounts, newerCounts]
  const { replicas } = deployment.spec
  return (
    isComplete &&
    newPosition !== -1 &&
    specReplicasOf(newCounts) === replicas &&
    availableOf(newCounts) === replicas &&
    activePodsOf(newCounts) === replicas &&
    specReplicasOf(oldCounts) + activePodsOf(oldCounts) === 0
  )
}

const deadEndFinding = (
  { deployment, newPosition }: ModelObjects,
  state: number,
  olderCounts: PackedCounts,
  newerCounts: PackedCounts
): SearchFinding => {
  const [newCounts, oldCounts] = newPosition === 1 ? [newerCounts, olderCounts] : [olderCounts, newerCounts]
  return {
    state,
    step: undefined,
    sums:
      `nothing more happens with ${availableOf(newCounts)} of ${deployment.spec.replicas} new Pods available` +
      ` and ${activePodsOf(oldCounts)} old ones there`,
    broken: "every order leads to the end of the rollout"
  }
}
