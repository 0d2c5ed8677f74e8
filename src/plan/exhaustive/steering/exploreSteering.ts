import { countActivePods, availablePods, stateKey, storedReplicaSets } from "./steeredState.ts"
import { builtInSteering } from "../../../../machines/steering/steeringStrategies.ts"
import { builtInStrategies } from "../../../../machines/strategies/strategies.ts"
import { deepFreeze } from "../../../kubernetes/meta/deepFreeze.ts"
import { deploymentMachine } from "../../../../machines/deployment.ts"
import { findCycle, makeEdges } from "../edges.ts"
import { hasApprovalGate } from "../../../kubernetes/steering/podApproval.ts"
import { isMarkedComplete } from "../../../kubernetes/steering/steeringObservation.ts"
import { makeDeploymentReconciler } from "../deployments/deploymentReconciler.ts"
import { makeModelObjectsTable } from "../modelObjects.ts"
import { makePureChart } from "../pureChart.ts"
import { makeReplicaSetReconciler } from "../replicaSetReconciler.ts"
import { makeSteeringReconciler } from "./steeringReconciler.ts"
import { decisionProblems, stallProblem, stateProblems } from "./steeringClaims.ts"
import { decisionsOf, movesOf } from "./steeredMoves.ts"
import { noPackedCounts } from "../modelPodCounts.ts"
import { noSteeredPods } from "./steeredPods.ts"
import { OutsideModel } from "../searchStep.ts"
import { replicaSetMachine } from "../../../../machines/replicaSet.ts"
import { steeringMachine } from "../../../../machines/steering.ts"
import type { Deployment } from "../../../kubernetes/meta/objects.ts"
import type { ClaimViolation, SteeringClaim } from "./steeringClaims.ts"
import type { CounterexampleStep } from "../claims.ts"
import type { StateInvariant } from "../searchStates.ts"
import type { SteeredModel, SteeredMove, SteeringRequest } from "./steeredMoves.ts"
import type { FailureSettings } from "../../../kubernetes/steering/steeringSettings.ts"
import type { SteeredState } from "./steeredState.ts"
import type { SteeringSettings } from "../../../kubernetes/steering/steeringObservation.ts"
import type { SteeringStrategy } from "../../../../machines/steering/steeringStrategy.ts"

export interface SteeredRolloutModel {
  readonly from: Deployment
  readonly next: Deployment
  readonly strategy: SteeringSettings
  readonly strategies?: ReadonlyArray<SteeringStrategy>
  readonly machine?: ReturnType<typeof steeringMachine>
  /** Names of field managers that apply the Pod template from Git. */
  readonly gitManagers?: ReadonlyArray<string>
  readonly failuresMax: number
  /** What the user may request, at most `requestsMax` times (default 1); default: nothing. */
  readonly requests?: ReadonlyArray<SteeringRequest>
  readonly requestsMax?: number
  readonly statesMax?: number
  readonly endsAtFirstFinding?: boolean
  readonly invariants?: ReadonlyArray<StateInvariant>
}

export interface SteeringFinding {
  readonly claim: SteeringClaim
  readonly explanation: string
  readonly steps: ReadonlyArray<CounterexampleStep>
}

export interface SteeringExploration {
  readonly states: number
  readonly transitions: number
  /** False if the search ended early, which proves nothing. */
  readonly isWhole: boolean
  readonly findings: ReadonlyArray<SteeringFinding>
  /** Indexed by the number of failures so far. */
  readonly extremes: ReadonlyArray<SteeredExtremes>
}

export interface SteeredExtremes {
  readonly availableFewest: number
  readonly podsMost: number
  readonly worst: ReadonlyArray<CounterexampleStep>
}

/** The state from which another was reached first, and the move that led there. */
interface ParentState {
  readonly fromState: number
  readonly who: string
  readonly what: string
}

const noParent: ParentState = { fromState: -1, who: "", what: "" }

