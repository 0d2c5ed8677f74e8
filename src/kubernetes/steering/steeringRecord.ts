import { memoizeUpTo } from "../meta/text/memoizeUpTo.ts"
import { annotationOf } from "../apps/revisions/revisions.ts"
import { isFields } from "../meta/fields.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import { recordAnnotation, strategyAnnotation } from "./steeringNames.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../meta/objects.ts"

/**
 * All that a steering chart must remember, in one annotation of the Deployment. Such a chart guides a rollout in steps:
 * it approves new Pods some at a time (until then they are not ready), runs hooks and analyses, and takes a failing
 * rollout back. The record is about one rollout, which it names: `kubectl rollout undo` may bring back the record of
 * another rollout from a ReplicaSet, which is ignored.
 */
export interface SteeringRecord {
  /** The pod-template-hash of the new revision. */
  readonly hash: string
  /** The number of the new revision. Going back to an old revision gives it a new number. */
  readonly revision: string
  /** When the present step began, or the rollout if it has no steps: a timestamp. */
  readonly since: string
  /** The `lastUpdateTime` of a missed deadline that the Deployment reported before this rollout. */
  readonly oldDeadline?: string
  /** The index of the present step, if the chart has steps. Default: 0, of a first revision that takes none. */
  readonly step?: number
  /** The names of the new Pods that the chart approves. They are recorded before the first of them is approved. */
  readonly reserved?: ReadonlyArray<string>
  /** How far the hook (a Job or an HTTP call) or the analysis (values within limits) of the present step has come. */
  readonly check?: StepCheck
  /** Whether a user holds the rollout, by the annotation or by a pause. */
  readonly isHeld?: true
  /** Set once the rollout has failed, whether it was taken back or not. */
  readonly aborted?: SteeringAbort
  /** The rollouts that were taken back since a revision was last complete. */
  readonly undone?: ReadonlyArray<UndoneRollout>
}

/** The answers of a hook or an analysis; an analysis is asked several times. */
export interface StepCheck {
  /** The number of answers so far. */
  readonly taken: number
  /** How many of them were outside the limits or missing. */
  readonly failed: number
  /** When the last answer came: a timestamp. */
  readonly at: string
  /** The last answer in words. */
  readonly says: string
}

export interface SteeringAbort {
  readonly reason: string
}

export interface UndoneRollout {
  /** The pod-template-hash of the failed revision, and of the one to which the rollout went back. */
  readonly from: string
  readonly to: string
  readonly reason: string
}

/** Whether a Deployment has the annotation of a steering strategy, or still the record of one that was removed. */
export const isSteered = (object: KubeObject): boolean =>
  annotationOf(object, strategyAnnotation) !== undefined ||
  annotationOf(object, recordAnnotation) !== undefined

/**
 * The record of a Deployment, which may be about an earlier rollout; undefined without one that can be read. A
 * ReplicaSet has a copy of the last one while it was the newest.
 */
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
  const isWhole =
    typeof value["hash"] === "string" &&
    typeof value["revision"] === "string" &&
    isTime(value["since"]) &&
    isStep(value["step"]) &&
    isNames(value["reserved"]) &&
    isCheck(value["check"]) &&
    isAbort(value["aborted"]) &&
    isUndone(value["undone"])
  return isWhole ? (value as unknown as SteeringRecord) : undefined
})

const isTime = (value: unknown): boolean => typeof value === "string" && !Number.isNaN(timestampMillis(value))

const isStep = (value: unknown): boolean =>
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

const isUndone = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every(
      (rollback) =>
        isFields(rollback) && ["from", "to", "reason"].every((name) => typeof rollback[name] === "string")
    ))

export const steeringRecordText = (record: SteeringRecord): string => JSON.stringify(record)
