import type { Draft } from "../../kubernetes/meta/objects.ts"

/** A rollout recorded from a real control plane: steps, and the cluster's state after each. */
export interface UpstreamRecording {
  readonly id: string
  readonly steps: ReadonlyArray<UpstreamStep>
}

export interface UpstreamStep {
  readonly do: string
  readonly deployment?: RecordedDeployment
  /** Version of the Pod template. Default: any. */
  readonly v?: number
  /** Number of Pods. Default: all. */
  readonly n?: number
  readonly replicas?: number
  readonly seconds?: number
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  /** Seconds after the first step, if the time matters. */
  readonly at?: number
  /** When `then` was read, in seconds after the first step. */
  readonly seenAt?: number
  readonly then: ClusterDescription
}

/** `start` binds Pods to a node and runs them, `kill` deletes Pods, `reap` deletes terminating Pods at once. */
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

/** Omitted fields have the API's defaults. */
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

export interface ClusterDescription {
  readonly deployment: object | null
  readonly replicaSets: ReadonlyArray<object>
  /** Numbers of Pods by template version (`v1`) and category. */
  readonly pods: Readonly<Record<string, object>>
  /** Omitted if the recording has no events. */
  readonly events?: ReadonlyArray<object>
}

const imageOf = (version: number): string => `registry.example/app:v${version}`

export const imageVersion = (text: string | undefined): number =>
  Number(/:v(\d+)$/.exec(text ?? "")?.[1] ?? "0")

/** The only Deployment of the recordings, `d`. */
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
