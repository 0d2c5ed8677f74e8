import { customResourceAdmission } from "../customResources/customResourceAdmission.ts"
import { defaultDefinition } from "../customResources/definitions.ts"
import { validateDefinition, validateDefinitionUpdate } from "../customResources/validateDefinition.ts"
import type { Kind } from "../meta/kinds.ts"
import type { Draft } from "../meta/objects.ts"
import { validateAutoscaler, validateAutoscalerUpdate } from "./kinds/autoscaling/validateAutoscaler.ts"
import {
  validateCertificateRequest,
  validateCertificateRequestStatus
} from "./kinds/validateCertificateRequest.ts"
import {
  validateNamespace,
  validateNamespaceStatus,
  validateNamespaceUpdate,
  validateNode,
  validateNodeUpdate
} from "./kinds/validateNamespacesAndNodes.ts"
import {
  defaultAutoscaler,
  defaultDeployment,
  defaultNamespace,
  defaultNode,
  defaultPod,
  defaultPriorityClass,
  defaultReplicaSet,
  defaultSecret
} from "./defaults/kindDefaults.ts"
import { compiledDefaultsOf } from "./defaults/defaultsByKind.ts"
import { validateDeployment, validateDeploymentUpdate } from "./kinds/validateDeployment.ts"
import { validateDisruptionBudget, validateDisruptionBudgetStatus } from "./kinds/validateDisruptionBudget.ts"
import { concatLists, noErrors, type FieldErrors } from "../validation/fieldErrors.ts"
import { validateEvent } from "./kinds/core/validateEvent.ts"
import { validateSecret, validateSecretUpdate } from "./kinds/validateConfigMapsAndSecrets.ts"
import { defaultLimitRange, validateLimitRange } from "./kinds/validateLimitRange.ts"
import { validateMetadata, validateMetadataUpdate } from "../validation/validateMetadata.ts"
import { validatePod, validatePodUpdate } from "./pods/validatePod.ts"
import { validatePriorityClass, validatePriorityClassUpdate } from "./kinds/validatePriorityClass.ts"
import { validateReplicaSet, validateReplicaSetUpdate } from "./kinds/validateReplicaSet.ts"
import { rulesByKind } from "./kinds/rulesByKind.ts"
import { validateResourceQuota, validateResourceQuotaUpdate } from "./kinds/validateResourceQuota.ts"
import { defaultService, validateService, validateServiceUpdate } from "./kinds/validateService.ts"
import {
  validateDeploymentStatus,
  validatePodStatus,
  validateReplicaSetStatus
} from "./kinds/validateStatuses.ts"

export { qosClassOf } from "./pods/qosClass.ts"
export { createWarnings, deprecationWarningOf, podSecurityWarnings, updateWarnings } from "./warnings.ts"

/**
 * `strategies`: the allowed types of a Deployment's strategy. `isApproval`: whether the write is to
 * the `approval` subresource.
 */
interface Admission {
  readonly defaults: (object: Draft) => Draft
  readonly create: (object: Draft, strategies?: ReadonlyArray<string>) => FieldErrors
  readonly update: (object: Draft, old: Draft, strategies?: ReadonlyArray<string>) => FieldErrors
  readonly status: (object: Draft, old: Draft, isApproval: boolean) => FieldErrors
}

const unchanged = (object: Draft): Draft => object
const noRules = (): FieldErrors => noErrors

const withoutRules: Admission = { defaults: unchanged, create: noRules, update: noRules, status: noRules }

const withSpec = (object: Draft): Draft => ("spec" in object ? object : ({ ...object, spec: {} } as Draft))

const withInvolvedObject = (event: Draft): Draft =>
  "involvedObject" in event ? event : ({ ...event, involvedObject: {} } as Draft)

