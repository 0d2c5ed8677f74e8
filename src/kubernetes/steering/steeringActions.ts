import { annotationOf, revisionAnnotation, revisionHistoryAnnotation } from "../apps/revisions/revisions.ts"
import { conditionOf } from "../meta/conditions.ts"
import {
  abortAnnotation,
  approvalGate,
  completedRevisionAnnotation,
  holdAnnotation,
  promoteAnnotation,
  recordAnnotation,
  steeredCondition,
  strategyAnnotation
} from "./steeringNames.ts"
import {
  completionMark,
  currentRecord,
  isMarkedComplete,
  newestOf,
  templateHashOf,
  revisionText,
  stableReplicaSet
} from "./steeringObservation.ts"
import { deadlineReportTime } from "./rolloutFailures.ts"
import { gateWithoutStrategyText, hasApprovalGate } from "./podApproval.ts"
import { kubectlTarget } from "../meta/text/kubectlTarget.ts"
import { recordOf, type SteeringRecord } from "./steeringRecord.ts"
import { undeletableHookJobNames } from "./hookJobs.ts"
import { recordEvent } from "../apps/sharedCommands.ts"
import type { DesiredCondition } from "../meta/conditions.ts"
import type { SteeringCommands } from "./steeringCommands.ts"
import type { SteeringObservation, SteeringPredicate } from "./steeringObservation.ts"

export const requestAnnotations: ReadonlyArray<string> = [promoteAnnotation, abortAnnotation]

export const reportSteered = (
  { deployment }: SteeringObservation,
  status: "True" | "False",
  reason: string,
  message: string
): SteeringCommands => {
  const condition: DesiredCondition = { type: steeredCondition, status, reason, message }
  const present = conditionOf(deployment.status.conditions, steeredCondition)
  const isSame = present?.status === status && present.reason === reason && present.message === message
  return isSame ? [] : [{ type: "reportSteering", condition }]
}

/** `kubectl rollout undo` may bring request annotations back. */
export const beginRollout = (
  seen: SteeringObservation,
  beginning: Pick<SteeringRecord, "step" | "replicas"> = {}
): SteeringCommands => {
  const { newReplicaSet, nowMillis } = seen
  if (newReplicaSet === undefined) return []
  const undone = undoneBefore(seen)
  // Only a ReplicaSet that was the new one before has a history of revisions.
  const wasRevisionBefore = annotationOf(newReplicaSet, revisionHistoryAnnotation) !== undefined
  const oldDeadline = wasRevisionBefore ? deadlineReportTime(seen) : undefined
  const leftJobs = undeletableHookJobNames(seen)
  return [
    {
      type: "recordSteering",
      record: {
        hash: templateHashOf(newReplicaSet),
        revision: annotationOf(newReplicaSet, revisionAnnotation) ?? "",
        since: new Date(nowMillis).toISOString(),
        ...(oldDeadline === undefined ? {} : { oldDeadline }),
        ...beginning,
        ...(leftJobs.length === 0 ? {} : { leftJobs }),
        ...(undone === undefined ? {} : { undone })
      },
      removes: wasRevisionBefore ? [promoteAnnotation, abortAnnotation, holdAnnotation] : [promoteAnnotation]
    }
  ]
}

/**
 * `kubectl rollout undo` may bring back an old record; the ReplicaSet of the previous revision then has the
 * newest list of undone rollouts.
 */
const undoneBefore = ({
  deployment,
  replicaSets,
  newReplicaSet
}: SteeringObservation): SteeringRecord["undone"] => {
  const record = recordOf(deployment)
  if (newReplicaSet === undefined || record?.hash !== templateHashOf(newReplicaSet)) return record?.undone
  const previousReplicaSet = newestOf(replicaSets.filter((replicaSet) => replicaSet !== newReplicaSet))
  return previousReplicaSet === undefined ? record.undone : recordOf(previousReplicaSet)?.undone
}

/** First removes a mark that `kubectl rollout undo` has copied to the Deployment. */
export const recordComplete = (seen: SteeringObservation): SteeringCommands => {
  const { deployment, newReplicaSet, nowMillis } = seen
  if (newReplicaSet === undefined) return []
  return annotationOf(deployment, completedRevisionAnnotation) === undefined
    ? [{ type: "markComplete", replicaSet: newReplicaSet, mark: completionMark(newReplicaSet, nowMillis) }]
    : [{ type: "recordSteering", record: currentRecord(seen) }]
}

export const hasObsoleteUndoRecord = (seen: SteeringObservation): boolean => {
  const { undone = [], hash } = currentRecord(seen) ?? {}
  return undone.length > 0 && !undone.some(({ to }) => to === hash)
}

export const deleteUndoRecord = (seen: SteeringObservation): SteeringCommands => {
  const present = currentRecord(seen)
  if (present === undefined) return []
  const { undone: _undone, ...record } = present
  return [{ type: "recordSteering", record }]
}

export const undoRolloutFor = (seen: SteeringObservation, reason: string): SteeringCommands => {
  const { newReplicaSet } = seen
  const [record, to] = [currentRecord(seen), stableReplicaSet(seen)]
  if (record === undefined || newReplicaSet === undefined || to === undefined) return []
  const undone = [...(record.undone ?? []), { from: record.hash, to: templateHashOf(to), reason }]
  const message = `Went back from ${revisionText(newReplicaSet)} to ${revisionText(to)}: ${reason}`
  return [
    {
      type: "recordSteering",
      record: { ...record, undone, aborted: { reason } },
      removes: requestAnnotations,
      undoTo: to
    },
    recordEvent("Warning", "RolledBack", message),
    ...reportSteered(seen, "False", "RolledBack", message)
  ]
}

