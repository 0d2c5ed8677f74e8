import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import {
  podRevisionLabel,
  podRevisionOf
} from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { Fleet } from "./fleet.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

/** Events of one reason about one object, or about several of a kind and a revision. */
export interface EventGroup {
  readonly type: NormalizedEvent["type"]
  readonly reason: string
  readonly message: string
  /** `Pod web-1`, or `12 Pods`; with ` of revision 2` if the workload has several. */
  readonly about: string
  readonly count: number
  readonly lastMillis: number
}

/** The group with the newest event first. */
export const eventGroups = (fleet: Fleet, uids: ReadonlySet<string>): ReadonlyArray<EventGroup> => {
  const revisionOfObject = revisionsAmong(fleet, uids)
  const groups = new Map<string, GroupBuilder>()
  for (const uid of uids) {
    for (const storedEvent of fleet.eventsOf.get(uid)?.values() ?? []) {
      const event = normalizeEvent(storedEvent)
      const { type, reason, involvedObject } = event
      const revision = revisionOfObject(involvedObject)
      const key = `${type} ${reason} ${involvedObject.kind ?? ""} ${revision}`
      const group = groups.get(key) ?? {
        last: event,
        lastMillis: -Infinity,
        count: 0,
        involvedUids: new Set(),
        revision
      }
      groups.set(key, group)
      group.count += event.count
      group.involvedUids.add(uid)
      const millis = Date.parse(event.lastTimestamp)
      if (millis >= group.lastMillis) [group.last, group.lastMillis] = [event, millis]
    }
  }
  return [...groups.values()].map(toEventGroup).sort((a, b) => b.lastMillis - a.lastMillis)
}

interface GroupBuilder {
  last: NormalizedEvent
  lastMillis: number
  count: number
  readonly involvedUids: Set<string>
  /** The revision of the objects; empty if unknown, or the only one. */
  readonly revision: string
}

/** Empty for other objects than ReplicaSets and Pods. */
const revisionsAmong = (
  { replicaSets, revisions, pods }: Fleet,
  uids: ReadonlySet<string>
): ((object: NormalizedEvent["involvedObject"]) => string) => {
  /** By the name of the ReplicaSet, or the label of the Pods. */
  const revisionNumbers = new Map<string, string>()
  for (const uid of uids) {
    const replicaSet = replicaSets.get(uid)
    const number = replicaSet === undefined ? undefined : revisionOf(replicaSet)
    if (replicaSet !== undefined && number !== undefined && number > 0n)
      revisionNumbers.set(replicaSet.metadata.name, String(number))
  }
  for (const revision of revisions.values()) {
    const owner = controllerOf(revision)
    if (owner !== undefined && uids.has(owner.uid))
      revisionNumbers.set(podRevisionOf(owner.kind, revision), String(revision.revision))
  }
  if (revisionNumbers.size < 2) return () => ""
  return ({ kind, name = "", uid = "" }) => {
    if (kind !== "Pod") return revisionNumbers.get(name) ?? ""
    const label = pods.get(uid)?.metadata.labels?.[podRevisionLabel]
    // A deleted Pod's name begins with the name of its ReplicaSet.
    return revisionNumbers.get(label ?? name.replace(/-[^-]*$/u, "")) ?? ""
  }
}

const toEventGroup = ({ last, lastMillis, count, involvedUids, revision }: GroupBuilder): EventGroup => {
  const { type, reason, message, involvedObject } = last
  const { kind = "", name = "" } = involvedObject
  return {
    type,
    reason,
    message,
    count,
    lastMillis,
    about:
      (involvedUids.size > 1 ? `${involvedUids.size} ${kind}s` : `${kind} ${name}`) +
      (revision === "" || kind !== "Pod" ? "" : ` of revision ${revision}`)
  }
}
