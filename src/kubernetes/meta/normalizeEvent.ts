import type * as Core from "kubernetes-types/core/v1.js"
import type { EventObject, KubeObject } from "./objects.ts"

export interface NormalizedEvent extends KubeObject {
  readonly involvedObject: Readonly<Core.ObjectReference>
  readonly reason: string
  readonly message: string
  readonly type: string
  readonly source: { readonly component?: string; readonly host?: string }
  readonly firstTimestamp: string
  /** RFC 3339. */
  readonly lastTimestamp: string
  readonly count: number
}

/**
 * Events of events.k8s.io/v1 have their count in `series` and their time in `eventTime`. Source:
 * event_printer.go (getInterval).
 */
export const normalizeEvent = (event: EventObject): NormalizedEvent =>
  isComplete(event) ? event : fillMissingFields(event)

const isComplete = (event: EventObject): event is NormalizedEvent =>
  event.series == null && completeEventFields.every((name) => event[name] != null)

const completeEventFields = [
  "involvedObject",
  "reason",
  "message",
  "type",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count"
] as const

const fillMissingFields = (event: EventObject): NormalizedEvent => {
  const { metadata, series, eventTime } = event
  const firstTimestamp = event.firstTimestamp ?? eventTime ?? metadata.creationTimestamp
  return {
    ...event,
    involvedObject: event.involvedObject ?? {},
    reason: event.reason ?? "",
    message: event.message ?? "",
    type: event.type ?? "",
    source: event.source ?? {},
    firstTimestamp,
    lastTimestamp: series?.lastObservedTime ?? event.lastTimestamp ?? firstTimestamp,
    count: series?.count ?? event.count ?? 1
  }
}
