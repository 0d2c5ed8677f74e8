import type * as Apps from "kubernetes-types/apps/v1.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ObjectMeta, OwnerReference } from "kubernetes-types/meta/v1.js"

/**
 * The published Kubernetes types, narrowed to stored objects: defaults are filled in and objects are frozen.
 */

/** `resourceVersion` is a decimal integer. */
export type Meta = Readonly<Omit<ObjectMeta, "labels" | "annotations" | "ownerReferences" | "finalizers">> & {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly creationTimestamp: string
  readonly labels?: Labels
  readonly annotations?: Annotations
  readonly ownerReferences?: ReadonlyArray<OwnerReference>
  readonly finalizers?: ReadonlyArray<string>
}

export type Labels = Readonly<Record<string, string>>
export type Annotations = Readonly<Record<string, string>>

export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Meta
}

export type PodTemplate = Readonly<Core.PodTemplateSpec>
export type PodSpec = Readonly<Core.PodSpec>

export interface Deployment extends KubeObject {
  readonly spec: Readonly<Apps.DeploymentSpec> & {
    readonly replicas: number
    readonly strategy: Apps.DeploymentStrategy & { readonly type: string }
  }
  readonly status: DeploymentStatus
}

/** `terminatingReplicas` came with 1.33 and is not in the published types yet. */
export type DeploymentStatus = Readonly<Omit<Apps.DeploymentStatus, "conditions">> & {
  readonly conditions?: ReadonlyArray<DeploymentCondition>
  readonly terminatingReplicas?: number
}
export type DeploymentCondition = Readonly<Apps.DeploymentCondition>

export interface ReplicaSet extends KubeObject {
  readonly spec: Readonly<Apps.ReplicaSetSpec> & {
    readonly replicas: number
    readonly template: PodTemplate
  }
  readonly status: ReplicaSetStatus
}
export type ReplicaSetStatus = Readonly<Omit<Apps.ReplicaSetStatus, "conditions">> & {
  readonly conditions?: ReadonlyArray<ReplicaSetCondition>
  readonly terminatingReplicas?: number
}
export type ReplicaSetCondition = Readonly<Apps.ReplicaSetCondition>

export interface Pod extends KubeObject {
  readonly spec: PodSpec
  readonly status: PodStatus
}
/** `observedGeneration` came with 1.33 and is not in the published types yet. */
export type PodStatus = Readonly<
  Omit<
    Core.PodStatus,
    "conditions" | "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses"
  >
> & {
  readonly phase: string
  readonly observedGeneration?: number
  readonly conditions?: ReadonlyArray<PodCondition>
  readonly containerStatuses?: ReadonlyArray<ContainerStatus>
  readonly initContainerStatuses?: ReadonlyArray<ContainerStatus>
  readonly ephemeralContainerStatuses?: ReadonlyArray<ContainerStatus>
}
export type PodCondition = Readonly<Core.PodCondition> & { readonly observedGeneration?: number }
export type ContainerStatus = Readonly<Core.ContainerStatus>

export interface Node extends KubeObject {
  readonly spec: Readonly<Core.NodeSpec>
  readonly status: Readonly<Core.NodeStatus>
}

export interface Namespace extends KubeObject {
  readonly spec: Readonly<Core.NamespaceSpec>
  readonly status: Readonly<Core.NamespaceStatus>
}

export interface EventObject extends KubeObject {
  readonly involvedObject?: Readonly<Core.ObjectReference>
  readonly reason?: string
  readonly message?: string
  readonly type?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly count?: number
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string }
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

/** `namespace/name`; `name` for a cluster-scoped object. */
export type Key = string

export const toObjectKey = (namespace: string | undefined, name: string): Key => {
  if (name === lastKey.name && namespace === lastKey.namespace) return lastKey.key
  const key = namespace === undefined ? name : `${namespace}/${name}`
  lastKey = { namespace, name, key }
  return key
}

/** The key is kept, since JavaScript computes the hash of one text only once. */
let lastKey: { readonly namespace: string | undefined; readonly name: string; readonly key: Key } = {
  namespace: undefined,
  name: "",
  key: ""
}

export const resourceVersionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion)

export const objectKeyOf = ({ metadata }: KubeObject): Key => toObjectKey(metadata.namespace, metadata.name)

export const nameInKey = (key: Key): string => key.slice(key.indexOf("/") + 1)

export const compareByKey = (a: KubeObject, b: KubeObject): number =>
  objectKeyOf(a) < objectKeyOf(b) ? -1 : 1

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
  readonly immutable?: boolean
}

export interface Secret extends KubeObject {
  readonly type: string
  readonly data?: Readonly<Record<string, string>>
  readonly immutable?: boolean
}

/** An object as a client writes it, before defaults and identity. */
export interface Draft {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Partial<Meta>>
}

export type Manifest = Draft | (Draft & { readonly [field: string]: unknown })