/** Kinds whose defaults are functions, or whose status has rules; others are in `defaultsByKind` and `rulesByKind`. */
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
    update: validateNamespaceUpdate,
    status: validateNamespaceStatus
  },
  "/Node": { ...withoutRules, defaults: defaultNode, create: validateNode, update: validateNodeUpdate },
  "/ResourceQuota": {
    ...withoutRules,
    defaults: withSpec,
    create: validateResourceQuota,
    update: validateResourceQuotaUpdate
  },
  "/LimitRange": {
    ...withoutRules,
    defaults: defaultLimitRange,
    create: validateLimitRange,
    update: validateLimitRange
  },
  "/Service": {
    ...withoutRules,
    defaults: defaultService,
    create: validateService,
    update: validateServiceUpdate
  },
  "policy/PodDisruptionBudget": {
    ...withoutRules,
    defaults: withSpec,
    create: validateDisruptionBudget,
    update: validateDisruptionBudget,
    status: validateDisruptionBudgetStatus
  },
  "/Secret": {
    ...withoutRules,
    defaults: defaultSecret,
    create: validateSecret,
    update: validateSecretUpdate
  },
  "autoscaling/HorizontalPodAutoscaler": {
    ...withoutRules,
    defaults: defaultAutoscaler,
    create: validateAutoscaler,
    update: validateAutoscalerUpdate
  },
  "scheduling.k8s.io/PriorityClass": {
    ...withoutRules,
    defaults: defaultPriorityClass,
    create: validatePriorityClass,
    update: validatePriorityClassUpdate
  },
  "certificates.k8s.io/CertificateSigningRequest": {
    ...withoutRules,
    defaults: withSpec,
    create: validateCertificateRequest,
    status: validateCertificateRequestStatus
  },
  "/Event": { ...withoutRules, defaults: withInvolvedObject, create: validateEvent, update: validateEvent },
  "apiextensions.k8s.io/CustomResourceDefinition": {
    ...withoutRules,
    defaults: defaultDefinition,
    create: validateDefinition,
    update: validateDefinitionUpdate
  }
}

const admissionByKindCache = new WeakMap<Kind, Admission>()

const admissionOf = (kind: Kind): Admission => {
  const cached = admissionByKindCache.get(kind)
  if (cached !== undefined) return cached
  const { group, kind: name, custom } = kind
  const admission =
    custom === undefined ? builtInAdmission(`${group}/${name}`) : customResourceAdmission(custom)
  admissionByKindCache.set(kind, admission)
  return admission
}

const builtInAdmission = (groupKind: string): Admission => {
  const admission = { ...(admissionByKind[groupKind] ?? withoutRules), ...rulesByKind[groupKind] }
  const fillFromTable = compiledDefaultsOf(groupKind)
  if (fillFromTable === undefined) return admission
  return { ...admission, defaults: (object) => fillFromTable(admission.defaults(object)) }
}

const writeTypes = ["create", "update", "status"] as const

/** Writes with rules beyond those of metadata. */
export const validatedWritesOf = (kind: Kind): ReadonlyArray<(typeof writeTypes)[number]> =>
  writeTypes.filter((write) => admissionOf(kind)[write] !== noRules)

export const withDefaults = (kind: Kind, object: Draft): Draft => admissionOf(kind).defaults(object)

/** `strategies`: the allowed types of a Deployment's strategy, by default those of Kubernetes. */
export const validateCreate = (kind: Kind, object: Draft, strategies?: ReadonlyArray<string>): FieldErrors =>
  concatLists(validateMetadata(kind, object.metadata), admissionOf(kind).create(object, strategies))

export const validateUpdate = (
  kind: Kind,
  object: Draft,
  old: Draft,
  strategies?: ReadonlyArray<string>
): FieldErrors =>
  concatLists(
    validateMetadataUpdate(kind, object.metadata, old.metadata),
    admissionOf(kind).update(object, old, strategies)
  )

export const validateStatusUpdate = (
  kind: Kind,
  object: Draft,
  old: Draft,
  isApproval = false
): FieldErrors =>
  concatLists(
    validateMetadataUpdate(kind, object.metadata, old.metadata),
    admissionOf(kind).status(object, old, isApproval)
  )