const initialStateIndex = 0

/** This many states take about 2 GB of memory. */
const statesMaxDefault = 1_000_000
/** Far more than the rollout of `from` takes. */
const settleMovesMax = 1000

/**
 * Explores every order in which Pods become ready and fail, controllers act, time passes and the user makes
 * requests. The steering controller may be stopped after any write; a replaced one may still approve Pods in its
 * record.
 */
export const exploreSteering = (options: SteeredRolloutModel): SteeringExploration => {
  const { statesMax = statesMaxDefault } = options
  const model = toSteeredModel(options)
  const parents: Array<ParentState> = []
  const states: Array<SteeredState> = []
  const indexes = new Map<string, number>()
  const edges = makeEdges()
  const findings = new Map<
    SteeringClaim,
    { readonly explanation: string; readonly endState: number; readonly brokenMove?: SteeredMove }
  >()
  const extremes: Array<{ availableFewest: number; podsMost: number; state: number }> = []
  const addState = (state: SteeredState, parent: ParentState): number => {
    const key = stateKey(state)
    const knownIndex = indexes.get(key)
    if (knownIndex !== undefined) return knownIndex
    indexes.set(key, states.length)
    parents.push(parent)
    return states.push(state) - 1
  }
  const addFinding = (
    [claim, explanation]: ClaimViolation,
    endState: number,
    brokenMove?: SteeredMove
  ): void => {
    if (!findings.has(claim))
      findings.set(claim, { explanation, endState, ...(brokenMove === undefined ? {} : { brokenMove }) })
  }
  const updateExtremes = (state: SteeredState, at: number): void => {
    const [available, pods] = [availablePods(state), countActivePods(state)]
    const extremesSoFar = (extremes[state.failures] ??= {
      availableFewest: available,
      podsMost: pods,
      state: at
    })
    extremesSoFar.podsMost = Math.max(extremesSoFar.podsMost, pods)
    if (available < extremesSoFar.availableFewest)
      Object.assign(extremesSoFar, { availableFewest: available, state: at })
  }
  addState(initialState(model, options), noParent)
  let index = 0
  const isSearchOver = (): boolean =>
    states.length > statesMax || (options.endsAtFirstFinding === true && findings.size > 0)
  for (; index < states.length && !isSearchOver(); index += 1) {
    const state = states[index]
    if (state === undefined) break
    updateExtremes(state, index)
    const decisions = decisionsOf(model, state)
    // Before and after the times for which the controller waits.
    const { early, late } = decisions
    for (const violation of stateProblems(state, early, options.invariants)) addFinding(violation, index)
    for (const violation of [early, late].flatMap((decision) => decisionProblems(state, decision)))
      addFinding(violation, index)
    edges.beginState()
    let isStuck = true
    for (const move of movesOf(model, state, decisions)) {
      for (const violation of move.violations ?? []) addFinding(violation, index, move)
      const target = addState(move.state, { fromState: index, who: move.who, what: move.what })
      if (target === index) continue
      edges.add(target)
      if (move.isCertain) isStuck = false
    }
    const problem = isStuck ? stallProblem(state, early) : undefined
    if (problem !== undefined) addFinding(problem, index)
  }
  const isWhole = index === states.length
  if (isWhole && !states.some(isNewComplete))
    addFinding(["success", "no order completes the new revision"], initialStateIndex)
  const [repeatedState] = (isWhole ? findCycle(edges, states.length) : undefined) ?? []
  if (repeatedState !== undefined)
    addFinding(["end", "the same steps can be taken again and again"], repeatedState)
  const stepTo = (state: SteeredState | undefined, who: string, what: string): CounterexampleStep => ({
    who,
    what,
    available: state === undefined ? 0 : availablePods(state),
    pods: state === undefined ? 0 : countActivePods(state)
  })
  const pathTo = (endState: number): ReadonlyArray<CounterexampleStep> => {
    const steps: Array<CounterexampleStep> = []
    for (let at = endState; at > initialStateIndex;) {
      const { fromState, who, what } = parents[at] ?? noParent
      steps.unshift(stepTo(states[at], who, what))
      at = fromState
    }
    return steps
  }
  return {
    states: states.length,
    transitions: edges.count(),
    isWhole,
    findings: [...findings].map(([claim, { explanation, endState, brokenMove }]) => ({
      claim,
      explanation,
      steps: [
        ...pathTo(endState),
        ...(brokenMove === undefined ? [] : [stepTo(brokenMove.state, brokenMove.who, brokenMove.what)])
      ]
    })),
    extremes: extremes.map(({ availableFewest, podsMost, state }) => ({
      availableFewest,
      podsMost,
      worst: pathTo(state)
    }))
  }
}

