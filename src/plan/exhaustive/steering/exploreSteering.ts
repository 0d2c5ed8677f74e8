import { availablePods, stateKey } from "./steeredState.ts"
import { builtInSteering } from "../../../../machines/steering/steeringStrategies.ts"
import { builtInStrategies } from "../../../../machines/strategies/strategies.ts"
import { stepAllowance } from "../../../kubernetes/steering/rolloutSteps.ts"
import { deepFreeze } from "../../../kubernetes/meta/deepFreeze.ts"
import { deploymentMachine } from "../../../../machines/deployment.ts"
import { findCycle, makeEdges } from "../edges.ts"
import { completedAnnotation, holdAnnotation } from "../../../kubernetes/steering/steeringNames.ts"
import { annotationOf, revisionAnnotation } from "../../../kubernetes/apps/revisions/revisions.ts"
import { isGatedTemplate } from "../../../kubernetes/steering/gatedPods.ts"
import { hashOf } from "../../../kubernetes/steering/steeringObservation.ts"
import { makeDeploymentReconciler } from "../deploymentReconciler.ts"
import { makeModelObjectsTable, toStoredReplicaSet } from "../modelObjects.ts"
import { makePureChart } from "../pureChart.ts"
import { makeReplicaSetReconciler } from "../replicaSetReconciler.ts"
import { makeSteeringReconciler } from "./steeringReconciler.ts"
import { approvedPodsOf, movesOf } from "./steeredMoves.ts"
import { noSteeredPods } from "./steeredPods.ts"
import { OutsideModel } from "../searchStep.ts"
import { recordOf } from "../../../kubernetes/steering/steeringRecord.ts"
import { replicaSetMachine } from "../../../../machines/replicaSet.ts"
import { specReplicasOf } from "../modelPodCounts.ts"
import { steeringMachine } from "../../../../machines/steering.ts"
import type { CanarySettings } from "../../../kubernetes/steering/steeringSettings.ts"
import type { Deployment, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { ModelObjectsTable } from "../modelObjects.ts"
import type { SteeredModel, SteeringRequest } from "./steeredMoves.ts"
import type { SteeredState } from "./steeredState.ts"
import type { SteeringSettings } from "../../../kubernetes/steering/steeringObservation.ts"
import type { SteeringStrategy } from "../../../../machines/steering/steeringStrategy.ts"

export interface SteeredRolloutModel {
  readonly from: Deployment
  readonly next: Deployment
  readonly strategy: SteeringSettings
  /** Default: the built-in charts. */
  readonly strategies?: ReadonlyArray<SteeringStrategy>
  readonly gitManagers?: ReadonlyArray<string>
  /** How many Pods may fail, and how often the user may ask for something, in one order of events. */
  readonly failures: number
  readonly requests?: ReadonlyArray<SteeringRequest>
  readonly requestsMax?: number
  readonly statesMax?: number
}

export type SteeringClaim = "floor" | "ceiling" | "approvals" | "rules" | "end" | "success"

export interface SteeringFinding {
  readonly claim: SteeringClaim
  readonly broken: string
  /** The shortest order of events that leads there. */
  readonly steps: ReadonlyArray<string>
}

export interface SteeringExploration {
  readonly states: number
  readonly transitions: number
  /** False if there are more than `statesMax`: then nothing is proved. */
  readonly isWhole: boolean
  /** The first of each claim. */
  readonly findings: ReadonlyArray<SteeringFinding>
}

const statesMaxDefault = 2_000_000
const settleStepsMax = 1000

/**
 * Visits every state that a steered rollout can reach: every order in which Pods become ready and fail, Kubernetes'
 * controllers and the steering controller act, time passes and the user asks. The steering controller may be stopped
 * after any write, and one that was replaced may still approve Pods on record.
 */
export const exploreSteering = (options: SteeredRolloutModel): SteeringExploration => {
  const { statesMax = statesMaxDefault } = options
  const model = modelOf(options)
  const parents: Array<{ readonly from: number; readonly text: string }> = []
  const states: Array<SteeredState> = []
  const indexes = new Map<string, number>()
  const edges = makeEdges()
  const findings = new Map<
    SteeringClaim,
    { readonly state: number; readonly broken: string; readonly last?: string }
  >()
  const add = (state: SteeredState, from: number, text: () => string): number => {
    const key = stateKey(state)
    const known = indexes.get(key)
    if (known !== undefined) return known
    indexes.set(key, states.length)
    parents.push({ from, text: text() })
    return states.push(state) - 1
  }
  const report = (claim: SteeringClaim, state: number, broken: string, last?: string): void => {
    if (!findings.has(claim)) findings.set(claim, { state, broken, ...(last === undefined ? {} : { last }) })
  }
  add(initialState(model, options), -1, () => "")
  let index = 0
  for (; index < states.length && states.length <= statesMax; index += 1) {
    const state = states[index]
    if (state === undefined) break
    for (const [claim, broken] of stateProblems(state, options)) report(claim, index, broken)
    edges.beginState()
    let isStuck = true
    for (const { state: to, who, what, isCertain, broken = [] } of movesOf(model, state)) {
      const text = (): string => `${who}: ${what}`
      for (const it of broken) report(claimOfRule(it.rule), index, `${it.broken}: ${it.sums}`, text())
      const target = add(to, index, text)
      if (target === index) continue
      edges.add(target)
      if (isCertain) isStuck = false
    }
    const problem = isStuck ? restProblem(state, options) : undefined
    if (problem !== undefined) report("end", index, problem)
  }
  const isWhole = index === states.length
  if (isWhole && !states.some(isNewComplete)) report("success", 0, "no order completes the new revision")
  const [repeated] = (isWhole ? findCycle(edges, states.length) : undefined) ?? []
  if (repeated !== undefined) report("end", repeated, "the same steps can be taken again and again")
  const pathTo = (end: number): ReadonlyArray<string> => {
    const steps: Array<string> = []
    for (let at = end; at > 0; at = parents[at]?.from ?? -1) steps.unshift(parents[at]?.text ?? "")
    return steps
  }
  return {
    states: states.length,
    transitions: edges.count(),
    isWhole,
    findings: [...findings].map(([claim, { state, broken, last }]) => ({
      claim,
      broken,
      steps: [...pathTo(state), ...(last === undefined ? [] : [last])]
    }))
  }
}

const claimOfRule = (rule: string): SteeringClaim => (rule === "floor" || rule === "ceiling" ? rule : "rules")

const modelOf = (options: SteeredRolloutModel): SteeredModel => {
  const { strategies = builtInSteering, gitManagers = [], requests = [] } = options
  const objectsTable = makeModelObjectsTable("steered")
  return {
    objectsTable,
    deployments: makeDeploymentReconciler(makePureChart(deploymentMachine(builtInStrategies)), objectsTable, {
      seesPods: false,
      strategies: builtInStrategies
    }),
    replicaSets: makeReplicaSetReconciler(makePureChart(replicaSetMachine), objectsTable, {
      tracksStopping: false
    }),
    steering: makeSteeringReconciler(makePureChart(steeringMachine(strategies)), objectsTable, {
      strategy: options.strategy,
      gitManagers
    }),
    isGated: isGatedTemplate(options.next.spec.template),
    failuresMax: options.failures,
    requests,
    requestsMax: options.requestsMax ?? 1
  }
}

/** Rolls out `from` whole, and applies `next`. */
const initialState = (model: SteeredModel, { from, next, strategy }: SteeredRolloutModel): SteeredState => {
  const { objectsTable } = model
  // What runs before was rolled out well, whatever chart is explored.
  const steering = makeSteeringReconciler(makePureChart(steeringMachine()), objectsTable, {
    strategy,
    gitManagers: []
  })
  const begin = { ...from, metadata: { ...from.metadata, generation: 1 }, status: {} }
  const empty = { counts: 0, pods: noSteeredPods }
  const running = settleSteered(
    { ...model, steering, failuresMax: 0, requestsMax: 0 },
    {
      objects: objectsTable.of(deepFreeze(begin), []),
      replicaSets: [empty, empty],
      failures: 0,
      requests: 0
    }
  )
  const { deployment } = running.objects
  const applied = {
    ...deployment,
    metadata: { ...deployment.metadata, generation: (deployment.metadata.generation ?? 1) + 1 },
    spec: next.spec
  }
  return { ...running, objects: storedObjects(objectsTable, running, applied) }
}

const storedObjects = (objectsTable: ModelObjectsTable, state: SteeredState, deployment: Deployment) =>
  objectsTable.of(
    deepFreeze(deployment),
    state.objects.replicaSets.map(
      (it, slot) => it && toStoredReplicaSet(it, state.replicaSets[slot === 0 ? 0 : 1].counts)
    )
  )

const settleSteered = (model: SteeredModel, begin: SteeredState): SteeredState => {
  let state = begin
  for (let steps = 0; steps < settleStepsMax; steps += 1) {
    const key = stateKey(state)
    const move = movesOf(model, state).find(
      (it) => it.isCertain && it.isLate !== true && stateKey(it.state) !== key
    )
    if (move === undefined) return state
    state = move.state
  }
  throw new OutsideModel(`what runs before does not come to rest within ${settleStepsMax} steps`)
}

/** What must never be, whatever has happened before. */
const stateProblems = (
  state: SteeredState,
  { next, strategy }: SteeredRolloutModel
): ReadonlyArray<readonly [SteeringClaim, string]> => {
  const { replicas } = next.spec
  const available = availablePods(state)
  const newApproved = approvedPodsOf(state.replicaSets[1])
  const allowed =
    strategy.name === "canary" ? allowedPods(state, strategy.settings as CanarySettings, replicas) : undefined
  return [
    ...(available >= replicas - state.failures
      ? []
      : [
          [
            "floor",
            `available >= replicas - failures: ${available} >= ${replicas} - ${state.failures}`
          ] as const
        ]),
    ...(allowed === undefined || newApproved <= allowed
      ? []
      : [["approvals", `approved <= allowed by the step: ${newApproved} <= ${allowed}`] as const])
  ]
}

/** How many Pods of the new revision may be approved; undefined if all. */
const allowedPods = (
  { objects }: SteeredState,
  settings: CanarySettings,
  replicas: number
): number | undefined => {
  const [, next] = objects.replicaSets
  if (next === undefined) return 0
  const record = recordOf(objects.deployment)
  const isCurrent =
    record?.hash === hashOf(next) && record.revision === annotationOf(next, revisionAnnotation)
  // Once the rollout is over, its steps do not count.
  return isCurrent ? stepAllowance(settings, record.step ?? 0, replicas) : undefined
}

/** Why it is wrong that nothing more happens. */
const restProblem = (
  { objects, replicaSets }: SteeredState,
  { strategy }: SteeredRolloutModel
): string | undefined => {
  const { deployment, nextSlot } = objects
  const record = recordOf(deployment)
  const step =
    strategy.name === "canary" ? (strategy.settings as CanarySettings).steps[record?.step ?? 0] : undefined
  const awaitsUser =
    annotationOf(deployment, holdAnnotation) !== undefined ||
    (step !== undefined && "holdMillis" in step && step.holdMillis === undefined)
  const next = objects.replicaSets[nextSlot]
  const isGivenUp = record?.aborted !== undefined && next !== undefined && record.hash === hashOf(next)
  // What happens to its Pods later is not the rollout's.
  const isOver = next !== undefined && isMarkedAs(next, annotationOf(next, revisionAnnotation))
  if (awaitsUser || isGivenUp || isOver) return undefined
  const [older, newer] = replicaSets.map(({ counts }) => specReplicasOf(counts))
  return `nothing more happens with ${older} Pods wanted of the first revision and ${newer} of the second`
}

const isNewComplete = ({ objects: { replicaSets } }: SteeredState): boolean =>
  replicaSets[1] !== undefined && isMarkedAs(replicaSets[1], annotationOf(replicaSets[1], revisionAnnotation))

const isMarkedAs = (replicaSet: ReplicaSet, revision: string | undefined): boolean => {
  const [hash, marked] = (annotationOf(replicaSet, completedAnnotation) ?? "").split(" ")
  return hash === hashOf(replicaSet) && marked === revision
}
