import { abortAnnotation, holdAnnotation, promoteAnnotation } from "./steeringNames.ts"
import { annotationOf } from "../apps/revisions/revisions.ts"
import { conditionOf } from "../meta/conditions.ts"
import { countText } from "../meta/text/countText.ts"
import { currentRecord, hasBeenComplete } from "./steeringObservation.ts"
import { isApproved, isWaitingForApproval } from "./gatedPods.ts"
import { podsFailure, untilCannotStart } from "./rolloutFailures.ts"
import { progressingCondition } from "../apps/progress.ts"
import { resolveIntOrPercent } from "../meta/amounts/intOrPercent.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { CanarySettings, CanaryStep } from "./steeringSettings.ts"
import type { Pod } from "../meta/objects.ts"
import type { SteeringFact, SteeringObservation } from "./steeringObservation.ts"

/** The annotation has been decoded with the chart's own schema before the chart sees it. */
export const canaryOf = ({ strategy }: SteeringObservation): CanarySettings =>
  strategy?.settings as CanarySettings

const wholeStep: CanaryStep = { approve: "100%" }

/** The index of the present step. The one after the last approves all Pods. */
export const stepIndex = (seen: SteeringObservation): number => currentRecord(seen)?.step ?? 0

export const presentStep = (seen: SteeringObservation): CanaryStep =>
  canaryOf(seen).steps[stepIndex(seen)] ?? wholeStep

const resolveApproved = (value: number | string, replicas: number): number =>
  Math.min(replicas, resolveIntOrPercent({ value, total: replicas, round: "up" }))

const isWholeStep = (step: CanaryStep): boolean => "approve" in step && step.approve === "100%"

/**
 * How many Pods of the new revision may be approved at a step; undefined: all. It is the most of all steps so far, as
 * counts and percentages may stand side by side.
 */
export const canaryAllowance = (
  { steps }: CanarySettings,
  index: number,
  replicas: number
): number | undefined => {
  const begun = [...steps.slice(0, index), steps[index] ?? wholeStep]
  return begun.some(isWholeStep)
    ? undefined
    : begun.reduce(
        (most, step) => ("approve" in step ? Math.max(most, resolveApproved(step.approve, replicas)) : most),
        0
      )
}

export const approvedTarget = (seen: SteeringObservation): number => {
  const { replicas } = seen.deployment.spec
  return canaryAllowance(canaryOf(seen), stepIndex(seen), replicas) ?? replicas
}

/** No Pod of another revision is wanted: there is nothing to protect. */
const isUnprotected: SteeringFact = ({ replicaSets, next }) =>
  replicaSets.every((it) => it === next || it.spec.replicas === 0)

/** Whether every Pod of the new revision may be approved. */
export const isWhollyApproved: SteeringFact = (seen) =>
  isUnprotected(seen) ||
  (seen.next !== undefined && hasBeenComplete(seen.next)) ||
  canaryAllowance(canaryOf(seen), stepIndex(seen), seen.deployment.spec.replicas) === undefined

/** Pods of revisions that were complete need no step: they replace what served before. */
export const pendingCompletePods = ({ completePods }: SteeringObservation): ReadonlyArray<Pod> =>
  completePods.filter((pod) => !isApproved(pod))

const isReserved = (seen: SteeringObservation, { metadata }: Pod): boolean =>
  currentRecord(seen)?.reserved?.includes(metadata.name) === true

export const approvablePods = (seen: SteeringObservation): ReadonlyArray<Pod> =>
  isWhollyApproved(seen)
    ? seen.newPods.filter(isWaitingForApproval)
    : seen.newPods.filter((pod) => isReserved(seen, pod) && !isApproved(pod))

/** Those of the new Pods that the step has room for and that are up, oldest first. */
export const reservablePods = (seen: SteeringObservation): ReadonlyArray<Pod> => {
  if (isWhollyApproved(seen)) return []
  const taken = seen.newPods.filter((pod) => isApproved(pod) || isReserved(seen, pod))
  const room = approvedTarget(seen) - taken.length
  return room <= 0
    ? []
    : seen.newPods
        .filter((pod) => isWaitingForApproval(pod) && !isReserved(seen, pod))
        .toSorted(byCreation)
        .slice(0, room)
}

