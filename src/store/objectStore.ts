import * as Context from "effect/Context"
import type { FieldSelector } from "../domain/fieldSelectors.ts"
import type { Effect } from "effect/Effect"
import type { Stream } from "effect/Stream"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { GroupResource, KindRegistry, resources } from "../domain/kinds.ts"
import type {
  ConfigMap,
  Deployment,
  Draft,
  EventObject,
  Key,
  KubeObject,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Secret
} from "../domain/objects.ts"
import type { DisruptionBudget } from "../domain/disruptionBudgets.ts"
import type { Endpoints, EndpointSlice, Service } from "../domain/endpoints.ts"
import type { LimitRange } from "../domain/limitRanges.ts"
import type { UserInfo } from "../domain/userInfo.ts"
import type { ResourceQuota } from "../domain/quotas.ts"
import type { NodeBinding } from "./binding.ts"
import type { NodePods } from "./nodePods.ts"
import type { PodTallies } from "./podTallies.ts"
import type { QuotaUsage } from "./quotas.ts"
import type { Expired, NotFound, StoreError } from "./errors.ts"

/** The objects of one resource: the kinds we reason about by their type, any other as a plain object. */
export type ObjectOf<R extends GroupResource> = R extends keyof Known ? Known[R] : KubeObject

interface Known {
  readonly [resources.deployments]: Deployment
  readonly [resources.replicaSets]: ReplicaSet
  readonly [resources.pods]: Pod
  readonly [resources.nodes]: Node
  readonly [resources.namespaces]: Namespace
  readonly [resources.events]: EventObject
  readonly [resources.resourceQuotas]: ResourceQuota
  readonly [resources.limitRanges]: LimitRange
  readonly [resources.services]: Service
  readonly [resources.endpoints]: Endpoints
  readonly [resources.endpointSlices]: EndpointSlice
  readonly [resources.disruptionBudgets]: DisruptionBudget
  readonly [resources.configMaps]: ConfigMap
  readonly [resources.secrets]: Secret
}

/** Where one object is. */
export interface Ref<R extends GroupResource = GroupResource> {
  readonly resource: R
  readonly key: Key
}

/** What happened to one object. `resourceVersion` is the version of the change, also for a deletion. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly resource: GroupResource
  readonly object: KubeObject
  /** What was there before; undefined for what is new. */
  readonly old: KubeObject | undefined
  readonly resourceVersion: number
}

export interface ListOptions {
  readonly namespace?: string | undefined
  readonly labelSelector?: LabelSelector | undefined
  readonly fields?: FieldSelector | undefined
}

export interface ObjectList<O extends KubeObject> {
  /** Sorted by namespace, then by name. */
  readonly items: ReadonlyArray<O>
  readonly resourceVersion: string
}

export interface WatchOptions extends ListOptions {
  /** All resources where it is left out. */
  readonly resource?: GroupResource
  /** Changes after this version; without it, the present objects first, as additions. */
  readonly resourceVersion?: string
}

export interface WriteOptions {
  /**
   * Everything is checked and answered as if it were stored, and nothing is: no version, no change, no
   * trace.
   */
  readonly dryRun?: boolean
  /**
   * The manager that `metadata.managedFields` names for the write. A write without a manager changes no ownership of
   * fields.
   */
  readonly manager?: string
  /** Whether the draft's own `metadata.managedFields` say it all, worked out by who asks. */
  readonly tellsManagers?: boolean
}

export interface CreateOptions extends WriteOptions {
  /** The user that creates the object, where its kind keeps that; `charthouse-admin` where it is left out. */
  readonly user?: UserInfo
}

/** Options of a change to a status. */
export interface StatusOptions extends WriteOptions {
  /** Writes the conditions of a CertificateSigningRequest as its `approval` sub-resource does, and nothing else. */
  readonly approves?: boolean
}

/** Options of a change to what is there. */
export interface ChangeOptions extends WriteOptions {
  /** Asked for as a patch; for those who tell writes apart. */
  readonly isPatch?: boolean
}

export interface ModifyOptions extends Pick<WriteOptions, "manager"> {
  readonly uid?: string
  readonly status?: boolean
}

