import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isNodeReady } from "../../kubernetes/core/nodeStatus.ts"
import { isPodReady, restartCountOf } from "../../kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { podsOfDeployment } from "../../store/ownerLookup.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { compareNumbers, type ComparisonOperator } from "./operators.ts"
import { objectNameText } from "./objectName.ts"
import { workloadMeasureOf, workloadStatesOf } from "./workloadConditions.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Deployment, Key, KubeObject, Node, Pod } from "../../kubernetes/meta/objects.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { StoryWorld } from "../stories/story.ts"
import type {
  ConditionClause,
  DeploymentMeasure,
  ConditionMeasure,
  ParsedCondition,
  ConditionState
} from "./condition.ts"
import type { NamedObject } from "./objectName.ts"

type ConditionWorld = Pick<StoryWorld, "view" | "ledger">

export interface ConditionFailure {
  readonly key: Key
  readonly why: string
  readonly isService?: boolean
}

export const conditionFailures = (
  condition: ParsedCondition,
  world: ConditionWorld
): ReadonlyArray<ConditionFailure> => condition.clauses.flatMap((clause) => clauseFailures(clause, world))

/** The Service of the first clause about lost requests that does not hold. */
export const findServiceWithLosses = (condition: ParsedCondition, world: ConditionWorld): Key | undefined => {
  for (const clause of condition.clauses) {
    if (!comparesLosses(clause)) continue
    const [failure] = clauseFailures(clause, world)
    if (failure !== undefined) return failure.key
  }
  return undefined
}

/** Lost requests change without any change of objects. */
export const comparesLosses = (clause: ConditionClause): clause is Comparison =>
  clause.type === "comparison" && (clause.measure === "lost" || isLossAmount(clause.amount))

type Comparison = Extract<ConditionClause, { readonly type: "comparison" }>

const isLossAmount = (amount: Comparison["amount"]): boolean =>
  amount.type === "measure" && amount.measure === "lost"

/** A clause about lost requests can change only when the losses reach its limit, and when they exceed it. */
export const lossThresholds = (
  condition: ParsedCondition,
  world: ConditionWorld
): ReadonlyArray<() => boolean> =>
  condition.clauses.filter(comparesLosses).flatMap((clause) => {
    const operators: ReadonlyArray<ComparisonOperator> = clause.measure === "lost" ? [">=", ">"] : ["<=", "<"]
    return operators.map((operator) => () => clauseFailures({ ...clause, operator }, world).length === 0)
  })

const clauseFailures = (clause: ConditionClause, world: ConditionWorld): ReadonlyArray<ConditionFailure> => {
  const { subject } = clause
  if (subject === undefined) {
    return [...world.view.all(resources.deployments)].flatMap((deployment) =>
      toFailures(
        objectKeyOf(deployment),
        clauseFailureText(clause, deploymentNameText(deployment), deployment, world)
      )
    )
  }
  const object = world.view.get(subject.resource, subject.key)
  const name = objectNameText(subject)
  if (object !== undefined)
    return toFailures(subject.key, clauseFailureText(clause, name, object, world), subject)
  if (clause.type === "state" && clause.state === "gone" && !clause.isNegated) return []
  const comparesDeletedService = clause.type === "comparison" && clause.measure === "lost"
  return toFailures(
    subject.key,
    comparesDeletedService
      ? clauseFailureText(clause, name, { deletedService: subject }, world)
      : `${name} does not exist`,
    subject
  )
}

const toFailures = (
  key: Key,
  why: string | undefined,
  subject?: NamedObject
): ReadonlyArray<ConditionFailure> =>
  why === undefined ? [] : [{ key, why, isService: subject?.resource === resources.services }]

const deploymentNameText = ({ metadata }: Deployment): string => `deployment/${displayName(metadata)}`

type ClauseObject = KubeObject | { readonly deletedService: NamedObject }

