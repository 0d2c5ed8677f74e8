import { annotationOf } from "../apps/revisions/revisions.ts"
import { isFields } from "../meta/fields.ts"
import { recordAnnotation, strategyAnnotation } from "./steeringNames.ts"
import type { Deployment, KubeObject } from "../meta/objects.ts"

/**
 * All that a steering chart must remember, in one annotation of the Deployment. It is about one rollout: a copy that
 * `kubectl rollout undo` brings back from a ReplicaSet names another one, and counts for nothing.
 */
export interface SteeringRecord {
  /** The pod-template-hash of the new revision. */
  readonly hash: string
  /** Its number: going back to a revision gives it another one. */
  readonly revision: string
  /** When the rollout began, or its present step, as a timestamp. */
  readonly since: string
  /** The `lastUpdateTime` of a missed deadline that the Deployment reported before this rollout. */
  readonly oldDeadline?: string
  /** The index of the present step, of a chart with steps; the first one by default. */
  readonly step?: number
  /** The names of the Pods that may be approved, on record before the first of them is. */
  readonly reserved?: ReadonlyArray<string>
  /** The answers to the hook or the analysis of the present step, if any has come. */
  readonly check?: StepCheck
  /** Whether a user holds the rollout, by the annotation or by a pause. */
  readonly isHeld?: true
  readonly aborted?: SteeringAbort
  /** The rollouts that were taken back, until a revision is complete. */
  readonly undone?: ReadonlyArray<UndoneRollout>
}

/** How far the hook or the analysis of the present step has come. */
export interface StepCheck {
  /** How many answers there were, and how many of them were wrong or missing. */
  readonly taken: number
  readonly failed: number
  /** When the last one came, as a timestamp, and what it was, in words. */
  readonly at: string
  readonly says: string
}

export interface SteeringAbort {
  readonly reason: string
}

export interface UndoneRollout {
  /** Hashes. */
  readonly from: string
  readonly to: string
  readonly reason: string
}

/** One whose annotation was removed is steered until the record of its steering is removed, too. */
export const isSteered = (object: KubeObject): boolean =>
  annotationOf(object, strategyAnnotation) !== undefined ||
  annotationOf(object, recordAnnotation) !== undefined

/** The record of a Deployment, of whichever rollout; undefined without one that can be read. */
export const recordOf = (deployment: Deployment): SteeringRecord | undefined => {
  const text = annotationOf(deployment, recordAnnotation)
  if (text === undefined) return undefined
  const cached = recordsByText.get(text)
  if (cached !== undefined) return cached
  const record = parseRecord(text)
  if (recordsByText.size >= cachedRecordsMax) recordsByText.clear()
  if (record !== undefined) recordsByText.set(text, record)
  return record
}

/** Parsed once, as a Deployment is looked at many times between two records. */
const recordsByText = new Map<string, SteeringRecord>()
const cachedRecordsMax = 1000

const parseRecord = (text: string): SteeringRecord | undefined => {
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
    typeof value["since"] === "string" &&
    isStep(value["step"]) &&
    isNames(value["reserved"]) &&
    isCheck(value["check"]) &&
    isAbort(value["aborted"]) &&
    isUndone(value["undone"])
  return isWhole ? (value as unknown as SteeringRecord) : undefined
}

const isStep = (value: unknown): boolean =>
  value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)

const isNames = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((it) => typeof it === "string"))

const isCheck = (value: unknown): boolean =>
  value === undefined ||
  (isFields(value) &&
    ["taken", "failed"].every((name) => typeof value[name] === "number") &&
    ["at", "says"].every((name) => typeof value[name] === "string"))

const isAbort = (value: unknown): boolean =>
  value === undefined || (isFields(value) && typeof value["reason"] === "string")

const isUndone = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every(
      (it) => isFields(it) && ["from", "to", "reason"].every((name) => typeof it[name] === "string")
    ))

export const steeringRecordText = (record: SteeringRecord): string => JSON.stringify(record)
