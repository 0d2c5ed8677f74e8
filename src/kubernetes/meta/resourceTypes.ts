import type { Endpoints, EndpointSlice, Service } from "../core/endpoints.ts"
import type { LimitRange } from "../core/limitRanges.ts"
import type { ResourceQuota } from "../core/quotas.ts"
import type { DisruptionBudget } from "../policy/disruptionBudgets.ts"
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../storage/storageTypes.ts"
import type { ControllerRevision } from "../apps/controllerRevisions/controllerRevisions.ts"
import type { DaemonSet } from "../apps/daemonSets/daemonSetTypes.ts"
import type { Autoscaler } from "../autoscaling/autoscalerTypes.ts"
import type { CronJob } from "../batch/cronJobs/cronJobTypes.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { StatefulSet } from "../apps/statefulSets/statefulSetTypes.ts"
import type { GroupResource, resources } from "./kinds.ts"
import type {
  ConfigMap,
  Deployment,
  Draft,
  EventObject,
  KubeObject,
  Manifest,
  Meta,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Secret
} from "./objects.ts"

/**
 * The types of objects by resource: what `get`, `list`, `watch` and `patch` return for a literal resource, and `create`
 * for a manifest with a literal `apiVersion` and `kind`. Add your own kinds to it:
 *
 *   declare module "charthouse" {
 *     interface ResourceTypes { "websites.example.com": Website }
 *   }
 */
export interface ResourceTypes {
  readonly [resources.deployments]: OfKind<Deployment, "apps/v1", "Deployment">
  readonly [resources.replicaSets]: OfKind<ReplicaSet, "apps/v1", "ReplicaSet">
  readonly [resources.statefulSets]: OfKind<StatefulSet, "apps/v1", "StatefulSet">
  readonly [resources.daemonSets]: OfKind<DaemonSet, "apps/v1", "DaemonSet">
  readonly [resources.jobs]: OfKind<Job, "batch/v1", "Job">
  readonly [resources.autoscalers]: OfKind<Autoscaler, "autoscaling/v2", "HorizontalPodAutoscaler">
  readonly [resources.cronJobs]: OfKind<CronJob, "batch/v1", "CronJob">
  readonly [resources.controllerRevisions]: OfKind<ControllerRevision, "apps/v1", "ControllerRevision">
  readonly [resources.pods]: OfKind<Pod, "v1", "Pod">
  readonly [resources.nodes]: OfKind<Node, "v1", "Node">
  readonly [resources.namespaces]: OfKind<Namespace, "v1", "Namespace">
  readonly [resources.events]: OfKind<EventObject, "v1", "Event">
  readonly [resources.resourceQuotas]: OfKind<ResourceQuota, "v1", "ResourceQuota">
  readonly [resources.limitRanges]: OfKind<LimitRange, "v1", "LimitRange">
  readonly [resources.services]: OfKind<Service, "v1", "Service">
  readonly [resources.endpoints]: OfKind<Endpoints, "v1", "Endpoints">
  readonly [resources.endpointSlices]: OfKind<EndpointSlice, "discovery.k8s.io/v1", "EndpointSlice">
  readonly [resources.disruptionBudgets]: OfKind<DisruptionBudget, "policy/v1", "PodDisruptionBudget">
  readonly [resources.persistentVolumes]: OfKind<PersistentVolume, "v1", "PersistentVolume">
  readonly [resources.persistentVolumeClaims]: OfKind<PersistentVolumeClaim, "v1", "PersistentVolumeClaim">
  readonly [resources.storageClasses]: OfKind<StorageClass, "storage.k8s.io/v1", "StorageClass">
  readonly [resources.configMaps]: OfKind<ConfigMap, "v1", "ConfigMap">
  readonly [resources.secrets]: OfKind<Secret, "v1", "Secret">
}

type OfKind<O extends KubeObject, V extends string, K extends string> = O & {
  readonly apiVersion: V
  readonly kind: K
}

/** `KubeObject` for a resource that `ResourceTypes` does not have. */
export type ObjectOf<R extends GroupResource> = R extends keyof ResourceTypes
  ? ResourceTypes[R] extends KubeObject
    ? ResourceTypes[R]
    : KubeObject
  : KubeObject

export type ObjectOfManifest<M extends Manifest> = string extends M["kind"]
  ? StoredOf<M>
  : [KindIn<M>] extends [never]
    ? StoredOf<M>
    : KindIn<M>

type KindIn<M extends Manifest> = Extract<
  ResourceTypes[keyof ResourceTypes],
  KubeObject & Pick<M, "apiVersion" | "kind">
>

type StoredOf<M> = M extends KubeObject ? M : KubeObject

/** An object without the metadata that the server sets. */
export type ManifestOf<O extends KubeObject> = Omit<O, "metadata" | "status"> &
  Draft & {
    readonly metadata: Readonly<Partial<Meta>>
    readonly status?: O extends { readonly status: infer Status } ? Status : unknown
  }