const byCreation = (a: Pod, b: Pod): number => {
  const [first, second] = [a, b].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name}`
  ) as [string, string]
  return first < second ? -1 : first > second ? 1 : 0
}

export const availableNew = ({ next }: SteeringObservation): number => next?.status.availableReplicas ?? 0

export const sinceMillis = (seen: SteeringObservation): number =>
  timestampMillis(currentRecord(seen)?.since ?? "")

/** Milliseconds that a timed hold still takes; undefined in every other step. */
export const untilHoldEnds = (seen: SteeringObservation): number | undefined => {
  const step = presentStep(seen)
  return "approve" in step || step.holdMillis === undefined
    ? undefined
    : sinceMillis(seen) + step.holdMillis - seen.nowMillis
}

/** Whether the present step is over, other than by a promotion. A Deployment of 0 replicas shows nothing. */
export const isStepOver: SteeringFact = (seen) => {
  if (seen.deployment.spec.replicas === 0 || isWhollyApproved(seen)) return false
  return "approve" in presentStep(seen)
    ? availableNew(seen) >= approvedTarget(seen)
    : (untilHoldEnds(seen) ?? 1) <= 0
}

/** Whether its user lets the rollout take no further step. */
export const isHeldByUser: SteeringFact = ({ deployment }) =>
  deployment.spec.paused === true || annotationOf(deployment, holdAnnotation) !== undefined

export const promotionOf = ({ deployment }: SteeringObservation): string | undefined =>
  annotationOf(deployment, promoteAnnotation)

/** `all` may be promoted at any time, a single step while it holds. */
export const isPromotable: SteeringFact = (seen) => {
  const promotion = promotionOf(seen)
  return promotion !== undefined && (promotion === "all" || !("approve" in presentStep(seen)))
}

/** Upstream's default for what never counts as late. */
const unboundedSeconds = 2 ** 31 - 1

/**
 * Milliseconds until an approving step has made no progress for `progressDeadlineSeconds`; undefined while none is
 * expected. The Deployment's own deadline does not tell: it also runs during holds.
 */
export const untilStalled = (seen: SteeringObservation): number | undefined => {
  const { deployment, newPods, nowMillis } = seen
  const { replicas, progressDeadlineSeconds = unboundedSeconds } = deployment.spec
  const isExpected = replicas > 0 && (isWhollyApproved(seen) || "approve" in presentStep(seen))
  const isHeld = isHeldByUser(seen) || currentRecord(seen)?.isHeld === true
  if (!isExpected || isHeld || progressDeadlineSeconds >= unboundedSeconds) return undefined
  const progressing = progressingCondition(deployment)
  const times = [
    progressing?.reason === "ProgressDeadlineExceeded" ? undefined : progressing?.lastUpdateTime,
    ...newPods.map(({ status }) => {
      const ready = conditionOf(status.conditions, "Ready")
      return ready?.status === "True" ? ready.lastTransitionTime : undefined
    })
  ]
  const latest = times.reduce(
    (most, time) => (time === undefined ? most : Math.max(most, timestampMillis(time))),
    sinceMillis(seen)
  )
  return latest + progressDeadlineSeconds * 1000 - nowMillis
}

/** Why the rollout is to be aborted; undefined while it is not. */
export const canaryFailure = (seen: SteeringObservation): string | undefined => {
  const request = annotationOf(seen.deployment, abortAnnotation)
  if (request !== undefined) return request === "" ? "its user aborted it" : `its user aborted it: ${request}`
  const { progressDeadlineSeconds = 0 } = seen.deployment.spec
  return (
    podsFailure(seen, canaryOf(seen)) ??
    ((untilStalled(seen) ?? 1) > 0
      ? undefined
      : `it made no progress within ${countText(progressDeadlineSeconds, "second")} (progressDeadlineSeconds)`)
  )
}

/** When time alone changes the decision: a Pod cannot start, or a step stalls. */
export const untilFailing = (seen: SteeringObservation): number | undefined => {
  const moments = [untilStalled(seen), untilCannotStart(seen, canaryOf(seen))].filter(
    (it) => it !== undefined && it > 0
  ) as ReadonlyArray<number>
  return moments.length === 0 ? undefined : Math.min(...moments)
}

export const untilHoldMoves = (seen: SteeringObservation): number | undefined => {
  const moments = [untilHoldEnds(seen), untilFailing(seen)].filter((it) => it !== undefined)
  return moments.length === 0 ? undefined : Math.min(...moments)
}

const amountText = (step: CanaryStep): string =>
  "approve" in step
    ? `approves ${typeof step.approve === "number" ? countText(step.approve, "Pod") : step.approve}`
    : "holds"

/** `step 2 of 5: holds`. What follows the last step is not counted. */
export const canaryStepText = (seen: SteeringObservation): string => {
  const { steps } = canaryOf(seen)
  const index = stepIndex(seen)
  if (index >= steps.length) return "approves all its Pods"
  return `is at step ${index + 1} of ${steps.length}: ${amountText(presentStep(seen))}`
}
