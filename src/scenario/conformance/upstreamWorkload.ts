import type { ClusterOptions } from "../../cluster/clusterOptions.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Change } from "../../store/objectStore.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type * as Effect from "effect/Effect"

/** A story recorded from a real control plane: steps, and the cluster's state after each. */
export interface UpstreamRecording {
  readonly id: string
  readonly steps: ReadonlyArray<UpstreamStep>
}

/** The fields that the steps of all kinds of workloads have. */
export interface UpstreamStep {
  /** The action, such as `create` or `ready`. */
  readonly do: string
  /** Seconds after the first step, if the time matters. */
  readonly at?: number
  /** When `then` was read, in seconds after the first step. */
  readonly seenAt?: number
  /** How long a `sleep` lasts. */
  readonly seconds?: number
  /** The cluster's state after the step. */
  readonly then: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

/** How recordings about one kind of workload are read and replayed. */
export interface UpstreamWorkload {
  /** The field with the workload: its state in `then`, and what to create or update in a step. */
  readonly workloadField: string
  /** The fields of the step that each action needs. */
  readonly actions: Readonly<Record<string, ReadonlyArray<string>>>
  /** Which values the fields of a step, and those of its workload, may have. */
  readonly stepFields: Readonly<Record<string, FieldCheck>>
  readonly workloadFields: Readonly<Record<string, FieldCheck>>
  /** Whether no step changes the workload's template, so that its recording has no versions of it. */
  readonly hasOneTemplate?: boolean
  /** Options of the cluster that replays the story. */
  readonly clusterOptions?: Pick<ClusterOptions, "nodes" | "controllers">
  readonly makeReplayer: (cluster: Cluster["Service"]) => Replayer
}

export interface Replayer {
  /** The kind whose Events are compared. */
  readonly eventsOf: string
  /** Called with every change, so that deleted objects can still be described. */
  readonly observe: (change: Change) => void
  readonly perform: (step: UpstreamStep) => Effect.Effect<unknown, StoreError>
  /** Writes that belong to the step and come once the controllers have nothing left to do. */
  readonly afterwards?: (step: UpstreamStep) => Effect.Effect<unknown, StoreError> | undefined
  /** The cluster's state in the form of `then`. */
  readonly describe: (
    events: ReadonlyArray<NormalizedEvent>,
    expected: UpstreamStep["then"]
  ) => Readonly<Record<string, unknown>>
}

export type FieldCheck = (value: unknown) => boolean

export const isCount: FieldCheck = (value) => Number.isSafeInteger(value) && Number(value) >= 0
export const isSeconds: FieldCheck = (value) => typeof value === "number" && value >= 0
export const isOneOf =
  (...values: ReadonlyArray<unknown>): FieldCheck =>
  (value) =>
    values.includes(value)
/** A number or a percentage, as of maxSurge. */
export const isAmount: FieldCheck = (value) =>
  isCount(value) || (typeof value === "string" && /^\d+%$/.test(value))
export const isBoolean = isOneOf(true, false)
export const isNameList: FieldCheck = (value) =>
  Array.isArray(value) && value.every((it) => typeof it === "string")
export const isPropagationPolicy = isOneOf("Background", "Foreground", "Orphan")

/** The template's version is in its image. */
export const imageOf = (version: number): string => `registry.example/app:v${version}`

export const imageVersion = (text: string | undefined): number =>
  Number(/:v(\d+)$/.exec(text ?? "")?.[1] ?? "0")