export interface DeleteOptions extends Pick<WriteOptions, "dryRun"> {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** Reading and writing objects by their names: all that applying manifests asks of a store. */
export interface NamedWrites {
  readonly get: <R extends GroupResource>(ref: Ref<R>) => Effect<ObjectOf<R>, NotFound>
  /** Sets identity, fills defaults, validates. With `generateName` the store makes up the name. */
  readonly create: (draft: Draft, options?: CreateOptions) => Effect<KubeObject, StoreError>
  /** Replaces everything but the status. A `resourceVersion` in the metadata must be the stored one. */
  readonly update: (object: Draft, options?: ChangeOptions) => Effect<KubeObject, StoreError>
}

/**
 * The only truth: versioned objects that can be watched. Every write is optimistic, refused when the object has
 * changed since it was read; one that changes nothing makes no version and no change. What is handed out is frozen.
 *
 * Controllers write through this service and never assume that they read their own write at once.
 */
export class ObjectStore extends Context.Service<
  ObjectStore,
  NamedWrites & {
    readonly list: <R extends GroupResource>(
      resource: R,
      options?: ListOptions
    ) => Effect<ObjectList<ObjectOf<R>>>
    /**
     * Replaces the status (and, as Kubernetes allows, annotations), leaving the rest and the generation
     * alone.
     */
    readonly updateStatus: (object: Draft, options?: StatusOptions) => Effect<KubeObject, StoreError>
    /** Reads, changes and writes as one step; with `uid`, only if the object is still that one. */
    readonly modify: (
      ref: Ref,
      change: (object: KubeObject) => Draft,
      options?: ModifyOptions
    ) => Effect<KubeObject, StoreError>
    /** Puts a Pod on a node: the `binding` sub-resource. A bound Pod is not bound again. */
    readonly bind: (binding: NodeBinding) => Effect<KubeObject, StoreError>
    /** Replaces the finalizers in a namespace's spec: the `finalize` sub-resource. */
    readonly finalizeNamespace: (
      name: string,
      finalizers: ReadonlyArray<string>
    ) => Effect<KubeObject, StoreError>
    /** Answers with what was deleted, or with what is now on its way out. */
    readonly delete: (ref: Ref, options?: DeleteOptions) => Effect<KubeObject, StoreError>
    readonly watch: (options: WatchOptions) => Stream<Change, Expired>
    /**
     * Where to try writes that build on one another: it begins as the store is now and keeps to itself what it is
     * told, at a cost that does not grow with what the store holds. A store that is another's has none.
     */
    readonly rehearsal?: () => NamedWrites
  }
>()("charthouse/store/ObjectStore") {}

/**
 * What a controller reads: the present objects with indexes, at once and without failure. For the embedded store it
 * is the store; for a distant one it is a copy that watches keep up.
 */
export class ClusterView extends Context.Service<
  ClusterView,
  {
    readonly get: <R extends GroupResource>(resource: R, key: Key) => ObjectOf<R> | undefined
    readonly all: <R extends GroupResource>(resource: R) => Iterable<ObjectOf<R>>
    /** Everything with an owner reference to this uid, of any kind. */
    readonly dependents: (ownerUid: string) => ReadonlyArray<Dependent>
    /** The objects of one resource that this owner controls. */
    readonly controlled: <R extends GroupResource>(
      resource: R,
      ownerUid: string
    ) => ReadonlyArray<ObjectOf<R>>
    /** The ReplicaSets or Pods of a namespace that nobody controls. */
    readonly orphans: <R extends OrphanResource>(resource: R, namespace: string) => ReadonlyArray<ObjectOf<R>>
    readonly pods: PodTallies
    readonly nodePods: NodePods
    readonly quotas: QuotaUsage
    /** What kinds there are at this moment. */
    readonly kinds: KindRegistry
    /** Calls back on every change, before anything else happens. Returns how to stop. */
    readonly subscribe: (listener: (change: Change) => void) => () => void
    /** The version of the latest change. */
    readonly version: () => number
    /** All changes after a version, in order; undefined when that lies too far back to be known. */
    readonly since: (version: number) => ReadonlyArray<Change> | undefined
    /** What subscribers have been told of. It lies ahead of what can be read only where reads are stale. */
    readonly heard: {
      readonly version: () => number
      readonly since: (version: number) => ReadonlyArray<Change> | undefined
    }
    /** Waits until this view holds a version; with the embedded store it always does. */
    readonly caughtUp: (resourceVersion: string) => Effect<void>
  }
>()("charthouse/store/ClusterView") {}

type OrphanResource = typeof resources.pods | typeof resources.replicaSets

export interface Dependent {
  readonly resource: GroupResource
  readonly object: KubeObject
}
