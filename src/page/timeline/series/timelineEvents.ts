import { normalizeEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import { conditionOf } from "../../../kubernetes/meta/conditions.ts"
import { timestampMillis } from "../../../kubernetes/meta/amounts/timestamps.ts"
import type { KubeObject } from "../../../kubernetes/meta/objects.ts"
import type { StatusCondition } from "../../../kubernetes/meta/conditions.ts"
import type { ObjectEntry } from "../../../recording/entry.ts"

export interface TimelineEvent {
  readonly number: number
  readonly atMillis: number
  readonly kind: "condition" | "event"
  readonly isBad: boolean
  readonly text: string
}

type EntryTime = Pick<TimelineEvent, "number" | "atMillis">

export const conditionChanges = (
  before: KubeObject | undefined,
  after: KubeObject,
  { number, atMillis }: EntryTime
): ReadonlyArray<TimelineEvent> => {
  const [previous, current] = [conditionsOf(before), conditionsOf(after)]
  if (previous === current) return []
  const changed = current.flatMap((condition) => {
    const previousCondition = conditionOf(previous, condition.type)
    return previousCondition?.status === condition.status && previousCondition.reason === condition.reason
      ? []
      : { condition, previousCondition }
  })
  const removed = previous.filter(({ type }) => conditionOf(current, type) === undefined)
  return [
    ...changed.map(({ condition, previousCondition }): TimelineEvent => ({
      number,
      atMillis,
      kind: "condition",
      isBad: isBad(condition, previousCondition),
      text: conditionText(condition)
    })),
    ...removed.map(({ type }): TimelineEvent => ({
      number,
      atMillis,
      kind: "condition",
      isBad: false,
      text: `condition ${type} was removed`
    }))
  ]
}

const noConditions: ReadonlyArray<StatusCondition> = []

const conditionsOf = (object: KubeObject | undefined): ReadonlyArray<StatusCondition> => {
  const { status } = (object ?? {}) as { readonly status?: { readonly conditions?: typeof noConditions } }
  return status?.conditions ?? noConditions
}

const badTypes: ReadonlySet<string> = new Set(["ReplicaFailure", "Failed", "FailureTarget"])
const neutralTypes: ReadonlySet<string> = new Set(["ScalingLimited", "Suspended"])

/** A new Deployment is not available yet, which is no failure. */
const isBad = (
  { type, status }: StatusCondition,
  previousCondition: StatusCondition | undefined
): boolean => {
  if (badTypes.has(type)) return status === "True"
  if (neutralTypes.has(type)) return false
  return status === "False" && (type !== "Available" || previousCondition !== undefined)
}

const conditionText = ({ type, status, reason = "", message = "" }: StatusCondition): string =>
  `${type} is ${status}: ${reason}${message === "" ? "" : `, ${message}`}`

/** A new Event's timestamp may be this much older than its entry: it has whole seconds, and writing takes time. */
const timestampLagMaxMillis = 2000

/** Undefined for an Event from before the recording. */
export const timelineEventOf = ({
  change,
  number,
  atMillis,
  object
}: ObjectEntry): TimelineEvent | undefined => {
  if (change === "DELETED") return undefined
  const { type, reason, message, count, lastTimestamp, involvedObject } = normalizeEvent(object)
  if (timestampMillis(lastTimestamp) + timestampLagMaxMillis < atMillis) return undefined
  const { kind = "", name = "" } = involvedObject
  const countText = count > 1 ? ` (${count} times)` : ""
  return {
    number,
    atMillis,
    kind: "event",
    isBad: type === "Warning",
    text: `${reason}${countText}, ${kind} ${name}: ${message}`
  }
}
