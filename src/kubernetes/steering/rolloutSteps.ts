import { specReplicas } from "../apps/replicaCounts.ts"
import { approvesAllPodsText, holdAnnotation, promoteAnnotation } from "./steeringNames.ts"
import { annotationOf } from "../apps/revisions/revisions.ts"
import { countText } from "../meta/text/countText.ts"
import { currentRecord, hasBeenComplete, stableReplicaSet, templateHashOf } from "./steeringObservation.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { isApproved } from "./podApproval.ts"
import { newPodFacts } from "./podFacts.ts"
import { recordOf } from "./steeringRecord.ts"
import { resolveIntOrPercent } from "../meta/amounts/intOrPercent.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { RolloutStep, StepSettings } from "./steeringSettings.ts"
import type { Deployment, Pod, ReplicaSet } from "../meta/objects.ts"
import type { SteeringPredicate, SteeringObservation } from "./steeringObservation.ts"

/** The settings have been checked against the chart's schema. */
export const stepSettingsOf = ({ strategy }: SteeringObservation): StepSettings =>
  strategy?.settings as StepSettings

const approveAllStep: RolloutStep = { approve: "100%" }

/** Whether no other ReplicaSet should have Pods, so that no older Pods need protection. */
const isOnlyRevision: SteeringPredicate = ({ replicaSets, newReplicaSet }) =>
  replicaSets.every((replicaSet) => replicaSet === newReplicaSet || replicaSet.spec.replicas === 0)

export const hasEarlierRevisionServed: SteeringPredicate = (seen) =>
  stableReplicaSet(seen) !== undefined ||
  seen.replicaSets.some(
    (replicaSet) => replicaSet !== seen.newReplicaSet && (replicaSet.status.availableReplicas ?? 0) > 0
  )

/** A rollout that began with steps keeps them, even if all older ReplicaSets have been deleted since. */
const isExemptFromSteps: SteeringPredicate = (seen) =>
  (seen.newReplicaSet !== undefined && hasBeenComplete(seen.newReplicaSet)) ||
  (isOnlyRevision(seen) && stableReplicaSet(seen) === undefined && currentRecord(seen)?.step === undefined)

/** After the last step, one more step approves all Pods. */
export const stepIndex = memoizePerObservation((seen: SteeringObservation): number =>
  isExemptFromSteps(seen) ? stepSettingsOf(seen).steps.length : (currentRecord(seen)?.step ?? 0)
)

export const hasChecksOrHoldsLeft: SteeringPredicate = (seen) => {
  const present = stepIndex(seen)
  return stepSettingsOf(seen).steps.some(
    (step, index) => index >= present && !("approve" in step) && !("start" in step)
  )
}

export const stepOrApproveAll = (seen: SteeringObservation): RolloutStep =>
  stepSettingsOf(seen).steps[stepIndex(seen)] ?? approveAllStep

export const approvedPodCount = (value: number | string, replicas: number): number =>
  Math.min(replicas, resolveIntOrPercent({ value, total: replicas, round: "up" }))

export const approvesAll = (step: RolloutStep): boolean => "approve" in step && step.approve === "100%"

/**
 * The most Pods that a step up to `index` approves: a later percentage may be less than an earlier count.
 * Undefined for all Pods.
 */
export const podsAllowedByStep = (
  { steps }: Pick<StepSettings, "steps">,
  index: number,
  replicas: number
): number | undefined => {
  let podsMax = 0
  for (let begun = 0; begun <= index; begun += 1) {
    const step = steps[begun] ?? approveAllStep
    if (approvesAll(step)) return undefined
    if ("approve" in step) podsMax = Math.max(podsMax, approvedPodCount(step.approve, replicas))
  }
  return podsMax
}

/** How many available Pods the step waits for; undefined for another revision or a step that approves none. */
export const availablePodsToEndStep = (
  settings: unknown,
  deployment: Deployment,
  replicaSet: ReplicaSet
): number | undefined => {
  const record = recordOf(deployment)
  if (record === undefined || record.hash !== templateHashOf(replicaSet)) return undefined
  const { steps } = settings as StepSettings
  const { step: index = 0 } = record
  const step = steps[index]
  const { replicas } = deployment.spec
  return step !== undefined && "approve" in step
    ? (podsAllowedByStep({ steps }, index, replicas) ?? replicas)
    : undefined
}

const podsAllowed = memoizePerObservation((seen: SteeringObservation): number | undefined =>
  podsAllowedByStep(stepSettingsOf(seen), stepIndex(seen), seen.deployment.spec.replicas)
)

export const approvablePodsMax = (seen: SteeringObservation): number =>
  podsAllowed(seen) ?? seen.deployment.spec.replicas

const stepAllowsAll: SteeringPredicate = (seen) => podsAllowed(seen) === undefined

export const mayApproveAll: SteeringPredicate = memoizePerObservation(
  (seen: SteeringObservation): boolean => isOnlyRevision(seen) || stepAllowsAll(seen)
)

/**
 * True if all Pods are approved before the last step: after scaling down and up again, only new Pods exist.
 */
