import * as Context from "effect/Context"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { FieldSelector } from "../kubernetes/meta/selectors/fieldSelectors.ts"
import type { Effect } from "effect/Effect"
import type { Exit } from "effect/Exit"
import type { Stream } from "effect/Stream"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { PodSubresource } from "../kubernetes/admission/pods/podSubresources.ts"
import type { GroupResource, KindRegistry, resources } from "../kubernetes/meta/kinds.ts"
import type { Draft, Key, KubeObject } from "../kubernetes/meta/objects.ts"
import type { UserInfo } from "../kubernetes/meta/userInfo.ts"

import type { ClaimPods } from "./indexes/claimPodIndex.ts"
import type { NodePods } from "./indexes/nodePodIndex.ts"
import type { PodTallies } from "./indexes/podTallies.ts"
import type { QuotaUsage } from "./indexes/quotaIndex.ts"
import type { Subscribe, SubscriberGroup } from "./watch/subscribers.ts"
import type { Expired, NotFound, StoreError } from "./storeErrors.ts"

export interface NodeBinding {
  readonly key: Key
  readonly nodeName: string
  /** Preconditions: the Pod must have this uid and this version. */
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
  /** Labels and annotations that are added to the Pod's. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly dryRun?: boolean
}

export interface Ref<R extends GroupResource = GroupResource> {
  readonly resource: R
  readonly key: Key
}

/** `resourceVersion` is the version of the change, also for a deletion. */
export interface Change<O extends KubeObject = KubeObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly resource: GroupResource
  readonly object: O
  /** Undefined for a new object. */
  readonly old: O | undefined
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
  /** All resources by default. */
  readonly resource?: GroupResource
  /** Changes after this version. Without it, the present objects come first, as ADDED. */
  readonly resourceVersion?: string
}

export interface GetOptions {
  /**
   * The version in which a remote store reads the object; the preferred one by default. The embedded store has objects
   * in their stored version.
   */
  readonly apiVersion?: string
}

export interface WriteOptions {
  /** Validates and answers as if the object were stored, without storing it. */
  readonly dryRun?: boolean
  /** The manager in `metadata.managedFields`. Without one, the ownership of fields stays as it is. */
  readonly manager?: string
  /** Whether the draft's `metadata.managedFields` are complete, computed by the caller. */
  readonly hasManagedFields?: boolean
}

export interface CreateOptions extends WriteOptions {
  /** The user in the spec of a CertificateSigningRequest; `charthouse-admin` by default. */
  readonly user?: UserInfo
}

export interface StatusOptions extends WriteOptions {
  /** Writes only the conditions of a CertificateSigningRequest, as the sub-resource `approval`. */
  readonly isApproval?: boolean
}

export interface ChangeOptions extends WriteOptions {
  /** Whether the client has sent a PATCH; faults tell it from an update. */
  readonly isPatch?: boolean
  /** The part of a Pod's spec that is written; all of it when undefined. */
  readonly subresource?: PodSubresource | undefined
}

export interface ModifyOptions extends Pick<WriteOptions, "manager"> {
  /** Only an object with this uid is changed. */
  readonly uid?: string
  /** Whether to write the status, and not the rest of the object. */
  readonly status?: boolean
}