export const giveUpRollout = (seen: SteeringObservation, reason: string): SteeringCommands => {
  const record = currentRecord(seen)
  return record === undefined
    ? []
    : [{ type: "recordSteering", record: { ...record, aborted: { reason } }, removes: requestAnnotations }]
}

/** Repeats no report that the condition shows: a controller may have stopped between the record and its report. */
export const reportGivenUp = (
  seen: SteeringObservation,
  obstacleToUndo: () => string | undefined
): SteeringCommands => {
  const { newReplicaSet, deployment } = seen
  const reason = currentRecord(seen)?.aborted?.reason
  if (reason === undefined || newReplicaSet === undefined) return []
  const title = `${revisionText(newReplicaSet)} failed and is not taken back: ${reason}. `
  const present = conditionOf(deployment.status.conditions, steeredCondition)
  if (present?.reason === "Held" && present.message?.startsWith(title) === true) return []
  const message = `${title}${obstacleToUndo() ?? "Apply another template."}`
  return [...reportSteered(seen, "False", "Held", message), recordEvent("Warning", "RollbackHeld", message)]
}

export const isRollbackTarget: SteeringPredicate = (seen) => {
  const record = currentRecord(seen)
  return record?.undone?.some(({ to }) => to === record.hash) === true
}

export const whyNotUndone = (seen: SteeringObservation, onFailure: "undo" | "hold"): string | undefined => {
  const to = stableReplicaSet(seen)
  const record = currentRecord(seen)
  if (onFailure === "hold")
    return "Its strategy says onFailure: hold. Roll it back, or apply another template."
  if (seen.gitManagers.length > 0) {
    return (
      `${seen.gitManagers.join(" and ")} would apply the template again. ` +
      "Revert it where it is managed, or apply another one."
    )
  }
  if (to === undefined) {
    return (
      "No earlier revision that was complete is left in its history. " +
      "Apply a template that works; revisionHistoryLimit says how many revisions are kept."
    )
  }
  if (hasApprovalGate(to.spec.template) && !hasApprovalGate(seen.deployment.spec.template)) {
    return (
      `The Pods of ${revisionText(to)} have the readiness gate ${approvalGate}, which this strategy does not open. ` +
      "Apply a template that works, without the gate; or set the strategy that approved them, and roll back."
    )
  }
  if (isRollbackTarget(seen))
    return "It is itself what the last rollback went back to. Apply a template that works."
  const isRepeated =
    record?.undone?.some(
      (rollback) => rollback.from === record.hash && rollback.to === templateHashOf(to)
    ) === true
  return isRepeated
    ? "It was taken back once and applied again. Go back with kubectl rollout undo, apply another template, or find out who applies this one."
    : undefined
}

export const reportInvalid = (seen: SteeringObservation): SteeringCommands => {
  const message = `${strategyAnnotation} is not followed: ${seen.problems.join("; ")}`
  const condition = reportSteered(seen, "False", "InvalidStrategy", message)
  return condition.length === 0 ? [] : [...condition, recordEvent("Warning", "InvalidStrategy", message)]
}

export const endSteering = ({ deployment }: SteeringObservation): SteeringCommands => [
  ...(conditionOf(deployment.status.conditions, steeredCondition) === undefined
    ? []
    : [
        { type: "reportSteering", condition: undefined } as const,
        ...(hasApprovalGate(deployment.spec.template)
          ? [recordEvent("Warning", "NotSteered", gateWithoutStrategyText)]
          : [])
      ]),
  ...(annotationOf(deployment, recordAnnotation) === undefined
    ? []
    : [{ type: "recordSteering", record: undefined } as const])
]

const rollbackReason = (seen: SteeringObservation): string | undefined => {
  const record = currentRecord(seen)
  return record?.undone?.findLast(({ to }) => to === record.hash)?.reason
}

export const reportRollout = (seen: SteeringObservation, reason: string, text: string): SteeringCommands => {
  if (seen.newReplicaSet === undefined) return []
  const [title, why] = [revisionText(seen.newReplicaSet), rollbackReason(seen)]
  return why === undefined
    ? reportSteered(seen, "True", reason, `${title} ${text}`)
    : reportSteered(
        seen,
        "False",
        "RolledBack",
        `${title} is what the rollout went back to: ${why}${pausedText(seen)}`
      )
}

const pausedText = (seen: SteeringObservation): string =>
  seen.deployment.spec.paused === true && !isMarkedComplete(seen)
    ? `. It is paused, and its Pods stay: kubectl rollout resume ${kubectlTarget(seen.deployment)}`
    : ""

export const reportComplete = (seen: SteeringObservation): SteeringCommands =>
  reportRollout(seen, "Complete", "is complete")

export const newRevisionText = ({ newReplicaSet }: SteeringObservation): string =>
  newReplicaSet === undefined ? "the new revision" : revisionText(newReplicaSet)

/** Removes requests that cannot be followed now: following them later would surprise the user. */
export const dismissRequests = (seen: SteeringObservation, why: string): SteeringCommands => {
  const record = currentRecord(seen)
  return record === undefined
    ? []
    : [
        { type: "recordSteering", record, removes: requestAnnotations },
        recordEvent("Warning", "RequestDismissed", `${newRevisionText(seen)} ${why}`)
      ]
}

export const dismissLate = (seen: SteeringObservation): SteeringCommands => {
  const state = isMarkedComplete(seen)
    ? "is complete"
    : isRollbackTarget(seen)
      ? "is what the rollout goes back to"
      : "was given up"
  return dismissRequests(seen, `${state}: there is nothing to promote or to abort`)
}
