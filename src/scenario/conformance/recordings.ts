import type { Draft } from "../../domain/objects.ts"

/**
 * Rollouts recorded from a real control plane, one story a line of JSON: what was done, and what was there when all
 * was quiet again.
 */
export interface Recording {
  readonly id: string
  readonly steps: ReadonlyArray<RecordedStep>
}

export interface RecordedStep {
  readonly do: string
  readonly deployment?: RecordedDeployment
  /** Version of the template; any version where it is left out. */
  readonly v?: number
  /** How many Pods; all where it is left out. */
  readonly n?: number
  readonly replicas?: number
  readonly seconds?: number
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  /** Seconds after the first step, where time matters. */
  readonly at?: number
  readonly seenAt?: number
  readonly then: Picture
}

/** All that a step can do. */
export const deeds: ReadonlySet<string> = new Set([
  "create",
  "update",
  "start",
  "ready",
  "unready",
  "fail",
  "kill",
  "reap",
  "scaleReplicaSet",
  "deleteReplicaSet",
  "delete",
  "sleep"
])

/** What is left out takes the API's default. */
interface RecordedDeployment {
  readonly replicas?: number
  readonly strategy?: "RollingUpdate" | "Recreate"
  readonly maxSurge?: number | string
  readonly maxUnavailable?: number | string
  readonly paused?: boolean
  readonly minReadySeconds?: number
  readonly progressDeadlineSeconds?: number
  readonly revisionHistoryLimit?: number
  readonly v: number
}

/** What is seen when all is quiet. */
export interface Picture {
  readonly deployment: object | null
  readonly replicaSets: ReadonlyArray<object>
  readonly pods: Readonly<Record<string, object>>
  /** Missing where nothing is said of them. */
  readonly events?: ReadonlyArray<object>
}

const image = (version: number): string => `registry.example/app:v${version}`

/** The version that an image is of. */
export const versionOf = (text: string | undefined): number => Number(/:v(\d+)$/.exec(text ?? "")?.[1] ?? "0")

/** The Deployment `d` of all recordings. */
export const recordedDraft = (recorded: RecordedDeployment): Draft & { readonly spec: object } => {
  const { v, strategy, maxSurge, maxUnavailable, ...spec } = recorded
  const labels = { app: "d" }
  const rollingUpdate = {
    ...(maxSurge === undefined ? {} : { maxSurge }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable })
  }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", namespace: "default", labels },
    spec: {
      ...spec,
      strategy: strategy === "Recreate" ? { type: strategy } : { type: "RollingUpdate", rollingUpdate },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "app", image: image(v) }], terminationGracePeriodSeconds: 30 }
      }
    }
  }
}
