import type * as Apps from "kubernetes-types/apps/v1.js"
import type { KubeObject, PodTemplate } from "../../meta/objects.ts"

export interface DaemonSet extends KubeObject {
  readonly spec: Readonly<Omit<Apps.DaemonSetSpec, "updateStrategy">> & {
    readonly template: PodTemplate
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: {
        readonly maxUnavailable?: number | string
        readonly maxSurge?: number | string
      }
    }
  }
  readonly status: DaemonSetStatus
}

export type DaemonSetStatus = Readonly<Apps.DaemonSetStatus>
