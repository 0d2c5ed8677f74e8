import {
  podOfTemplate,
  podSecurityRefusal
} from "../../kubernetes/admission/podSecurity/podSecurityPolicy.ts"
import { dequal } from "dequal/lite"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  validateCreate,
  validateStatusUpdate,
  validateUpdate,
  withDefaults
} from "../../kubernetes/admission/admit.ts"
import {
  withWrittenSubresource,
  validateSubresourceUpdate,
  withReportedResources
} from "../../kubernetes/admission/pods/podSubresources.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { placeInNamespace } from "../../kubernetes/admission/placeInNamespace.ts"
import { namespaceTerminatingCause } from "../../kubernetes/core/namespaceDeletion.ts"
import { exceededQuotaText } from "../../kubernetes/core/quotas.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { isEqualAsStored } from "../../kubernetes/meta/semanticEquality.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import { versionToCompare, updatedVersion, createdVersion } from "./fieldOwnership.ts"
import { attachTrackedWrites } from "../../kubernetes/apply/managedFields/trackedWrites.ts"
import type { VersionToStore } from "./fieldOwnership.ts"
import { priorityClassResource } from "../../kubernetes/pods/priorityClasses.ts"
import { isReadyForRemoval } from "./planDeletion.ts"
import { makeRuntimeClassAdmission } from "./runtimeClassAdmission.ts"
import { makeServiceAccountAndPriorityAdmission } from "./serviceAccountAndPriorityAdmission.ts"
import { prepareCreate, prepareStatus, prepareUpdate, withFirstStatus } from "./prepareObject.ts"
import { claimGrowthRefusal, withStorageDefaults } from "./storageAdmission.ts"
import { uidPreconditionText, invalidObject, objectNotFound, unknownKindError } from "../storeRefusals.ts"
import {
  AlreadyExists,
  BadRequest,
  Conflict,
  Forbidden,
  modifiedMeanwhile,
  NotFound
} from "../storeErrors.ts"
import type { Mutable } from "../../kubernetes/meta/fields.ts"
import type { FieldErrors } from "../../kubernetes/validation/fieldErrors.ts"
import type { FeatureGates } from "../../kubernetes/meta/featureGates.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { Draft, Key, KubeObject, Labels, Namespace, Pod } from "../../kubernetes/meta/objects.ts"
import type { NameGenerator } from "./nameGenerator.ts"
import type { KindIndex } from "../indexes/kindIndex.ts"
import type { PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { LimitRangeIndex } from "../indexes/limitRangeIndex.ts"
import type { QuotaIndex } from "../indexes/quotaIndex.ts"
import type { ServiceAddresses } from "../indexes/serviceAddresses.ts"
import type { StoreError } from "../storeErrors.ts"
import type {
  Change,
  ChangeOptions,
  ClusterView,
  CreateOptions,
  SingleObjectWrites,
  ObjectStore,
  StatusOptions
} from "../objectStore.ts"

/** As in Kubernetes: a create is refused after this many generated names that are taken. */
const nameAttemptsMax = 8

export interface WritableState extends Pick<ClusterView["Service"], "get" | "all" | "version"> {
  readonly tableOf: (resource: GroupResource) => Pick<ReadonlyMap<Key, KubeObject>, "get" | "size">
  readonly definitions: Pick<KindIndex, "kinds" | "establish">
  readonly limitRanges: Pick<LimitRangeIndex, "limitsOf">
  readonly quotas: Pick<QuotaIndex, "refusal">
  readonly addresses: Pick<ServiceAddresses, "complete" | "problems">
  readonly apply: (change: Change) => void
}

export interface WriteRules {
  readonly nowMillis: () => number
  /** The types of `spec.strategy` that a Deployment may have; by default those of Kubernetes. */
  readonly strategies?: ReadonlyArray<string>
  /** The defaults of release 1.36 by default. */
  readonly featureGates?: FeatureGates
  /** The most Pods in the cluster; unlimited by default. */
  readonly podsMax?: number
}

interface WriteMode extends StatusOptions, Pick<ChangeOptions, "subresource"> {
  readonly status: boolean
}

export interface ObjectWrites extends SingleObjectWrites, Pick<ObjectStore["Service"], "updateStatus"> {
  readonly commit: (resource: GroupResource, old: KubeObject, next: KubeObject) => KubeObject
  readonly remove: (resource: GroupResource, object: KubeObject) => KubeObject
  /** Writes nothing if nothing has changed; removes a terminating object without finalizers. */
  readonly writeIfChanged: (resource: GroupResource, old: KubeObject, next: KubeObject) => KubeObject
  readonly replace: (
    kind: Kind,
    old: KubeObject,
    draft: Draft,
    mode: WriteMode
  ) => Exit.Exit<KubeObject, StoreError>
}

export const makeObjectWrites = (
  state: WritableState,
  options: WriteRules & {
    readonly nameGeneratorOf: (resource: GroupResource, dryRun: boolean) => NameGenerator
  }
): ObjectWrites => {
  const { get, all, tableOf, definitions, limitRanges, quotas, addresses } = state
  const { kinds } = definitions
  const runtimeClasses = makeRuntimeClassAdmission(get)
  const accountAndPriority = makeServiceAccountAndPriorityAdmission(state)

  const storeVersion = (
    type: Change["type"],
    resource: GroupResource,
    { old, next, writes }: VersionToStore
  ): KubeObject => {
    const resourceVersion = state.version() + 1
    const object = unfrozen(next)
    object.metadata = withVersion(next.metadata, String(resourceVersion))
    deepFreeze(attachTrackedWrites(object, writes))
    state.apply({ type, resource, object, old, resourceVersion })
    return object
  }
  const commit: ObjectWrites["commit"] = (resource, old, next) =>
    storeVersion("MODIFIED", resource, updatedVersion(old, next))
  const remove: ObjectWrites["remove"] = (resource, object) =>
    storeVersion("DELETED", resource, updatedVersion(object, object))

  const writeIfChanged: ObjectWrites["writeIfChanged"] = (resource, old, next) =>
    storeVersionIfChanged(resource, updatedVersion(old, next))
  const storeVersionIfChanged = (
    resource: GroupResource,
    version: ReturnType<typeof updatedVersion>,
    oldToCompare = version.old
  ): KubeObject => {
    const { old, next } = version
    // An empty list equals a missing one in a built-in kind, while a custom resource stores it.
    const isSame = kinds.findByResource(resource)?.custom === undefined ? isEqualAsStored : dequal
    if (isSame(oldToCompare, next)) return old
    return isReadyForRemoval(next) ? remove(resource, old) : storeVersion("MODIFIED", resource, version)
  }

  const create = (sentDraft: Draft, mode: CreateOptions = {}): Effect.Effect<KubeObject, StoreError> =>
    Effect.suspend(() => {
      const { dryRun = false, user } = mode
      const kind = kinds.findStored(sentDraft)
      if (kind === undefined) return Effect.fail(unknownKindError(sentDraft))
      const draft = placeInNamespace(kind, sentDraft)
      const resource = groupResourceOf(kind)
      const { nameFor, uid } = options.nameGeneratorOf(resource, dryRun)
      const { generateName, namespace, resourceVersion } = draft.metadata
      if (resourceVersion !== undefined && resourceVersion !== "") {
        return Effect.fail(
          new BadRequest({ why: "resourceVersion should not be set on objects to be created" })
        )
      }
      const admissionRefusal = kind.namespaced
        ? (refuseByNamespace(resource, draft) ?? refuseByAdmission(resource, draft))
        : undefined
      if (admissionRefusal !== undefined) return Effect.fail(admissionRefusal)
      const storedObject = (name: string): KubeObject | undefined =>
        tableOf(resource).get(toObjectKey(namespace, name))
      let name = draft.metadata.name ?? ""
      // A create with a generateName counts as one of a generated name, even if it has a name.
      const isGenerated = generateName !== undefined && generateName !== ""
      const needsName = name === "" && isGenerated
      for (let attempt = 0; needsName && attempt < nameAttemptsMax; attempt += 1) {
        name = nameFor(generateName)
        if (storedObject(name) === undefined) break
      }
      const limitRefusal = refuseByPodLimit(resource, name)
      if (limitRefusal !== undefined) return Effect.fail(limitRefusal)
      const prepared = prepareCreate({
        kind,
        draft,
        name,
        uid: uid(),
        nowMillis: options.nowMillis(),
        user
      })
      const isPod = resource === resources.pods
      const limits = isPod ? limitRanges.limitsOf(namespace) : undefined
      const admissible = isPod
        ? runtimeClasses.withRuntimeClass(accountAndPriority.withPriority(prepared))
        : withStorageDefaults(resource, prepared, all)
      const defaulted = addresses.complete(withDefaults(kind, admissible))
      const limited = limits === undefined ? defaulted : limits.fillDefaults(defaulted)
      const object = withFirstStatus(resource, limited as KubeObject, options.nowMillis())
      const errors = firstErrors(addresses.problems(object), () =>
        validateCreate(kind, object, options.strategies)
      )
      if (errors.length > 0) return Effect.fail(invalidObject(kind, name, errors))
      const why =
        limits?.violation((object as Pod).spec) ??
        (isPod ? podSecurityRefusal(labelsOfNamespace(namespace), podOfTemplate(object)) : undefined) ??
        refusalByOtherObjects(resource, object) ??
        quotas.refusal(resource, object)
      if (why !== undefined) return Effect.fail(new Forbidden({ resource, resourceName: name, why }))
      const present = storedObject(name)
      if (present !== undefined) {
        return Effect.fail(
          new AlreadyExists({
            resource,
            resourceName: name,
            terminating: isTerminating(present),
            isGenerated
          })
        )
      }
      const nowMillis = options.nowMillis()
      const admitted = definitions.establish(resource, object, nowMillis)
      if (dryRun) return Effect.succeed(deepFreeze(admitted))
      const version = createdVersion(admitted, { mode, kind, resource, draft, nowMillis })
      return Effect.succeed(storeVersion("ADDED", resource, version))
    })

  const labelsOfNamespace = (name = ""): Labels | undefined =>
    (get(resources.namespaces, name) as Namespace | undefined)?.metadata.labels

  const refuseByPodLimit = (resource: GroupResource, name: string): StoreError | undefined => {
    const { podsMax } = options
    if (resource !== resources.pods || podsMax === undefined || tableOf(resource).size < podsMax)
      return undefined
    const podsLimit = `pods=${podsMax}`
    const why = exceededQuotaText("cluster", { requested: "pods=1", used: podsLimit, limited: podsLimit })
    return new Forbidden({ resource, resourceName: name, why })
  }

  const refuseByAdmission = (resource: GroupResource, draft: Draft): StoreError | undefined => {
    const why =
      resource === resources.pods
        ? (accountAndPriority.refusal(draft) ?? runtimeClasses.refusal(draft))
        : undefined
    if (why === undefined) return undefined
    const { name, generateName = "" } = draft.metadata
    return new Forbidden({ resource, resourceName: name || generateName, why })
  }

  const refusalByOtherObjects = (
    resource: GroupResource,
    next: KubeObject,
    old?: KubeObject
  ): string | undefined => {
    if (resource === priorityClassResource) return accountAndPriority.defaultClassRefusal(next, old)
    if (resource !== resources.persistentVolumeClaims) return undefined
    const { resources: amounts } = (next as PersistentVolumeClaim).spec
    // With limits, a claim that is being deleted could not lose its finalizers.
    const limits =
      old !== undefined && isTerminating(old) ? undefined : limitRanges.limitsOf(next.metadata.namespace)
    return (
      limits?.claimViolation(amounts?.requests ?? {}) ??
      (old === undefined ? undefined : claimGrowthRefusal(next, old, get))
    )
  }

  const refuseByNamespace = (resource: GroupResource, draft: Draft): StoreError | undefined => {
    const name = draft.metadata.namespace ?? ""
    const namespace: Namespace | undefined = get(resources.namespaces, name)
    if (namespace === undefined) return new NotFound({ resource: resources.namespaces, resourceName: name })
    if (namespace.status.phase !== "Terminating" && !isTerminating(namespace)) return undefined
    return new Forbidden({
      resource,
      resourceName: draft.metadata.name ?? draft.metadata.generateName ?? "",
      why: `unable to create new content in namespace ${name} because it is being terminated`,
      cause: namespaceTerminatingCause
    })
  }

  const write = (sentDraft: Draft, mode: WriteMode): Effect.Effect<KubeObject, StoreError> =>
    Effect.suspend(() => {
      const kind = kinds.findStored(sentDraft)
      if (kind === undefined) return Effect.fail(unknownKindError(sentDraft))
      const draft = placeInNamespace(kind, sentDraft)
      const resource = groupResourceOf(kind)
      const name = draft.metadata.name ?? ""
      const { namespace, uid, resourceVersion } = draft.metadata
      const old = tableOf(resource).get(toObjectKey(namespace, name))
      if (old === undefined) return Effect.fail(new NotFound({ resource, resourceName: name }))
      if (uid !== undefined && uid !== old.metadata.uid) {
        const why = uidPreconditionText(kind, old, uid)
        return Effect.fail(new Conflict({ resource, resourceName: name, why, isUidMismatch: true }))
      }
      if (resourceVersion && resourceVersion !== "0" && resourceVersion !== old.metadata.resourceVersion) {
        return Effect.fail(new Conflict({ resource, resourceName: name, why: modifiedMeanwhile }))
      }
      return replace(kind, old, draft, mode)
    })

  const replace = (
    kind: Kind,
    old: KubeObject,
    sentDraft: Draft,
    mode: WriteMode
  ): Exit.Exit<KubeObject, StoreError> => {
    const { status, subresource, isApproval = false, dryRun = false } = mode
    const nowMillis = options.nowMillis()
    const draft = placeInNamespace(kind, sentDraft, old.metadata.namespace)
    const next = status
      ? prepareStatus(kind, old, draft, { nowMillis, isApproval, gates: options.featureGates })
      : prepareUpdate(
          kind,
          withReportedResources(subresource, old),
          addresses.complete(withWrittenSubresource(subresource, withDefaults(kind, draft), old), old)
        )
    const errors = status
      ? validateStatusUpdate(kind, next, old, isApproval)
      : subresource === undefined
        ? firstErrors(addresses.problems(next, old), () =>
            validateUpdate(kind, next, old, options.strategies)
          )
        : validateSubresourceUpdate(subresource, next, old)
    if (errors.length > 0) return Exit.fail(invalidObject(kind, old.metadata.name, errors))
    const resource = groupResourceOf(kind)
    const why = status
      ? undefined
      : (refusalByOtherObjects(resource, next, old) ?? quotas.refusal(resource, next, old))
    if (why !== undefined) return Exit.fail(new Forbidden({ resource, resourceName: old.metadata.name, why }))
    const admitted = definitions.establish(resource, next, nowMillis)
    const oldToCompare = versionToCompare(old, mode)
    if (dryRun) return Exit.succeed(isEqualAsStored(oldToCompare, admitted) ? old : deepFreeze(admitted))
    const version = updatedVersion(old, admitted, { mode, kind, nowMillis })
    return Exit.succeed(storeVersionIfChanged(resource, version, oldToCompare))
  }

  return {
    kinds,
    get: (ref) =>
      Effect.suspend(() => {
        const object = get(ref.resource, ref.key)
        return object === undefined ? Effect.fail(objectNotFound(ref)) : Effect.succeed(object)
      }),
    create,
    update: (draft, updateOptions) => write(draft, { ...updateOptions, status: false }),
    updateStatus: (draft, statusOptions) => write(draft, { ...statusOptions, status: true }),
    commit,
    remove,
    writeIfChanged,
    replace
  }
}

/** Copies only frozen objects: copying objects of many shapes takes long. */
const unfrozen = <A extends object>(value: A): Mutable<A> => (Object.isFrozen(value) ? { ...value } : value)

const withVersion = (metadata: KubeObject["metadata"], resourceVersion: string): KubeObject["metadata"] => {
  const written = unfrozen(metadata)
  written.resourceVersion = resourceVersion
  return written
}

const firstErrors = (errors: FieldErrors, otherErrors: () => FieldErrors): FieldErrors =>
  errors.length > 0 ? errors : otherErrors()
