import { memoizeUpTo } from "../meta/text/memoizeUpTo.ts"
import { annotationOf } from "../apps/revisions/revisions.ts"
import { isFields } from "../meta/fields.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import { recordAnnotation, strategyAnnotation } from "./steeringNames.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../meta/objects.ts"

/**
 * The state of one rollout. A record of another rollout, which `kubectl rollout undo` may bring back, is
 * ignored.
 */
export interface SteeringRecord {
  /** The pod-template-hash. */
  readonly hash: string
  /** Going back to an old revision gives it a new number. */
  readonly revision: string
  /** When the present step, or a rollout without steps, began; RFC 3339. */
  readonly since: string
  /** The `lastUpdateTime` of a missed deadline that was reported before this rollout. */
  readonly oldDeadline?: string
  readonly step?: number
  /** The desired replicas when the step began: a step that is scaled down keeps `since`. */
  readonly replicas?: number
  /** Names of Pods, recorded before the first of them is approved. */
  readonly reserved?: ReadonlyArray<string>
  readonly check?: StepCheck
  readonly isHeld?: true
  /** The step began anew, since no controller ran that could start the Job of its hook. */
  readonly isResumed?: true
  readonly refusedJob?: StepRefusal
  readonly refusedApproval?: StepRefusal
  readonly aborted?: SteeringAbort
  /** Jobs of hooks that run on, as the API server refuses to delete them. */
  readonly leftJobs?: ReadonlyArray<string>
  /** The rollouts that were taken back since a revision was last complete. */
  readonly undone?: ReadonlyArray<UndoneRollout>
}

export interface StepCheck {
  /** Answers so far; `failed` are those outside the limits or missing. */
  readonly taken: number
  readonly failed: number
  /** The time of the last answer (RFC 3339). */
  readonly at: string
  /** The last answer, or its problem. */
  readonly says: string
}

/** A refusal by the API server in a step: the first, or the first since its Pod was approved or went. */
export interface StepRefusal {
  /** Of the Job or the Pod. */
  readonly name: string
  readonly at: string
  readonly why: string
}

export interface SteeringAbort {
  readonly reason: string
}

/** `from` and `to` are pod-template-hashes. */
export interface UndoneRollout {
  readonly from: string
  readonly to: string
  readonly reason: string
}

/** Also true while the record of a removed strategy remains. */
export const isSteered = (object: KubeObject): boolean =>
  annotationOf(object, strategyAnnotation) !== undefined ||
  annotationOf(object, recordAnnotation) !== undefined

export const recordOf = (object: Deployment | ReplicaSet): SteeringRecord | undefined => {
  const text = annotationOf(object, recordAnnotation)
  return text === undefined ? undefined : parseRecord(text)
}

/** A Deployment is observed many times between two changes of its record. */
const parseRecord = memoizeUpTo(1000, (text: string): SteeringRecord | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isFields(value)) return undefined
  const hasValidFields =
    typeof value["hash"] === "string" &&
    typeof value["revision"] === "string" &&
    isTime(value["since"]) &&
    isCount(value["step"]) &&
    isCount(value["replicas"]) &&
    isNames(value["reserved"]) &&
    isNames(value["leftJobs"]) &&
    isCheck(value["check"]) &&
    isAbort(value["aborted"]) &&
    isRefusal(value["refusedJob"]) &&
    isRefusal(value["refusedApproval"]) &&
    isUndone(value["undone"])
  return hasValidFields ? (value as unknown as SteeringRecord) : undefined
})

const isTime = (value: unknown): boolean => typeof value === "string" && !Number.isNaN(timestampMillis(value))

const isCount = (value: unknown): boolean =>
  value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)

const isNames = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"))

const isCheck = (value: unknown): boolean =>
  value === undefined ||
  (isFields(value) &&
    ["taken", "failed"].every((name) => typeof value[name] === "number") &&
    isTime(value["at"]) &&
    typeof value["says"] === "string")

const isAbort = (value: unknown): boolean =>
  value === undefined || (isFields(value) && typeof value["reason"] === "string")

const isRefusal = (value: unknown): boolean =>
  value === undefined ||
  (isFields(value) &&
    typeof value["name"] === "string" &&
    isTime(value["at"]) &&
    typeof value["why"] === "string")

const isUndone = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every(
      (rollback) =>
        isFields(rollback) && ["from", "to", "reason"].every((name) => typeof rollback[name] === "string")
    ))

export const steeringRecordText = (record: SteeringRecord): string => JSON.stringify(record)