const clauseFailureText = (
  clause: ConditionClause,
  name: string,
  object: ClauseObject,
  world: ConditionWorld
): string | undefined => {
  if (clause.type === "state") {
    if ("deletedService" in object) return undefined
    const why = stateFailureText(clause.state, name, object)
    if (!clause.isNegated) return why
    return why === undefined ? `${name} is ${clause.state}` : undefined
  }
  const { measure, operator, amount } = clause
  const actual = measureOf(measure, object, world)
  if (amount.type === "measure") {
    const otherActual = measureOf(amount.measure, object, world)
    if (compareNumbers(actual, operator, otherActual)) return undefined
    return `${name} ${measure} is ${actual}, not ${operator} ${amount.measure} (${otherActual})`
  }
  if (amount.type === "number") {
    if (compareNumbers(actual, operator, amount.value)) return undefined
    return `${name} ${measure} is ${actual}, not ${operator} ${amount.value}`
  }
  const desired = measureOf("desired", object, world)
  const threshold = (amount.value * desired) / 100
  if (compareNumbers(actual, operator, threshold)) return undefined
  return `${name} ${measure} is ${actual} of ${desired}, not ${operator} ${amount.value}% (${threshold})`
}

const measureOf = (
  measure: ConditionMeasure,
  object: ClauseObject,
  { view, ledger }: ConditionWorld
): number => {
  const key = "deletedService" in object ? object.deletedService.key : objectKeyOf(object)
  if ("deletedService" in object || object.kind === "Service") {
    const row = ledger.ofService(key)?.now()
    return row === undefined || !isServiceMeasure(measure) ? 0 : row[measure]
  }
  const resource = workloadResourceOf(object)
  if (resource !== undefined) return workloadMeasureOf(measure, resource, object, view)
  const deployment = object as Deployment
  const row = ledger.of(key)?.now()
  switch (measure as DeploymentMeasure) {
    case "revision":
      return Number(revisionOf(deployment) ?? 0n)
    case "restarts":
      return containerRestartsOf(deployment, view)
    case "pods":
      return row?.existing ?? 0
    case "unavailable":
      return Math.max(0, deployment.spec.replicas - (row?.available ?? 0))
    default:
      return row?.[measure as keyof typeof row] ?? 0
  }
}

const isServiceMeasure = (measure: ConditionMeasure): measure is "endpoints" | "ready" | "lost" =>
  measure === "endpoints" || measure === "ready" || measure === "lost"

const containerRestartsOf = (deployment: Deployment, view: ConditionWorld["view"]): number =>
  podsOfDeployment(view, deployment).reduce((sum, pod) => sum + restartCountOf(pod), 0)

const stateFailureText = (state: ConditionState, name: string, object: KubeObject): string | undefined => {
  if (state === "gone") return `${name} is still there, not gone`
  if (state === "ready") {
    const isObjectReady = object.kind === "Pod" ? isPodReady(object as Pod) : isNodeReady(object as Node)
    return isObjectReady ? undefined : `${name} is not ready`
  }
  const resource = workloadResourceOf(object)
  const { states, message } =
    resource === undefined ? conditionStatesOf(object as Deployment) : workloadStatesOf(resource, object)
  if (states.includes(state)) return undefined
  const actual = states.length === 0 ? `not ${state}` : `${states.join(" and ")}, not ${state}`
  return `${name} is ${actual}: ${message}`
}

const workloadResourceOf = ({ kind }: KubeObject): GroupResource | undefined => resourceByKind[kind]

const resourceByKind: Readonly<Record<string, GroupResource>> = {
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
  Job: resources.jobs,
  CronJob: resources.cronJobs,
  HorizontalPodAutoscaler: resources.autoscalers
}

/** All states that a condition can name after `is` but `gone`. `message` is from `kubectl rollout status`. */
export const conditionStatesOf = (
  deployment: Deployment
): { readonly states: ReadonlyArray<ConditionState>; readonly message: string } => {
  const { state, message } = rolloutStatus(deployment)
  const isPaused = deployment.spec.paused === true
  const isAvailable = conditionOf(deployment.status.conditions, "Available")?.status === "True"
  return {
    states: [
      ...(state !== "waiting" ? [state] : isPaused ? [] : (["progressing"] as const)),
      ...(isPaused ? (["paused"] as const) : []),
      ...(isAvailable ? (["available"] as const) : [])
    ],
    message
  }
}
