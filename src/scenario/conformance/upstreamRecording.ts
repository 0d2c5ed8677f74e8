import type { Draft } from "../../kubernetes/meta/objects.ts"

/** A rollout recorded from a real control plane: its steps, and the state of the cluster that followed each. */
export interface UpstreamRecording {
  readonly id: string
  readonly steps: ReadonlyArray<UpstreamStep>
}

export interface UpstreamStep {
  /** One of `upstreamStepActions`. */
  readonly do: string
  readonly deployment?: RecordedDeployment
  /** Version of the Pod template; any version if omitted. */
  readonly v?: number
  /** Number of Pods; all if omitted. */
  readonly n?: number
  /** For `scaleReplicaSet`. */
  readonly replicas?: number
  /** For `sleep`. */
  readonly seconds?: number
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  /** Seconds after the first step, if the time matters. */
  readonly at?: number
  /** When the state of `then` was read, in the same seconds. */
  readonly seenAt?: number
  /** The state of the cluster after the step. */
  readonly then: ClusterPicture
}

/** `start` binds Pods to a node and runs them, `kill` deletes them, and `reap` deletes terminating ones at once. */
export const upstreamStepActions: ReadonlySet<string> = new Set([
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

/** Omitted fields take the API's defaults. */
interface RecordedDeployment {
  readonly replicas?: number
  readonly strategy?: "RollingUpdate" | "Recreate"
  readonly maxSurge?: number | string
  readonly maxUnavailable?: number | string
  readonly paused?: boolean
  readonly minReadySeconds?: number
  readonly progressDeadlineSeconds?: number
  readonly revisionHistoryLimit?: number
  /** Version of the Pod template. */
  readonly v: number
}

/** The state of a cluster, as plain data. */
export interface ClusterPicture {
  readonly deployment: object | null
  readonly replicaSets: ReadonlyArray<object>
  /** The number of Pods in each condition, by version of the Pod template: `v1`. */
  readonly pods: Readonly<Record<string, object>>
  /** Omitted if the recording does not check events. */
  readonly events?: ReadonlyArray<object>
}

const imageOf = (version: number): string => `registry.example/app:v${version}`

export const imageVersion = (text: string | undefined): number =>
  Number(/:v(\d+)$/.exec(text ?? "")?.[1] ?? "0")

/** The Deployment `d` that all recordings are about. */
export const upstreamDeployment = (deployment: RecordedDeployment): Draft & { readonly spec: object } => {
  const { v, strategy, maxSurge, maxUnavailable, ...spec } = deployment
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
        spec: { containers: [{ name: "app", image: imageOf(v) }], terminationGracePeriodSeconds: 30 }
      }
    }
  }
}
