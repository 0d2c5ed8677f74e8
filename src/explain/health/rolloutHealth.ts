import { availableFloor, resolveFenceposts } from "../../kubernetes/apps/deploymentObservation.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { findNextReplicaSet } from "../../kubernetes/apps/revisions/findNextReplicaSet.ts"
import { isPodActive, isPodReady } from "../../kubernetes/pods/podState.ts"
import { podTrouble, troubleKinds, troubleText } from "./podTrouble.ts"
import { progressingCondition } from "../../kubernetes/apps/progress.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import type { Deployment, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { PodTrouble } from "./podTrouble.ts"

/**
 * `down`: no Pod serves. `degraded`: fewer Pods are available than the strategy allows. A first rollout whose Pods
 * start without trouble is `ok`.
 */
export type Health = "down" | "degraded" | "ok"

/**
 * `blocked`: nothing moves by itself. `complete`: the template is rolled out. `idle`: no Pod is wanted, or the template
 * was rolled out before and Pods of it are missing.
 */
export type Progress = "blocked" | "rolling out" | "paused" | "complete" | "idle"

/** The worse of health and progress. */
export type HealthLead = Exclude<Health, "ok"> | Progress

/** The worst first. */
export const healthLeads: ReadonlyArray<HealthLead> = [
  "down",
  "blocked",
  "degraded",
  "rolling out",
  "paused",
  "complete",
  "idle"
]

export interface RolloutHealth {
  readonly health: Health
  readonly progress: Progress
  readonly lead: HealthLead
  /** One line without a period, the root first; undefined when nothing is wrong. */
  readonly cause: string | undefined
}

interface HealthObjects {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly pods: ReadonlyArray<Pod>
  readonly nodes: ReadonlyMap<string, Node>
  /** The sentence of a rollout that waits for itself, if it does. */
  readonly deadlock: string | undefined
}

export const rolloutHealth = (objects: HealthObjects): RolloutHealth => {
  const { deployment } = objects
  const newUid = findNextReplicaSet(deployment, objects.replicaSets)?.metadata.uid
  const tally = tallyTrouble(objects, newUid)
  const progress = progressOf(objects, tally)
  const isFirstStart =
    progress === "rolling out" && tally.troubled.size === 0 && objects.replicaSets.length <= 1
  const health = isFirstStart ? "ok" : healthOf(deployment)
  return {
    health,
    progress,
    lead: leadOf(health, progress),
    cause: causeOf(objects, progress, tally)
  }
}

const leadOf = (health: Health, progress: Progress): HealthLead =>
  health === "down" || (health === "degraded" && progress !== "blocked") ? health : progress

const healthOf = (deployment: Deployment): Health => {
  const { spec, status } = deployment
  const available = status.availableReplicas ?? 0
  if (spec.replicas > 0 && available === 0) return "down"
  const { unavailableMax } = resolveFenceposts(deployment)
  return available < availableFloor({ deployment, unavailableMax }) ? "degraded" : "ok"
}

interface TroubleTally {
  /** By the trouble's text without its count. */
  readonly troubled: ReadonlyMap<string, { readonly trouble: PodTrouble; readonly count: number }>
  /** Pods of the new revision that only a change of theirs, of the cluster or of the template makes ready. */
  readonly blockedNew: number
  /** Pods of the new revision that may still become ready by themselves. */
  readonly startingNew: number
}

const tallyTrouble = ({ pods, nodes }: HealthObjects, newUid: string | undefined): TroubleTally => {
  const troubled = new Map<string, { readonly trouble: PodTrouble; readonly count: number }>()
  let [blockedNew, startingNew] = [0, 0]
  for (const pod of pods) {
    const isNew = controllerOf(pod)?.uid === newUid
    const trouble = podTrouble(pod, nodes)
    if (trouble === undefined) {
      if (isNew && isPodActive(pod) && !isPodReady(pod)) startingNew += 1
      continue
    }
    // The Pods of a lost node are evicted and replaced.
    if (isNew && trouble.kind !== "node") blockedNew += 1
    const key = `${trouble.kind} ${trouble.detail}`
    troubled.set(key, { trouble, count: (troubled.get(key)?.count ?? 0) + 1 })
  }
  return { troubled, blockedNew, startingNew }
}

const progressOf = (
  { deployment, deadlock }: HealthObjects,
  { blockedNew, startingNew }: TroubleTally
): Progress => {
  const { spec, status } = deployment
  const { state } = rolloutStatus(deployment)
  if (state === "complete") return spec.replicas === 0 ? "idle" : "complete"
  if (spec.paused === true) return "paused"
  if (deadlock !== undefined || refusalOf(deployment) !== undefined) return "blocked"
  const isTemplateRolledOut =
    progressingCondition(deployment)?.reason === "NewReplicaSetAvailable" &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0) &&
    (status.updatedReplicas ?? 0) === (status.replicas ?? 0)
  if (isTemplateRolledOut) return "idle"
  // A deadline that has passed stops nothing: what still starts may become ready.
  if (startingNew > 0 && state !== "failed") return "rolling out"
  return blockedNew > 0 || state === "failed" ? "blocked" : "rolling out"
}

/** What the API server answered when a Pod or a ReplicaSet was to be created. */
const refusalOf = ({ status }: Deployment): string | undefined => {
  const failure = conditionOf(status.conditions, "ReplicaFailure")
  if (failure?.status === "True") return failure.message ?? failure.reason
  const progressing = conditionOf(status.conditions, "Progressing")
  return progressing?.reason === "ReplicaSetCreateError" ? progressing.message : undefined
}

/** At most two causes; the others are counted. */
const causeOf = (
  { deployment, deadlock }: HealthObjects,
  progress: Progress,
  { troubled }: TroubleTally
): string | undefined => {
  const refusal = refusalOf(deployment)
  const ofPods = [...troubled.values()]
    // The deadlock says why they find no node.
    .filter(({ trouble }) => deadlock === undefined || trouble.kind !== "placement")
    .sort((a, b) => rankOf(a.trouble) - rankOf(b.trouble) || b.count - a.count)
    .map(({ trouble, count }) => troubleText(trouble, count))
  const causes = [
    ...(refusal === undefined ? [] : [`a Pod or ReplicaSet was refused: ${refusal.replace(/\.$/u, "")}`]),
    ...(deadlock === undefined ? [] : [deadlock]),
    ...ofPods
  ]
  const [first, second, ...others] = causes
  if (first === undefined) return progress === "blocked" ? deadlineCause(deployment) : undefined
  const more = others.length === 0 ? "" : `; and ${countText(others.length, "more cause")}`
  return second === undefined ? first : `${first}; ${second}${more}`
}

const rankOf = ({ kind }: PodTrouble): number => troubleKinds.indexOf(kind)

const deadlineCause = ({ spec, status }: Deployment): string => {
  const missing = Math.max(0, spec.replicas - (status.availableReplicas ?? 0))
  return missing === 0
    ? "old Pods do not go, and its deadline has passed"
    : `${countText(missing, "Pod")} not available, and its deadline has passed`
}
