import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { Deployment, DeploymentCondition } from "../../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../recording/entry.ts"

/** Something of a moment that is worth a mark. */
export interface Happening {
  readonly number: number
  readonly atMillis: number
  readonly sort: "condition" | "event"
  /** Whether somebody should look. */
  readonly isBad: boolean
  /** In a line. */
  readonly text: string
}

type When = Pick<Happening, "number" | "atMillis">

/** What of a Deployment's conditions has changed: another status, or another reason for it. */
export const conditionChanges = (
  before: Deployment | undefined,
  after: Deployment,
  { number, atMillis }: When
): ReadonlyArray<Happening> => {
  const [had, has] = [before?.status.conditions ?? [], after.status.conditions ?? []]
  if (had === has) return []
  const changed = has.flatMap((condition) => {
    const was = conditionOf(had, condition.type)
    return was?.status === condition.status && was.reason === condition.reason ? [] : { condition, was }
  })
  const gone = had.filter(({ type }) => conditionOf(has, type) === undefined)
  return [
    ...changed.map(({ condition, was }): Happening => ({
      number,
      atMillis,
      sort: "condition",
      isBad: isBad(condition, was),
      text: conditionText(condition)
    })),
    ...gone.map(({ type }): Happening => ({
      number,
      atMillis,
      sort: "condition",
      isBad: false,
      text: `${type} is no longer said`
    }))
  ]
}

/** Whoever has only begun is not available yet, and nothing is wrong with that. */
const isBad = ({ type, status }: DeploymentCondition, was: DeploymentCondition | undefined): boolean => {
  if (type === "ReplicaFailure") return status === "True"
  return status === "False" && (type !== "Available" || was !== undefined)
}

const conditionText = ({ type, status, reason = "", message = "" }: DeploymentCondition): string =>
  `${type} is ${status}: ${reason}${message === "" ? "" : `, ${message}`}`

/** How much older an event may be than the entry that tells of it: its own time has whole seconds. */
const lateMillis = 2000

/** An event that has happened just now: one that was only found there tells of another time. */
export const eventHappening = ({ change, number, atMillis, object }: ObjectEntry): Happening | undefined => {
  if (change === "DELETED") return undefined
  const { type, reason, message, count, lastTimestamp, involvedObject } = toCompleteEvent(object)
  if (timestampMillis(lastTimestamp) + lateMillis < atMillis) return undefined
  const { kind = "", name = "" } = involvedObject
  const again = count > 1 ? ` (${count} times)` : ""
  return {
    number,
    atMillis,
    sort: "event",
    isBad: type === "Warning",
    text: `${reason}${again}, ${kind} ${name}: ${message}`
  }
}
