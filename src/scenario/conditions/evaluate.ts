import { conditionOf } from "../../domain/conditions.ts"
import { isReady, restartsOf } from "../../domain/pods.ts"
import { keyOf } from "../../domain/objects.ts"
import { resources } from "../../domain/kinds.ts"
import { revisionOf } from "../../domain/revisions.ts"
import { rolloutStatus } from "../../domain/rolloutStatus.ts"
import { compares, type Operator } from "../operators.ts"
import { nameOf } from "./objectName.ts"
import type { Deployment, Key, KubeObject, Node, Pod } from "../../domain/objects.ts"
import { shownName } from "../../domain/shownName.ts"
import type { StoryWorld } from "../stories/story.ts"
import type { Clause, DeploymentMeasure, Measure, ParsedCondition, State } from "./condition.ts"
import type { NamedObject } from "./objectName.ts"

type World = Pick<StoryWorld, "view" | "ledger">

/** Why a condition does not hold of one object, with the numbers of both sides. */
export interface Reason {
  /** The object, as `namespace/name`. */
  readonly subject: Key
  readonly why: string
  /** It is said of a Service. */
  readonly isOfService?: boolean
}

/** Every reason for which a condition does not hold; none where it does. */
export const reasonsAgainst = (condition: ParsedCondition, world: World): ReadonlyArray<Reason> =>
  condition.clauses.flatMap((clause) => reasonsAgainstClause(clause, world))

/** The Service whose lost requests are more than a condition allows; undefined while they are not. */
export const losingIn = (condition: ParsedCondition, world: World): Key | undefined => {
  for (const clause of condition.clauses) {
    if (!isOfLosses(clause)) continue
    const [reason] = reasonsAgainstClause(clause, world)
    if (reason !== undefined) return reason.subject
  }
  return undefined
}

/** Requests are lost while time passes, and at no other time. */
export const isOfLosses = (clause: Clause): clause is Comparison =>
  clause.type === "comparison" && (clause.measure === "lost" || isLost(clause.amount))

type Comparison = Extract<Clause, { readonly type: "comparison" }>

const isLost = (amount: Comparison["amount"]): boolean =>
  amount.type === "measure" && amount.measure === "lost"

/**
 * What becomes so of a condition while requests are lost and nothing else happens, and then stays so: that they are as
 * many as they are compared with, and that they are more. In between it holds all the time or not at all.
 */
export const lossTurns = (condition: ParsedCondition, world: World): ReadonlyArray<() => boolean> =>
  condition.clauses.filter(isOfLosses).flatMap((clause) => {
    const growing: ReadonlyArray<Operator> = clause.measure === "lost" ? [">=", ">"] : ["<=", "<"]
    return growing.map((operator) => () => reasonsAgainstClause({ ...clause, operator }, world).length === 0)
  })

const reasonsAgainstClause = (clause: Clause, world: World): ReadonlyArray<Reason> => {
  const { subject } = clause
  if (subject === undefined) {
    return [...world.view.all(resources.deployments)].flatMap((deployment) =>
      reasonOf(keyOf(deployment), whyNotOf(clause, labelOf(deployment), deployment, world))
    )
  }
  const object = world.view.get(subject.resource, subject.key)
  const name = nameOf(subject)
  if (object !== undefined) return reasonOf(subject.key, whyNotOf(clause, name, object, world), subject)
  if (clause.type === "state" && clause.state === "gone" && !clause.isNegated) return []
  // Requests to what is not there any more are lost all the same.
  const isCounted = clause.type === "comparison" && clause.measure === "lost"
  return reasonOf(
    subject.key,
    isCounted ? whyNotOf(clause, name, { subject }, world) : `${name} does not exist`,
    subject
  )
}

const reasonOf = (subject: Key, why: string | undefined, named?: NamedObject): ReadonlyArray<Reason> =>
  why === undefined ? [] : [{ subject, why, isOfService: named?.resource === resources.services }]

const labelOf = ({ metadata }: Deployment): string => `deployment/${shownName(metadata)}`

/** What is there, or only its name. */
type Thing = KubeObject | { readonly subject: NamedObject }

const whyNotOf = (clause: Clause, name: string, thing: Thing, world: World): string | undefined => {
  if (clause.type === "state") {
    if ("subject" in thing) return undefined
    const why = whyNotState(clause.state, name, thing)
    if (!clause.isNegated) return why
    return why === undefined ? `${name} is ${clause.state}` : undefined
  }
  const { measure, operator, amount } = clause
  const actual = measured(measure, thing, world)
  if (amount.type === "measure") {
    const other = measured(amount.measure, thing, world)
    if (compares(actual, operator, other)) return undefined
    return `${name} ${measure} is ${actual}, not ${operator} ${amount.measure} (${other})`
  }
  if (amount.type === "number") {
    if (compares(actual, operator, amount.value)) return undefined
    return `${name} ${measure} is ${actual}, not ${operator} ${amount.value}`
  }
  const desired = measured("desired", thing, world)
  const limit = (amount.value * desired) / 100
  if (compares(actual, operator, limit)) return undefined
  return `${name} ${measure} is ${actual} of ${desired}, not ${operator} ${amount.value}% (${limit})`
}

const measured = (measure: Measure, thing: Thing, { view, ledger }: World): number => {
  const key = "subject" in thing ? thing.subject.key : keyOf(thing)
  if ("subject" in thing || thing.kind === "Service") {
    const row = ledger.ofService(key)?.now()
    return row === undefined || !isServiceMeasure(measure) ? 0 : row[measure]
  }
  // A condition says such a thing of Deployments alone.
  const deployment = thing as Deployment
  const row = ledger.of(key)?.now()
  switch (measure as DeploymentMeasure) {
    case "revision":
      return Number(revisionOf(deployment) ?? 0n)
    case "restarts":
      return restartsUnder(deployment, view)
    case "pods":
      return row?.existing ?? 0
    case "unavailable":
      return Math.max(0, deployment.spec.replicas - (row?.available ?? 0))
    default:
      return row?.[measure as keyof typeof row] ?? 0
  }
}

const isServiceMeasure = (measure: Measure): measure is "endpoints" | "ready" | "lost" =>
  measure === "endpoints" || measure === "ready" || measure === "lost"

/** Of the Pods that are there now. */
const restartsUnder = ({ metadata }: Deployment, view: World["view"]): number =>
  view
    .controlled(resources.replicaSets, metadata.uid)
    .flatMap(({ metadata: { uid } }) => view.controlled(resources.pods, uid))
    .reduce((sum, pod) => sum + restartsOf(pod), 0)

const whyNotState = (state: State, name: string, object: KubeObject): string | undefined => {
  if (state === "gone") return `${name} is still there, not gone`
  if (state === "ready") {
    const isThere = object.kind === "Pod" ? isReady(object as Pod) : isNodeReady(object as Node)
    return isThere ? undefined : `${name} is not ready`
  }
  // Of all objects that have the other states, only Deployments are left.
  const deployment = object as Deployment
  const standing = standingOf(deployment)
  if (standing.states.includes(state)) return undefined
  return `${name} is ${standing.states.join(" and ")}, not ${state}: ${standing.message}`
}

const isNodeReady = ({ status }: Node): boolean =>
  status.conditions?.find(({ type }) => type === "Ready")?.status === "True"

/** Everything that a Deployment is at the moment, in the words of conditions, and in kubectl's. */
export const standingOf = (
  deployment: Deployment
): { readonly states: ReadonlyArray<State>; readonly message: string } => {
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
