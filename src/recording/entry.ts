import type { KubeObject } from "../domain/objects.ts"
import type { Step } from "../inspect/why/step.ts"

/**
 * A recording: everything a page needs to show a cluster at any moment of it. It is text, an entry a line, and the same
 * whether it is still being written (a page follows a living cluster), was saved to a file, or lies in a page that a
 * story or a plan has written.
 *
 * The first entry is the header; then comes what was there at its beginning, as objects that are `ADDED`; then what
 * happened, in order. Numbers grow from entry to entry; one is missing where a step was left out, or is no longer kept.
 * `atMillis` is the cluster's time, since 1970, and never goes back. The last entry of one that is complete is `end`;
 * where it is missing the recording was cut off.
 */
export type Entry = Header | ObjectEntry | StepEntry | FaultEntry | ClockEntry | NoteEntry | End

/** Where a server gives its own, beside the Kubernetes API. */
export const recordingPath = "/charthouse/v1/recording"

export const recordingApiVersion = "charthouse.dev/v1"

export interface Header {
  readonly type: "header"
  readonly apiVersion: typeof recordingApiVersion
  readonly kind: "Recording"
  /** The version of the program that has written it. */
  readonly version: string
  /** Another one is another recording: numbers of one mean nothing in the other. */
  readonly id: string
  /** What it is of, in a line: `lostNode, seed 7`. */
  readonly title: string
  readonly seed: number
  /** Of the last thing that had happened when it begins: what was there at its beginning has no number above it. */
  readonly number: number
  /** When it begins. */
  readonly atMillis: number
  /** The drawn charts that the cluster's own strategies change, as SVG, by the name of the chart; mostly none. */
  readonly charts: Readonly<Record<string, string>>
}

interface Numbered {
  readonly number: number
  readonly atMillis: number
}

/** An object came, changed or went: a Deployment, ReplicaSet, Pod, Node, Service, EndpointSlice or event. */
export interface ObjectEntry extends Numbered {
  readonly type: "object"
  readonly change: "ADDED" | "MODIFIED" | "DELETED"
  /** `deployments`, `replicasets`, `pods`, `nodes`, `services`, `endpointslices`, `events`. */
  readonly resource: string
  /** As it is now, or was last; without managed fields, command lines and the values of environments. */
  readonly object: KubeObject
}

/** An actor moved. One whose writes were under way is told again, by its number, when it is known what came of it. */
export interface StepEntry extends Numbered {
  readonly type: "step"
  readonly step: Step
}

/** Something went wrong on purpose, from its beginning to its end. */
export interface FaultEntry extends Numbered {
  readonly type: "fault"
  readonly change: "BEGAN" | "ENDED"
  /** The same at its beginning and its end. */
  readonly id: string
  /** In words. */
  readonly text: string
}

/**
 * How time goes, where that has changed. One that repeats the number before it says nothing but how late it is: a page
 * that follows is told of time that has passed, though nothing has happened.
 */
export interface ClockEntry extends Numbered {
  readonly type: "clock"
  /** Seconds that pass in one of the machine's; 0 while time stands still. */
  readonly speed: number
}

/** What somebody wants to say of a moment: a step of a story, a broken rule. */
export interface NoteEntry extends Numbered {
  readonly type: "note"
  readonly level: "step" | "failure"
  readonly text: string
  /** Which step of a story it is of, from 1 on, as a report counts them; left out where it is of none. */
  readonly step?: number
}

/** Nothing is missing. It repeats the number before it. */
export interface End extends Numbered {
  readonly type: "end"
  /** How many entries there are, the header and this one included. */
  readonly entries: number
}
