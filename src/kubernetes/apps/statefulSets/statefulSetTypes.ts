import type * as Apps from "kubernetes-types/apps/v1.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type { KubeObject, PodTemplate } from "../../meta/objects.ts"

/** Includes fields that are newer than the published types. */
export interface StatefulSet extends KubeObject {
  readonly spec: Readonly<Omit<Apps.StatefulSetSpec, "volumeClaimTemplates">> & {
    readonly replicas: number
    readonly template: PodTemplate
    readonly minReadySeconds?: number
    readonly ordinals?: { readonly start?: number }
    readonly persistentVolumeClaimRetentionPolicy?: ClaimRetentionPolicy
    readonly volumeClaimTemplates?: ReadonlyArray<Core.PersistentVolumeClaim>
  }
  readonly status: StatefulSetStatus
}

export type StatefulSetStatus = Readonly<Apps.StatefulSetStatus> & { readonly availableReplicas?: number }

export interface ClaimRetentionPolicy {
  readonly whenDeleted?: "Retain" | "Delete"
  readonly whenScaled?: "Retain" | "Delete"
}
