import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { Step } from "../explain/steps/step.ts"
import type { RecordedStep } from "../explain/steps/recordedStep.ts"

/** An entry other than a step. Until it is rendered, its object is as stored, not redacted. */
export type ClusterEntry = ObjectEntry | FaultEntry | ClockEntry | NoteEntry

/** An entry before it is redacted and rendered. */
export type RecordingItem = ClusterEntry | RecordedStep

/**
 * One JSON entry per line: the header, the initial objects as `ADDED`, then all changes, and `end` in a complete
 * recording. Numbers increase, with gaps for omitted steps; `atMillis` is Unix time of the cluster.
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
  /** Numbers of entries are comparable only within one recording. */
  readonly id: string
  /** One line, such as `lostNode, seed 7`. */
  readonly title: string
  readonly seed: number
  /** The number of the last change before the start; no initial object has a higher one. */
  readonly number: number
  readonly atMillis: number
  /** SVG drawings of custom charts, by chart name. */
  readonly charts: Readonly<Record<string, string>>
}

interface Numbered {
  readonly number: number
  readonly atMillis: number
}

export interface ObjectEntry extends Numbered {
  readonly type: "object"
  readonly change: "ADDED" | "MODIFIED" | "DELETED"
  /** The plural: `deployments`. */
  readonly resource: string
  /** Redacted, without managed fields, command lines and environment values; a deleted object's last state. */
  readonly object: KubeObject
}

/** A step is repeated with the same number once the results of its writes are known. */
export interface StepEntry extends Numbered {
  readonly type: "step"
  readonly step: Step
}

export interface FaultEntry extends Numbered {
  readonly type: "fault"
  readonly change: "BEGAN" | "ENDED"
  readonly id: string
  readonly text: string
}

/** An entry that repeats the previous number only tells the current time. */
export interface ClockEntry extends Numbered {
  readonly type: "clock"
  /** Cluster seconds per real second; 0 while the clock is paused. */
  readonly speed: number
}

/** A step of a story or a plan, or what failed in it. */
export interface NoteEntry extends Numbered {
  readonly type: "note"
  readonly level: "step" | "failure"
  readonly text: string
  /** The number of the story's step, from 1 on. */
  readonly step?: number
}

export interface EndEntry extends Numbered {
  readonly type: "end"
  /** The number of all entries, the header and this one included. */
  readonly entries: number
}
