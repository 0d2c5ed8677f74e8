import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { Step } from "../explain/steps/step.ts"
import type { RecordedStep } from "../explain/steps/recordedStep.ts"

/** An entry other than a step. Objects are as stored, not redacted. */
export type ClusterEntry = ObjectEntry | FaultEntry | ClockEntry | NoteEntry

/** An entry before it is redacted and rendered. */
export type RecordingItem = ClusterEntry | RecordedStep

/**
 * A recording holds everything that the page needs to show a cluster at any moment. It is text with one JSON entry
 * per line, whether it is streamed from a running cluster, saved to a file or embedded in a page.
 *
 * First comes the header, then the objects that existed at the start (as `ADDED`), then all changes in order.
 * Numbers increase; gaps are steps that were omitted or dropped. `atMillis` is the cluster's time (Unix epoch) and
 * never decreases. A complete recording ends with an `end` entry.
 */
export type RecordingEntry =
  | RecordingHeader
  | ObjectEntry
  | StepEntry
  | FaultEntry
  | ClockEntry
  | NoteEntry
  | EndEntry

/** The server's URL path of its own recording. */
export const recordingPath = "/charthouse/v1/recording"

export const recordingApiVersion = "charthouse.dev/v1"

export interface RecordingHeader {
  readonly type: "header"
  readonly apiVersion: typeof recordingApiVersion
  readonly kind: "Recording"
  readonly version: string
  /** The id of the recording. Numbers of entries are comparable only within one recording. */
  readonly id: string
  /** One line, such as `lostNode, seed 7`. */
  readonly title: string
  readonly seed: number
  /** Number of the last change before the recording starts; no initial object has a higher one. */
  readonly number: number
  readonly atMillis: number
  /** SVG drawings, by chart name, of the charts that the cluster's custom strategies change. */
  readonly charts: Readonly<Record<string, string>>
}

interface Numbered {
  readonly number: number
  readonly atMillis: number
}

export interface ObjectEntry extends Numbered {
  readonly type: "object"
  readonly change: "ADDED" | "MODIFIED" | "DELETED"
  /** The plural, such as `deployments`, of a Node, Service, EndpointSlice, workload, Pod, revision or Event. */
  readonly resource: string
  /** The current or last state, without managed fields, command lines and environment values. */
  readonly object: KubeObject
}

/**
 * A step of an actor. A step whose writes were unfinished is repeated, with the same number, once their results are
 * known.
 */
export interface StepEntry extends Numbered {
  readonly type: "step"
  readonly step: Step
}

export interface FaultEntry extends Numbered {
  readonly type: "fault"
  readonly change: "BEGAN" | "ENDED"
  /** The id of the fault, the same at its beginning and its end; and its description. */
  readonly id: string
  readonly text: string
}

/** The clock's speed changed. An entry that repeats the previous number only tells the current time. */
export interface ClockEntry extends Numbered {
  readonly type: "clock"
  /** Cluster seconds per real second; 0 while the clock is paused. */
  readonly speed: number
}

/** A remark: a step of a story, or a violated rule. */
export interface NoteEntry extends Numbered {
  readonly type: "note"
  readonly level: "step" | "failure"
  readonly text: string
  /** Index of the story's step, from 1 on, as in reports. */
  readonly step?: number
}

export interface EndEntry extends Numbered {
  readonly type: "end"
  /** The number of all entries, the header and this one included. */
  readonly entries: number
}
