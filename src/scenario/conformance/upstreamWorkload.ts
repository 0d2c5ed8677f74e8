import type { ClusterOptions } from "../../cluster/clusterOptions.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Change } from "../../store/objectStore.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type * as Effect from "effect/Effect"

/** What a real Kubernetes control plane did. */
export interface UpstreamRecording {
  readonly id: string
  readonly steps: ReadonlyArray<UpstreamStep>
}

export interface UpstreamStep {
  /** An action such as `create` or `ready`. */
  readonly do: string
  /** Seconds after the first step. */
  readonly at?: number
  /** When `then` was read, in seconds after the first step. */
  readonly seenAt?: number
  /** How long a `sleep` lasts. */
  readonly seconds?: number
  /** The state that the control plane reached. */
  readonly then: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

export interface UpstreamWorkload {
  /** The field with the workload: its state in `then`, and what a step creates or updates. */
  readonly workloadField: string
  /** The fields of the step that each action needs. */
  readonly actions: Readonly<Record<string, ReadonlyArray<string>>>
  readonly stepFields: Readonly<Record<string, FieldCheck>>
  readonly workloadFields: Readonly<Record<string, FieldCheck>>
  /** Whether no recorded step changes the template: steps then have no version `v` of it. */
  readonly hasOneTemplate?: boolean
  readonly clusterOptions?: Pick<ClusterOptions, "nodes" | "controllers">
  readonly makeReplayer: (cluster: Cluster["Service"]) => Replayer
}

export interface Replayer {
  readonly eventObjectKind: string
  /** Called with every change, so that deleted objects can still be described. */
  readonly observe?: (change: Change) => void
  readonly perform: (step: UpstreamStep) => Effect.Effect<unknown, StoreError>
  /** The step makes these writes once the controllers have nothing left to do. */
  readonly writesOnceSettled?: (step: UpstreamStep) => Effect.Effect<unknown, StoreError> | undefined
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
