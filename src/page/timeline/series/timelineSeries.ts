import { addressedObjectKey } from "../../pageAddress.ts"
import { advanceCountedPods } from "./countedPods.ts"
import { entryTrackers, forgetGoneObjects, makeTrackedObjects, workloadNamed } from "./trackedObjects.ts"
import { addMoment, recordRow } from "./workloadTrack.ts"
import type { ObjectEntry } from "../../../recording/entry.ts"
import type { PageAddress } from "../../pageAddress.ts"
import type { TimelineEvent } from "./timelineEvents.ts"
import type { TimelineMoment, TrackRow, TrackedWorkload } from "./workloadTrack.ts"

/** The Pods of each workload over time. The cost of an entry does not depend on their number. */
export interface TimelineSeries {
  readonly add: (entry: ObjectEntry) => void
  /** Drops what was before a moment, except for the state at that moment. */
  readonly forgetBefore: (number: number) => void
  /** In order of creation, deleted ones included. */
  readonly tracks: () => ReadonlyArray<WorkloadTrack>
  readonly trackOf: (address: PageAddress) => WorkloadTrack | undefined
  /** The first entry at each time. */
  readonly moments: ReadonlyArray<TimelineMoment>
}

/** The lists only grow, except when old entries are forgotten. */
export interface WorkloadTrack {
  readonly uid: string
  readonly kind: PageAddress["kind"]
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<TrackRow>
  readonly events: ReadonlyArray<TimelineEvent>
  /** The first row or event at each time. */
  readonly moments: ReadonlyArray<TimelineMoment>
}

/** Entries up to `beginNumber` are initial objects, not changes. */
export const makeTimelineSeries = (beginNumber = 0): TimelineSeries => {
  const objects = makeTrackedObjects(beginNumber)
  const { workloads, countedPods } = objects
  const moments: Array<TimelineMoment> = []
  return {
    add: (entry) => {
      const trackEntry = entryTrackers[entry.resource]
      if (trackEntry === undefined) return
      // A clock may be set back; drawn times do not go back.
      const atMillis = Math.max(countedPods.nowMillis, entry.atMillis)
      const moment = { number: entry.number, atMillis }
      advanceCountedPods(countedPods, moment)
      addMoment(moments, moment)
      // All initial objects together make one row.
      const number = Math.max(objects.lastInitialNumber, entry.number)
      for (const trackedWorkload of trackEntry(objects, entry)) recordRow(trackedWorkload, number, atMillis)
    },
    forgetBefore: (number) => {
      objects.lastInitialNumber = number
      for (const trackedWorkload of workloads.values()) {
        dropBefore(trackedWorkload.moments, number, 1)
        dropBefore(trackedWorkload.rows, number, 1)
        dropBefore(trackedWorkload.events, number, 0)
      }
      forgetGoneObjects(objects, number)
      dropBefore(moments, number, 1)
    },
    tracks: () => [...workloads.values()].flatMap((trackedWorkload) => toTrack(trackedWorkload) ?? []),
    trackOf: (address) => toTrack(workloadNamed(objects, addressedObjectKey(address))),
    moments
  }
}

const toTrack = (trackedWorkload: TrackedWorkload | undefined): WorkloadTrack | undefined => {
  if (trackedWorkload?.workload === undefined) return undefined
  const { uid, workload, rows, events, moments } = trackedWorkload
  const { namespace = "", name } = workload.metadata
  return { uid, kind: workload.kind as PageAddress["kind"], namespace, name, rows, events, moments }
}

/** `keptCount`: how many earlier items stay, such as the row that holds until the next. */
const dropBefore = (list: Array<{ readonly number: number }>, number: number, keptCount: number): void => {
  const after = list.findIndex((it) => it.number > number)
  list.splice(0, Math.max(0, (after === -1 ? list.length : after) - keptCount))
}
