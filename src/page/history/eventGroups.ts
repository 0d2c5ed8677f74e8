import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import type { Fleet } from "./fleet.ts"
import type { CompleteEvent } from "../../kubernetes/meta/completeEvent.ts"

/** Events of one reason that involve one object, or several of a kind. */
export interface EventGroup {
  readonly type: CompleteEvent["type"]
  readonly reason: string
  readonly message: string
  /** `Pod web-1`, or `12 Pods`. */
  readonly about: string
  readonly count: number
  readonly lastMillis: number
}

/** The group with the newest event first. */
export const eventGroups = ({ eventsOf }: Fleet, uids: ReadonlySet<string>): ReadonlyArray<EventGroup> => {
  const groups = new Map<string, GroupBuilder>()
  for (const uid of uids) {
    for (const storedEvent of eventsOf.get(uid)?.values() ?? []) {
      const event = toCompleteEvent(storedEvent)
      const { type, reason, involvedObject } = event
      const key = `${type} ${reason} ${involvedObject.kind ?? ""}`
      const group = groups.get(key) ?? { last: event, lastMillis: -Infinity, count: 0, about: new Set() }
      groups.set(key, group)
      group.count += event.count
      group.about.add(uid)
      const millis = Date.parse(event.lastTimestamp)
      if (millis >= group.lastMillis) [group.last, group.lastMillis] = [event, millis]
    }
  }
  return [...groups.values()].map(toEventGroup).sort((a, b) => b.lastMillis - a.lastMillis)
}

interface GroupBuilder {
  last: CompleteEvent
  lastMillis: number
  count: number
  readonly about: Set<string>
}

const toEventGroup = ({ last, lastMillis, count, about }: GroupBuilder): EventGroup => {
  const { type, reason, message, involvedObject } = last
  const { kind = "", name = "" } = involvedObject
  return {
    type,
    reason,
    message,
    count,
    lastMillis,
    about: about.size > 1 ? `${about.size} ${kind}s` : `${kind} ${name}`
  }
}
