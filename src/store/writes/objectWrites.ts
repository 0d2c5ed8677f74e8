import { dequal } from "dequal/lite"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { validateStatusUpdate, validateUpdate, withDefaults } from "../../kubernetes/admission/admit.ts"
import {
  withWrittenSubresource,
  validateSubresourceUpdate,
  withReportedResources
} from "../../kubernetes/admission/pods/podSubresources.ts"
import { groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { placeInNamespace } from "../../kubernetes/admission/placeInNamespace.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { isEqualAsStored } from "../../kubernetes/meta/semanticEquality.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import { versionToCompare, updatedVersion, createdVersion } from "./fieldOwnership.ts"
import { attachTrackedWrites } from "../../kubernetes/apply/managedFields/trackedWrites.ts"
import type { VersionToStore } from "./fieldOwnership.ts"
import { isReadyForRemoval } from "./planDeletion.ts"
import { firstErrors, makeObjectAdmission } from "./objectAdmission.ts"
import { prepareCreate, prepareStatus, prepareUpdate } from "./prepareObject.ts"
import {
  uidPreconditionText,
  invalidObject,
  objectNotFound,
  staleVersionError,
  unknownKindError
} from "../storeRefusals.ts"
import { AlreadyExists, Conflict, Forbidden, NotFound } from "../storeErrors.ts"
import type { Mutable } from "../../kubernetes/meta/fields.ts"
import type { FeatureGates } from "../../kubernetes/meta/featureGates.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { AdmissionRules, AdmissionState } from "./objectAdmission.ts"
import type { NameGenerator } from "./nameGenerator.ts"
import type { KindIndex } from "../indexes/kindIndex.ts"
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

export interface WritableState extends AdmissionState, Pick<ClusterView["Service"], "version"> {
  readonly definitions: Pick<KindIndex, "kinds" | "establish">
  readonly apply: (change: Change) => void
}

export interface WriteRules extends AdmissionRules {
  /** The defaults of release 1.36 by default. */
  readonly featureGates?: FeatureGates
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
    writeOptions: WriteMode
  ) => Exit.Exit<KubeObject, StoreError>
}

export const makeObjectWrites = (
  state: WritableState,
  options: WriteRules & {
    readonly nameGeneratorOf: (resource: GroupResource, dryRun: boolean) => NameGenerator
  }
): ObjectWrites => {
  const { get, tableOf, definitions, addresses } = state
  const { kinds } = definitions
  const admission = makeObjectAdmission(state, options)

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

  const create = (
    sentDraft: Draft,
    writeOptions: CreateOptions = {}
  ): Effect.Effect<KubeObject, StoreError> =>
    Effect.suspend(() => {
      const { dryRun = false, user } = writeOptions
      const kind = kinds.findStored(sentDraft)
      if (kind === undefined) return Effect.fail(unknownKindError(sentDraft))
      const draft = placeInNamespace(kind, sentDraft)
      const resource = groupResourceOf(kind)
      const { nameFor, uid } = options.nameGeneratorOf(resource, dryRun)
      const draftRefusal = admission.refuseDraft(kind, draft)
      if (draftRefusal !== undefined) return Effect.fail(draftRefusal)
      const name = nameToCreate(resource, draft, nameFor)
      const limitRefusal = admission.refuseByPodLimit(resource, name)
      if (limitRefusal !== undefined) return Effect.fail(limitRefusal)
      const prepared = prepareCreate({
        kind,
        draft,
        name,
        uid: uid(),
        nowMillis: options.nowMillis(),
        user
      })
      const limits = admission.podLimitsOf(resource, draft.metadata.namespace)
      const object = admission.complete(kind, prepared, limits)
      const refusal = admission.refuseCreate(kind, object, limits) ?? refuseIfPresent(resource, draft, name)
      if (refusal !== undefined) return Effect.fail(refusal)
      const nowMillis = options.nowMillis()
      const admitted = definitions.establish(resource, object, nowMillis)
      if (dryRun) return Effect.succeed(deepFreeze(admitted))
      const version = createdVersion(admitted, { writeOptions, kind, resource, draft, nowMillis })
      return Effect.succeed(storeVersion("ADDED", resource, version))
    })

  const nameToCreate = (
    resource: GroupResource,
    { metadata }: Draft,
    nameFor: NameGenerator["nameFor"]
  ): string => {
    const { namespace, generateName = "" } = metadata
    let name = metadata.name ?? ""
    if (name !== "" || generateName === "") return name
    for (let attempt = 0; attempt < nameAttemptsMax; attempt += 1) {
      name = nameFor(generateName)
      if (tableOf(resource).get(toObjectKey(namespace, name)) === undefined) break
    }
    return name
  }

  const refuseIfPresent = (
    resource: GroupResource,
    { metadata: { namespace, generateName = "" } }: Draft,
    name: string
  ): StoreError | undefined => {
    const present = tableOf(resource).get(toObjectKey(namespace, name))
    if (present === undefined) return undefined
    return new AlreadyExists({
      resource,
      resourceName: name,
      terminating: isTerminating(present),
      // A create with a generateName counts as one of a generated name, even if it has a name.
      isGenerated: generateName !== ""
    })
  }

  const write = (sentDraft: Draft, writeOptions: WriteMode): Effect.Effect<KubeObject, StoreError> =>
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
        return Effect.fail(staleVersionError(kind, name, resourceVersion))
      }
      return replace(kind, old, draft, writeOptions)
    })

  const replace = (
    kind: Kind,
    old: KubeObject,
    sentDraft: Draft,
    writeOptions: WriteMode
  ): Exit.Exit<KubeObject, StoreError> => {
    const { status, subresource, isApproval = false, dryRun = false } = writeOptions
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
    const why = status ? undefined : admission.refusalByOtherObjects(resource, next, old)
    if (why !== undefined) return Exit.fail(new Forbidden({ resource, resourceName: old.metadata.name, why }))
    const admitted = definitions.establish(resource, next, nowMillis)
    const oldToCompare = versionToCompare(old, writeOptions)
    if (dryRun) return Exit.succeed(isEqualAsStored(oldToCompare, admitted) ? old : deepFreeze(admitted))
    const version = updatedVersion(old, admitted, { writeOptions, kind, nowMillis })
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
