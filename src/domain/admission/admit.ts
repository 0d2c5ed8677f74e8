import type { Kind } from "../kinds.ts"
import type { Draft } from "../objects.ts"
import { validateNamespace, validateNamespaceStatus, validateNode } from "./clusterKinds.ts"
import {
  defaultDeployment,
  defaultNamespace,
  defaultNode,
  defaultPod,
  defaultReplicaSet
} from "./defaults.ts"
import { validateDeployment, validateDeploymentUpdate } from "./deployment.ts"
import { noErrors, type FieldErrors } from "./fieldErrors.ts"
import { validateMetadata, validateMetadataUpdate } from "./metadata.ts"
import { validatePod, validatePodUpdate } from "./pod.ts"
import { validateReplicaSet, validateReplicaSetUpdate } from "./replicaSet.ts"
import { validateDeploymentStatus, validatePodStatus, validateReplicaSetStatus } from "./statuses.ts"

export { qosClassOf } from "./qosClass.ts"
export { createWarnings } from "./warnings.ts"

/**
 * The door of the store: what is filled into an object on its way in, and what keeps it out.
 *
 * Expected flow of a create: decode, fill in the namespace, default, validate, generate the name, store. Of
 * an update: decode, copy what clients may leave out, default, validate against the stored object, store.
 */
interface Admission {
  readonly defaults: (object: Draft) => Draft
  readonly create: (object: Draft, strategies?: ReadonlyArray<string>) => FieldErrors
  readonly update: (object: Draft, old: Draft, strategies?: ReadonlyArray<string>) => FieldErrors
  readonly status: (object: Draft, old: Draft) => FieldErrors
}

const asItIs = (object: Draft): Draft => object
const anything = (): FieldErrors => noErrors

/** A kind that controllers do not act upon is kept as it is written. */
const plain: Admission = { defaults: asItIs, create: anything, update: anything, status: anything }

const admissionByKind: Readonly<Record<string, Admission>> = {
  "apps/Deployment": {
    defaults: defaultDeployment,
    create: validateDeployment,
    update: validateDeploymentUpdate,
    status: validateDeploymentStatus
  },
  "apps/ReplicaSet": {
    defaults: defaultReplicaSet,
    create: validateReplicaSet,
    update: validateReplicaSetUpdate,
    status: validateReplicaSetStatus
  },
  "/Pod": { defaults: defaultPod, create: validatePod, update: validatePodUpdate, status: validatePodStatus },
  "/Namespace": {
    defaults: defaultNamespace,
    create: validateNamespace,
    update: validateNamespace,
    status: validateNamespaceStatus
  },
  "/Node": { ...plain, defaults: defaultNode, create: validateNode, update: validateNode }
}

const admissions = new WeakMap<Kind, Admission>()

const admissionOf = (kind: Kind): Admission => {
  const known = admissions.get(kind)
  if (known !== undefined) return known
  const found = admissionByKind[`${kind.group}/${kind.kind}`] ?? plain
  admissions.set(kind, found)
  return found
}

/** The object with every default filled in; the very same object where nothing was missing. */
export const withDefaults = (kind: Kind, object: Draft): Draft => admissionOf(kind).defaults(object)

/**
 * Why the object cannot be created; nothing where it can. Defaults are filled in before. `strategies` are the types of
 * strategy a Deployment may ask for, upstream's two where it is left out.
 */
export const validateCreate = (kind: Kind, object: Draft, strategies?: ReadonlyArray<string>): FieldErrors =>
  both(validateMetadata(kind, object.metadata), admissionOf(kind).create(object, strategies))

/** Why the object cannot take the place of the stored one. */
export const validateUpdate = (
  kind: Kind,
  object: Draft,
  old: Draft,
  strategies?: ReadonlyArray<string>
): FieldErrors =>
  both(
    validateMetadataUpdate(object.metadata, old.metadata),
    admissionOf(kind).update(object, old, strategies)
  )

/** Why the object's status cannot be reported; its spec is the stored one. */
export const validateStatusUpdate = (kind: Kind, object: Draft, old: Draft): FieldErrors =>
  both(validateMetadataUpdate(object.metadata, old.metadata), admissionOf(kind).status(object, old))

const both = (first: FieldErrors, second: FieldErrors): FieldErrors =>
  first.length === 0 ? second : second.length === 0 ? first : [...first, ...second]