export const isStepBypassed: SteeringPredicate = (seen) => isOnlyRevision(seen) && !stepAllowsAll(seen)

/** How many of the desired Pods wait for a later step: Kubernetes gives each revision a share of added Pods. */
export const heldBackPodCount = (seen: SteeringObservation): number => {
  if (mayApproveAll(seen)) return 0
  const olderPods = specReplicas(seen.replicaSets.filter((it) => it !== seen.newReplicaSet))
  return Math.max(0, seen.deployment.spec.replicas - olderPods - approvablePodsMax(seen))
}

/** These Pods replace Pods of the same revision that served before, and so await no step. */
export const unapprovedPodsOfCompleteRevisions = ({
  completePods
}: SteeringObservation): ReadonlyArray<Pod> => completePods.filter((pod) => !isApproved(pod))

const isReserved = (seen: SteeringObservation, { metadata }: Pod): boolean =>
  currentRecord(seen)?.reserved?.includes(metadata.name) === true

/** The step may allow fewer Pods than are reserved, as after scaling down. */
export const approvablePods = (seen: SteeringObservation): ReadonlyArray<Pod> => {
  if (mayApproveAll(seen)) return newPodFacts(seen).waitingForApproval
  const [approved, pending]: [Array<Pod>, Array<Pod>] = [[], []]
  for (const pod of seen.newPods) {
    if (isApproved(pod)) approved.push(pod)
    else if (isReserved(seen, pod)) pending.push(pod)
  }
  const room = Math.max(0, approvablePodsMax(seen) - approved.length)
  return pending.length <= room ? pending : pending.toSorted(byCreation).slice(0, room)
}

/** As many Pods as the step still allows, oldest first. */
export const reservablePods = (seen: SteeringObservation): ReadonlyArray<Pod> => {
  if (mayApproveAll(seen)) return []
  const taken = seen.newPods.filter((pod) => isApproved(pod) || isReserved(seen, pod))
  const room = approvablePodsMax(seen) - taken.length
  return room <= 0
    ? []
    : newPodFacts(seen)
        .waitingForApproval.filter((pod) => !isReserved(seen, pod))
        .toSorted(byCreation)
        .slice(0, room)
}

const byCreation = (a: Pod, b: Pod): number => {
  const [first, second] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name}`
  ) as [string, string]
  return first < second ? -1 : first > second ? 1 : 0
}

export const availableNewPodCount = ({ newReplicaSet }: SteeringObservation): number =>
  newReplicaSet?.status.availableReplicas ?? 0

export const stepBeganMillis = (seen: SteeringObservation): number =>
  timestampMillis(currentRecord(seen)?.since ?? "")

/** Undefined outside a hold with a duration. */
export const millisUntilHoldEnds = (seen: SteeringObservation): number | undefined => {
  const step = stepOrApproveAll(seen)
  return !("holdMillis" in step) || step.holdMillis === undefined
    ? undefined
    : stepBeganMillis(seen) + step.holdMillis - seen.nowMillis
}

export const isHeldByUser: SteeringPredicate = ({ deployment }) =>
  deployment.spec.paused === true || annotationOf(deployment, holdAnnotation) !== undefined

export const promotionOf = ({ deployment }: SteeringObservation): string | undefined =>
  annotationOf(deployment, promoteAnnotation)

export const waitsForPromotion = (step: RolloutStep | undefined): boolean =>
  step !== undefined && "holdMillis" in step && step.holdMillis === undefined

export const isHoldStep: SteeringPredicate = (seen) => "holdMillis" in stepOrApproveAll(seen)

/** With 0 replicas no Pod can come up in time, but the time of a hold runs. */
export const isStepTimeStopped: SteeringPredicate = (seen) => {
  const step = stepOrApproveAll(seen)
  const hasNoPods = seen.deployment.spec.replicas === 0
  return isHeldByUser(seen) || (hasNoPods && ("approve" in step || "start" in step))
}

export const isAfterSteps: SteeringPredicate = (seen) => stepIndex(seen) >= stepSettingsOf(seen).steps.length

/** A promotion of one step is followed only during a hold. */
export const isPromotable: SteeringPredicate = (seen) => {
  const promotion = promotionOf(seen)
  return promotion !== undefined && ((promotion === "all" && !isAfterSteps(seen)) || isHoldStep(seen))
}

const stepActionText = (step: RolloutStep, replicas: number): string => {
  if ("approve" in step) {
    const { approve } = step
    return `approves ${typeof approve === "number" ? countText(approvedPodCount(approve, replicas), "Pod") : approve}`
  }
  if ("start" in step) return "starts all its Pods, without an approval"
  if ("run" in step) return `runs hook ${JSON.stringify(step.run)}`
  return "analyse" in step ? `analyses ${JSON.stringify(step.analyse)}` : "holds"
}

export const rolloutStepText = (seen: SteeringObservation): string => {
  const { steps } = stepSettingsOf(seen)
  const index = stepIndex(seen)
  if (index >= steps.length) return approvesAllPodsText
  return `is at step ${index + 1} of ${steps.length}: ${stepActionText(stepOrApproveAll(seen), seen.deployment.spec.replicas)}`
}