export interface DeleteOptions extends Pick<WriteOptions, "dryRun"> {
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan"
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** Reads and writes of single objects: what applying manifests needs. */
export interface SingleObjectWrites {
  /** The kinds that are served at present. A remote store has none: its server knows them. */
  readonly kinds?: KindRegistry
  readonly get: <R extends GroupResource>(ref: Ref<R>, options?: GetOptions) => Effect<ObjectOf<R>, NotFound>
  /** Sets name, uid and defaults, and validates. */
  readonly create: (draft: Draft, options?: CreateOptions) => Effect<KubeObject, StoreError>
  /** Replaces everything but the status. `metadata.resourceVersion`, if set, must be the stored one. */
  readonly update: (object: Draft, options?: ChangeOptions) => Effect<KubeObject, StoreError>
}

export interface ObjectStoreShape extends SingleObjectWrites {
  readonly list: <R extends GroupResource>(
    resource: R,
    options?: ListOptions
  ) => Effect<ObjectList<ObjectOf<R>>>
  /** Replaces the status (and, for some kinds, annotations). The generation stays. */
  readonly updateStatus: (object: Draft, options?: StatusOptions) => Effect<KubeObject, StoreError>
  /** Reads, changes and writes an object in one step; with `uid`, only the object with this uid. */
  readonly modify: (
    ref: Ref,
    change: (object: KubeObject) => Draft,
    options?: ModifyOptions
  ) => Effect<KubeObject, StoreError>
  /**
   * `modify` at once, without a fiber. Undefined where a write has to wait, may be refused by a fault or is observed.
   */
  readonly modifyNow?:
    | ((
        ref: Ref,
        change: (object: KubeObject) => Draft,
        options?: ModifyOptions
      ) => Exit<KubeObject, StoreError>)
    | undefined
  readonly bind: (binding: NodeBinding) => Effect<KubeObject, StoreError>
  /** Replaces a namespace's `spec.finalizers`: the sub-resource `finalize`. */
  readonly finalizeNamespace: (
    name: string,
    finalizers: ReadonlyArray<string>
  ) => Effect<KubeObject, StoreError>
  /** Returns the deleted or the terminating object. */
  readonly delete: (ref: Ref, options?: DeleteOptions) => Effect<KubeObject, StoreError>
  readonly watch: (options: WatchOptions) => Stream<Change, Expired>
  /**
   * Begins a dry run of several writes that build on one another, on a copy whose cost does not depend on the number
   * of objects. A remote store has none.
   */
  readonly beginDryRun?: () => SingleObjectWrites
}

/**
 * Versioned objects that can be watched. A write is refused when the object has changed since it was read; a write
 * without a change makes no new version. Returned objects are frozen.
 */
export class ObjectStore extends Context.Service<ObjectStore, ObjectStoreShape>()(
  "charthouse/store/ObjectStore"
) {}

export interface ClusterViewShape {
  readonly get: <R extends GroupResource>(resource: R, key: Key) => ObjectOf<R> | undefined
  readonly all: <R extends GroupResource>(resource: R) => Iterable<ObjectOf<R>>
  readonly dependents: (ownerUid: string) => ReadonlyArray<Dependent>
  readonly controlled: <R extends GroupResource>(resource: R, ownerUid: string) => ReadonlyArray<ObjectOf<R>>
  /** The ReplicaSets, Pods or ControllerRevisions of a namespace without a controller. */
  readonly orphans: <R extends AdoptableResource>(
    resource: R,
    namespace: string
  ) => ReadonlyArray<ObjectOf<R>>
  readonly pods: PodTallies
  readonly nodePods: NodePods
  readonly claimPods: ClaimPods
  readonly quotas: QuotaUsage
  readonly kinds: KindRegistry
  /** Calls back synchronously on every change, or every change of the given resources. Returns how to unsubscribe. */
  readonly subscribe: Subscribe<Change>
  /** Makes a group of subscribers that are called one after another, at the group's place in the order of all. */
  readonly makeSubscriberGroup: () => SubscriberGroup<Change>
  /** The latest resource version that reads show. */
  readonly version: () => number
  /** Changes after a version, oldest first; undefined if some of them have been dropped. */
  readonly since: (version: number) => ReadonlyArray<Change> | undefined
  /** The changes delivered to subscribers. They are ahead of `version` only where a fault makes reads stale. */
  readonly delivered: {
    readonly version: () => number
    readonly since: (version: number) => ReadonlyArray<Change> | undefined
  }
  /** Waits until this view holds a version, as the embedded store always does. */
  readonly waitForVersion: (resourceVersion: string) => Effect<void>
}

/**
 * The objects with indexes, which controllers read synchronously. A remote store keeps a copy that its watches update.
 */
export class ClusterView extends Context.Service<ClusterView, ClusterViewShape>()(
  "charthouse/store/ClusterView"
) {}

type AdoptableResource =
  | typeof resources.pods
  | typeof resources.replicaSets
  | typeof resources.controllerRevisions

export interface Dependent {
  readonly resource: GroupResource
  readonly object: KubeObject
}
