import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import type { Fleet } from "./fleet.ts"
import type { CompleteEvent } from "../../kubernetes/meta/completeEvent.ts"

/** Events of one reason, of one object or of many of a kind. */
export interface ToldEvents {
  readonly type: CompleteEvent["type"]
  readonly reason: string
  /** What was told last. */
  readonly message: string
  /** `Pod web-1`, or `12 Pods`. */
  readonly about: string
  readonly count: number
  readonly lastMillis: number
}

/** What is told of objects: a line for each reason, what was told last is the first. */
export const toldEvents = ({ eventsOf }: Fleet, uids: ReadonlySet<string>): ReadonlyArray<ToldEvents> => {
  const groups = new Map<string, Group>()
  for (const uid of uids) {
    for (const stored of eventsOf.get(uid)?.values() ?? []) {
      const event = toCompleteEvent(stored)
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
  return [...groups.values()].map(lineOf).sort((a, b) => b.lastMillis - a.lastMillis)
}

interface Group {
  last: CompleteEvent
  lastMillis: number
  count: number
  readonly about: Set<string>
}

const lineOf = ({ last, lastMillis, count, about }: Group): ToldEvents => {
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
