import type { Draft } from "../../meta/objects.ts"
import type { FieldErrors } from "../../validation/fieldErrors.ts"
import {
  validateAdmissionPolicy,
  validateMutatingPolicy,
  validateMutatingPolicyBinding,
  validatePolicyBinding
} from "./admissionregistration/validatePolicies.ts"
import {
  validateWebhookConfiguration,
  validateWebhookConfigurationUpdate
} from "./admissionregistration/validateWebhooks.ts"
import {
  validateControllerRevision,
  validateControllerRevisionUpdate
} from "./apps/validateControllerRevision.ts"
import { validateDaemonSet, validateDaemonSetUpdate } from "./apps/validateDaemonSet.ts"
import { validateStatefulSet, validateStatefulSetUpdate } from "./apps/validateStatefulSet.ts"
import { validateCronJob, validateCronJobUpdate } from "./batch/validateCronJob.ts"
import { validateJob } from "./batch/validateJob.ts"
import { validateJobUpdate } from "./batch/validateJobUpdate.ts"
import { validateApiService } from "./core/validateApiService.ts"
import {
  validateEndpoints,
  validateEndpointSlice,
  validateEndpointSliceUpdate
} from "./core/validateEndpoints.ts"
import {
  validateReplicationController,
  validatePodTemplateObject
} from "./core/validateReplicationController.ts"
import {
  validateLease,
  validateRuntimeClass,
  validateRuntimeClassUpdate
} from "./core/validateLeasesAndRuntimeClasses.ts"
import { validateFlowSchema, validatePriorityLevel } from "./flowcontrol/validateFlowSchema.ts"
import { validateIngress, validateIngressUpdate } from "./networking/validateIngress.ts"
import { validateIngressClass, validateIngressClassUpdate } from "./networking/validateIngressClass.ts"
import {
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrUpdate
} from "./networking/validateAddressKinds.ts"
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from "./networking/validateNetworkPolicy.ts"
import {
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateRoleBinding,
  validateRoleBindingUpdate
} from "./rbac/validateRoleBindings.ts"
import { validateClusterRole, validateRole } from "./rbac/validateRoles.ts"
import {
  validateClaimTemplate,
  validateDeviceClass,
  validateImmutableSpec,
  validateResourceClaim
} from "./resource/validateDeviceClaim.ts"
import { validateClaim, validateClaimUpdate } from "./storage/validateClaim.ts"
import {
  validateCsiDriver,
  validateCsiDriverUpdate,
  validateCsiNode,
  validateCsiNodeUpdate,
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate
} from "./storage/validateDrivers.ts"
import {
  validateStorageClass,
  validateStorageClassUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate
} from "./storage/validateStorageClass.ts"
import { validateStorageCapacity, validateStorageCapacityUpdate } from "./storage/validateStorageCapacity.ts"
import { validateVolume, validateVolumeUpdate } from "./storage/validateVolume.ts"
import { validateConfigMap, validateConfigMapUpdate } from "./validateConfigMapsAndSecrets.ts"

interface KindRules {
  readonly create: (object: Draft) => FieldErrors
  readonly update: (object: Draft, old: Draft) => FieldErrors
}

const sameForUpdate = (validate: KindRules["create"]): KindRules => ({ create: validate, update: validate })

const webhooks: KindRules = {
  create: validateWebhookConfiguration,
  update: validateWebhookConfigurationUpdate
}

/** By `group/Kind`. `admit.ts` has the kinds whose defaults are computed or whose status is validated. */
export const rulesByKind: Readonly<Record<string, KindRules>> = {
  "/Endpoints": sameForUpdate(validateEndpoints),
  "/ConfigMap": { create: validateConfigMap, update: validateConfigMapUpdate },
  "/PersistentVolume": { create: validateVolume, update: validateVolumeUpdate },
  "/PersistentVolumeClaim": { create: validateClaim, update: validateClaimUpdate },
  "/ReplicationController": sameForUpdate(validateReplicationController),
  "/PodTemplate": sameForUpdate(validatePodTemplateObject),
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": sameForUpdate(validateAdmissionPolicy),
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": sameForUpdate(validatePolicyBinding),
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": sameForUpdate(validateMutatingPolicy),
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": sameForUpdate(validateMutatingPolicyBinding),
  "apiregistration.k8s.io/APIService": sameForUpdate(validateApiService),
  "apps/StatefulSet": { create: validateStatefulSet, update: validateStatefulSetUpdate },
  "apps/DaemonSet": { create: validateDaemonSet, update: validateDaemonSetUpdate },
  "apps/ControllerRevision": {
    create: validateControllerRevision,
    update: validateControllerRevisionUpdate
  },
  "batch/Job": { create: validateJob, update: validateJobUpdate },
  "batch/CronJob": { create: validateCronJob, update: validateCronJobUpdate },
  "coordination.k8s.io/Lease": sameForUpdate(validateLease),
  "discovery.k8s.io/EndpointSlice": { create: validateEndpointSlice, update: validateEndpointSliceUpdate },
  "flowcontrol.apiserver.k8s.io/FlowSchema": sameForUpdate(validateFlowSchema),
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": sameForUpdate(validatePriorityLevel),
  "networking.k8s.io/Ingress": { create: validateIngress, update: validateIngressUpdate },
  "networking.k8s.io/IngressClass": { create: validateIngressClass, update: validateIngressClassUpdate },
  "networking.k8s.io/NetworkPolicy": { create: validateNetworkPolicy, update: validateNetworkPolicyUpdate },
  "networking.k8s.io/ServiceCIDR": { create: validateServiceCidr, update: validateServiceCidrUpdate },
  "networking.k8s.io/IPAddress": { create: validateIpAddress, update: validateIpAddressUpdate },
  "node.k8s.io/RuntimeClass": { create: validateRuntimeClass, update: validateRuntimeClassUpdate },
  "rbac.authorization.k8s.io/Role": sameForUpdate(validateRole),
  "rbac.authorization.k8s.io/ClusterRole": sameForUpdate(validateClusterRole),
  "rbac.authorization.k8s.io/RoleBinding": {
    create: validateRoleBinding,
    update: validateRoleBindingUpdate
  },
  "rbac.authorization.k8s.io/ClusterRoleBinding": {
    create: validateClusterRoleBinding,
    update: validateClusterRoleBindingUpdate
  },
  "resource.k8s.io/DeviceClass": sameForUpdate(validateDeviceClass),
  "resource.k8s.io/ResourceClaim": { create: validateResourceClaim, update: validateImmutableSpec },
  "resource.k8s.io/ResourceClaimTemplate": { create: validateClaimTemplate, update: validateImmutableSpec },
  "storage.k8s.io/StorageClass": { create: validateStorageClass, update: validateStorageClassUpdate },
  "storage.k8s.io/VolumeAttributesClass": {
    create: validateVolumeAttributesClass,
    update: validateVolumeAttributesClassUpdate
  },
  "storage.k8s.io/VolumeAttachment": {
    create: validateVolumeAttachment,
    update: validateVolumeAttachmentUpdate
  },
  "storage.k8s.io/CSIDriver": { create: validateCsiDriver, update: validateCsiDriverUpdate },
  "storage.k8s.io/CSINode": { create: validateCsiNode, update: validateCsiNodeUpdate },
  "storage.k8s.io/CSIStorageCapacity": {
    create: validateStorageCapacity,
    update: validateStorageCapacityUpdate
  }
}
