import { abortAnnotation } from "./steeringNames.ts"
import { annotationOf } from "../apps/revisions/revisions.ts"
import { conditionOf } from "../meta/conditions.ts"
import { countText } from "../meta/text/countText.ts"
import { formatDuration } from "../meta/amounts/durations.ts"
import { progressingCondition } from "../apps/progress.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import { allContainerStatuses, unschedulableCondition } from "../pods/podState.ts"
import { areContainersReady } from "./podApproval.ts"
import { newPodFacts, unstartableContainer } from "./podFacts.ts"
import { currentRecord } from "./steeringObservation.ts"
import type { Pod } from "../meta/objects.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

export interface FailureBudget {
  readonly restarts: number
  /** Counted from a Pod's creation. */
  readonly startTimeoutMillis: number
  /** Counted from the first attempt to find a node. Without it, only the progress deadline counts. */
  readonly scheduleTimeoutMillis?: number
}

export const abortFailure = ({ deployment }: SteeringObservation): string | undefined => {
  const reason = annotationOf(deployment, abortAnnotation)
  if (reason === undefined) return undefined
  return reason === "" ? "its user aborted it" : `its user aborted it: ${reason}`
}

const createdMillis = (pod: Pod): number => timestampMillis(pod.metadata.creationTimestamp ?? "")

const unschedulableSinceMillis = (pod: Pod): number => {
  const { lastTransitionTime } = unschedulableCondition(pod) ?? {}
  return lastTransitionTime === undefined ? createdMillis(pod) : timestampMillis(lastTransitionTime)
}

export const millisUntilStartFailure = (
  seen: SteeringObservation,
  { startTimeoutMillis, scheduleTimeoutMillis }: FailureBudget
): number | undefined => {
  const { unstartable, unschedulable } = newPodFacts(seen)
  const dueMillis = unstartable.map((pod) => createdMillis(pod) + startTimeoutMillis)
  if (scheduleTimeoutMillis !== undefined)
    dueMillis.push(...unschedulable.map((pod) => unschedulableSinceMillis(pod) + scheduleTimeoutMillis))
  return dueMillis.length === 0 ? undefined : Math.min(...dueMillis) - seen.nowMillis
}

export const podsFailure = (seen: SteeringObservation, budget: FailureBudget): string | undefined =>
  startFailure(seen, budget) ?? scheduleFailure(seen, budget) ?? restartFailure(seen, budget)

const scheduleFailure = (
  seen: SteeringObservation,
  { scheduleTimeoutMillis }: FailureBudget
): string | undefined => {
  if (scheduleTimeoutMillis === undefined) return undefined
  const dueMillis = seen.nowMillis - scheduleTimeoutMillis
  const late = newPodFacts(seen).unschedulable.filter((pod) => unschedulableSinceMillis(pod) <= dueMillis)
  const [first] = late
  return first === undefined
    ? undefined
    : `${countText(late.length, "new Pod")} found no node within ${formatDuration(scheduleTimeoutMillis)} ` +
        `(${schedulingCause(first) ?? "FailedScheduling"})`
}

const startFailure = (seen: SteeringObservation, budget: FailureBudget): string | undefined => {
  const dueMillis = seen.nowMillis - budget.startTimeoutMillis
  const unstartable = newPodFacts(seen).unstartable.filter((pod) => createdMillis(pod) <= dueMillis)
  const [first] = unstartable
  const container = first === undefined ? undefined : unstartableContainer(first)
  if (container === undefined) return undefined
  const { reason = "", message } = container.state?.waiting ?? {}
  const cause = message === undefined || message === "" ? reason : `${reason}: ${message}`
  return (
    `${countText(unstartable.length, "new Pod")} could not start container ${JSON.stringify(container.name)} ` +
    `of image ${JSON.stringify(container.image)} within ${formatDuration(budget.startTimeoutMillis)} (${cause})`
  )
}

const restartFailure = (seen: SteeringObservation, budget: FailureBudget): string | undefined => {
  const { restarts } = newPodFacts(seen)
  if (restarts <= budget.restarts) return undefined
  const crashed = seen.newPods.flatMap(allContainerStatuses).find(({ restartCount }) => restartCount > 0)
  const { reason = "Error", exitCode } = crashed?.lastState?.terminated ?? crashed?.state?.terminated ?? {}
  const exit = exitCode === undefined ? "" : `: ${reason}, exit code ${exitCode}`
  const allowed =
    budget.restarts === 0 ? "none is" : budget.restarts === 1 ? "1 is" : `${budget.restarts} are`
  return `containers of new Pods restarted ${countText(restarts, "time")}, ${allowed} allowed${exit}`
}

export const deadlineReportTime = ({ deployment }: SteeringObservation): string | undefined => {
  const condition = progressingCondition(deployment)
  return condition?.reason === "ProgressDeadlineExceeded" ? (condition.lastUpdateTime ?? "") : undefined
}

/**
 * Ignores a deadline that was reported before this rollout, since going back to a revision keeps the old
 * condition.
 */
export const deadlineFailure = (seen: SteeringObservation): string | undefined => {
  const { spec } = seen.deployment
  const reportTime = deadlineReportTime(seen)
  const isEarlierReport = reportTime === undefined || reportTime === currentRecord(seen)?.oldDeadline
  if (isEarlierReport || spec.paused === true) return undefined
  return noProgressText(seen)
}

export const noProgressText = (seen: SteeringObservation, knownCause?: string): string => {
  const { deployment, newReplicaSet } = seen
  const { progressDeadlineSeconds: seconds = 0 } = deployment.spec
  const { message = "" } = conditionOf(newReplicaSet?.status.conditions, "ReplicaFailure") ?? {}
  const cause = message === "" ? (knownCause ?? unreadyCause(seen)) : message
  const text = `it made no progress within ${countText(seconds, "second")} (progressDeadlineSeconds)`
  return cause === undefined ? text : `${text}: ${cause}`
}

const unreadyCause = ({ newPods }: SteeringObservation): string | undefined => {
  const unready = newPods.filter((pod) => !areContainersReady(pod))
  const causes = unready.map((pod) => schedulingCause(pod) ?? containerCause(pod))
  const [cause] = causes.filter((text) => text !== undefined)
  return cause === undefined
    ? undefined
    : `${countText(unready.length, "new Pod is", "new Pods are")} not ready: ${cause}`
}

const schedulingCause = ({ status }: Pod): string | undefined => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  return scheduled?.status === "False" && scheduled.message !== undefined
    ? `FailedScheduling: ${scheduled.message.replace(/\.$/u, "")}`
    : undefined
}

const containerCause = (pod: Pod): string | undefined => {
  const unready = allContainerStatuses(pod).find(
    ({ ready, state }) => !ready && state?.terminated === undefined
  )
  if (unready === undefined) return undefined
  const { name, state } = unready
  const title = `container ${JSON.stringify(name)}`
  if (state?.running === undefined) return `${title} waits: ${state?.waiting?.reason ?? "it has not started"}`
  const isProbed = pod.spec.containers.some(
    (container) => container.name === name && container.readinessProbe !== undefined
  )
  return `${title} runs${isProbed ? ", and its readiness probe fails" : " and is not ready"}`
}

export const isNoProgressTextWithoutCause = (text: string): boolean =>
  /\(progressDeadlineSeconds\)(?!:)/u.test(text)