const toSteeredModel = (options: SteeredRolloutModel): SteeredModel => {
  const { strategies = builtInSteering, gitManagers = [], requests = [] } = options
  const { machine = steeringMachine(strategies) } = options
  const objectsTable = makeModelObjectsTable("steered")
  return {
    objectsTable,
    deployments: makeDeploymentReconciler(makePureChart(deploymentMachine(builtInStrategies)), objectsTable, {
      countsOldPods: false,
      strategies: builtInStrategies
    }),
    replicaSets: makeReplicaSetReconciler(makePureChart(replicaSetMachine), objectsTable, {
      tracksStopping: false
    }),
    steering: makeSteeringReconciler(makePureChart(machine), objectsTable, {
      strategy: options.strategy,
      gitManagers,
      failuresMax: options.failuresMax
    }),
    next: options.next,
    isGated: hasApprovalGate(options.next.spec.template),
    endsWithoutNode:
      (options.strategy.settings as Partial<FailureSettings>).scheduleTimeoutMillis !== undefined,
    failuresMax: options.failuresMax,
    requests,
    requestsMax: options.requestsMax ?? 1
  }
}

const initialState = (model: SteeredModel, { from, next, strategy }: SteeredRolloutModel): SteeredState => {
  const { objectsTable } = model
  // The explored chart may be faulty: the built-in charts roll out `from`.
  const steering = makeSteeringReconciler(makePureChart(steeringMachine()), objectsTable, {
    strategy,
    gitManagers: [],
    failuresMax: 0
  })
  const begin = { ...from, metadata: { ...from.metadata, generation: 1 }, status: {} }
  const empty = { counts: noPackedCounts, pods: noSteeredPods }
  const settledState = settleSteered(
    { ...model, steering, failuresMax: 0, requestsMax: 0 },
    {
      objects: objectsTable.findOrAdd(deepFreeze(begin), []),
      replicaSets: [empty, empty],
      failures: 0,
      requests: 0,
      hookJobs: {},
      previewedHash: undefined
    }
  )
  const { deployment } = settledState.objects
  const appliedDeployment = {
    ...deployment,
    metadata: { ...deployment.metadata, generation: (deployment.metadata.generation ?? 1) + 1 },
    spec: next.spec
  }
  return {
    ...settledState,
    objects: objectsTable.findOrAdd(deepFreeze(appliedDeployment), storedReplicaSets(settledState))
  }
}

const settleSteered = (model: SteeredModel, begin: SteeredState): SteeredState => {
  let state = begin
  for (let steps = 0; steps < settleMovesMax; steps += 1) {
    const key = stateKey(state)
    const move = movesOf(model, state, decisionsOf(model, state)).find(
      (candidate) => candidate.isCertain && candidate.isLate !== true && stateKey(candidate.state) !== key
    )
    if (move === undefined) return state
    state = move.state
  }
  throw new OutsideModel(`what runs before does not come to rest within ${settleMovesMax} steps`)
}

const isNewComplete = ({ objects: { replicaSets } }: SteeredState): boolean =>
  isMarkedComplete({ newReplicaSet: replicaSets[1] })
