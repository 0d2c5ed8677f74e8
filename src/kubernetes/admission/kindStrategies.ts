import { fieldsOrEmpty, type Fields } from "../meta/fields.ts"
import { resources, type GroupResource } from "../meta/kinds.ts"
import { isFieldSemanticallyEqual, isSemanticallyEqual } from "../meta/semanticEquality.ts"
import type { Draft, KubeObject } from "../meta/objects.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"
import { localApiServiceStatus } from "../core/localApiServices.ts"
import { customResourceDefinitionResource } from "../customResources/definitions.ts"
import { uncountedDisruptionStatus } from "../policy/disruptionBudgets.ts"
import {
  withBothDataSources,
  withTemplateGeneration,
  withGeneratedSelector,
  withoutGatedDeviceFields,
  withoutGatedDriverFields,
  withoutGatedMaxUnavailable
} from "./createdFields.ts"

/** Source: PrepareForCreate and PrepareForUpdate in the strategy.go files of pkg/registry. */
export interface KindStrategy {
  /** Whether only the subresource `status` writes the status. */
  readonly hasStatusSubresource?: boolean
  /** Default: an empty status, for a kind with a subresource `status`. */
  readonly firstStatus?: (object: object, nowMillis: number) => object
  /**
   * The fields that raise `metadata.generation`; with an empty list it stays 1. Default: the object has
   * no generation.
   */
  readonly generationFields?: ReadonlyArray<string>
  readonly annotationsRaiseGeneration?: boolean
  readonly labelsRaiseGeneration?: boolean
  /** Whether a write of the status keeps the stored labels, annotations and owners. */
  readonly statusKeepsMetadata?: boolean
  readonly onCreate?: <O extends object>(object: O) => O
  readonly onUpdate?: <O extends object>(object: O, old: object) => O
  readonly onStatus?: <O extends object>(object: O, old: object, nowMillis: number) => O
}

const spec: ReadonlyArray<string> = ["spec"]
const statusSubresource: KindStrategy = { hasStatusSubresource: true }
const specAndStatus: KindStrategy = { hasStatusSubresource: true, generationFields: spec }
const specOnly: KindStrategy = { generationFields: spec }

const initialStatus = (status: object): Pick<KindStrategy, "firstStatus"> => ({ firstStatus: () => status })

/** The API server itself serves an APIService that names no Service. */
const apiServiceStatus = (service: object, nowMillis: number): object =>
  specOf(service)["service"] === undefined ? localApiServiceStatus(timestampOf(nowMillis)) : {}

const volumeStatus = (_volume: object, nowMillis: number): object => ({
  phase: "Pending",
  lastPhaseTransitionTime: timestampOf(nowMillis)
})

/** Sets `lastPhaseTransitionTime` when the phase changes, unless the client sets the field. */
const withPhaseTransitionTime = <O extends object>(volume: O, old: object, nowMillis: number): O => {
  const [status, before] = [statusOf(volume), statusOf(old)]
  const field = "lastPhaseTransitionTime"
  if (status["phase"] === before["phase"]) return volume
  if (status[field] !== undefined && status[field] !== before[field]) return volume
  return { ...volume, status: { ...status, [field]: timestampOf(nowMillis) } }
}

const specOf = (object: object): Fields => fieldsOrEmpty((object as { readonly spec?: unknown }).spec)
const statusOf = (object: object): Fields => fieldsOrEmpty((object as { readonly status?: unknown }).status)

const strategies: Readonly<Record<GroupResource, KindStrategy>> = {
  [resources.deployments]: { ...specAndStatus, annotationsRaiseGeneration: true },
  [resources.replicaSets]: { ...specAndStatus, ...initialStatus({ replicas: 0 }) },
  // The first status of Pods and Namespaces is part of their creation.
  [resources.pods]: specAndStatus,
  [resources.namespaces]: statusSubresource,
  [resources.nodes]: { ...statusSubresource, firstStatus: statusOf },
  [resources.services]: { ...statusSubresource, ...initialStatus({ loadBalancer: {} }) },
  [resources.resourceQuotas]: statusSubresource,
  [resources.disruptionBudgets]: { ...specAndStatus, ...initialStatus(uncountedDisruptionStatus) },
  [resources.certificateRequests]: statusSubresource,
  [customResourceDefinitionResource]: specAndStatus,
  [resources.persistentVolumeClaims]: {
    ...statusSubresource,
    ...initialStatus({ phase: "Pending" }),
    onCreate: withBothDataSources
  },
  [resources.persistentVolumes]: {
    ...statusSubresource,
    firstStatus: volumeStatus,
    onStatus: withPhaseTransitionTime
  },
  podtemplates: { generationFields: ["template"] },
  replicationcontrollers: { ...specAndStatus, ...initialStatus({ replicas: 0 }) },
  "daemonsets.apps": {
    ...specAndStatus,
    ...initialStatus({
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0
    }),
    onCreate: (daemonSet) => withTemplateGeneration(daemonSet),
    onUpdate: withTemplateGeneration
  },
  "statefulsets.apps": {
    ...specAndStatus,
    ...initialStatus({ replicas: 0, availableReplicas: 0 }),
    onCreate: (statefulSet) => withoutGatedMaxUnavailable(statefulSet),
    onUpdate: withoutGatedMaxUnavailable
  },
  "jobs.batch": { ...specAndStatus, onCreate: withGeneratedSelector },
  "cronjobs.batch": specAndStatus,
  "horizontalpodautoscalers.autoscaling": { ...statusSubresource, ...initialStatus({ desiredReplicas: 0 }) },
  "ingresses.networking.k8s.io": { ...specAndStatus, ...initialStatus({ loadBalancer: {} }) },
  "ingressclasses.networking.k8s.io": specOnly,
  "networkpolicies.networking.k8s.io": specOnly,
  "priorityclasses.scheduling.k8s.io": { generationFields: [] },
  [resources.endpointSlices]: {
    generationFields: ["addressType", "endpoints", "ports"],
    labelsRaiseGeneration: true
  },
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": { generationFields: ["webhooks"] },
  "validatingwebhookconfigurations.admissionregistration.k8s.io": { generationFields: ["webhooks"] },
  "mutatingadmissionpolicies.admissionregistration.k8s.io": specOnly,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": specOnly,
  "validatingadmissionpolicies.admissionregistration.k8s.io": {
    ...specAndStatus,
    statusKeepsMetadata: true
  },
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": specOnly,
  "apiservices.apiregistration.k8s.io": {
    ...statusSubresource,
    firstStatus: apiServiceStatus,
    statusKeepsMetadata: true
  },
  "flowschemas.flowcontrol.apiserver.k8s.io": { ...specAndStatus, statusKeepsMetadata: true },
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": { ...specAndStatus, statusKeepsMetadata: true },
  "servicecidrs.networking.k8s.io": { statusKeepsMetadata: true },
  "csidrivers.storage.k8s.io": {
    ...specOnly,
    onCreate: withoutGatedDriverFields,
    onUpdate: withoutGatedDriverFields
  },
  "volumeattachments.storage.k8s.io": {
    ...statusSubresource,
    ...initialStatus({ attached: false }),
    statusKeepsMetadata: true
  },
  "deviceclasses.resource.k8s.io": specOnly,
  "resourceclaims.resource.k8s.io": { ...statusSubresource, statusKeepsMetadata: true },
  "resourceslices.resource.k8s.io": {
    ...specOnly,
    onCreate: withoutGatedDeviceFields,
    onUpdate: withoutGatedDeviceFields
  }
}

const plainStrategy: KindStrategy = {}

const strategyTable = new Map(Object.entries(strategies))

export const strategyOf = (resource: GroupResource): KindStrategy =>
  strategyTable.get(resource) ?? plainStrategy

export const nextGeneration = (
  { generationFields = [], annotationsRaiseGeneration = false, labelsRaiseGeneration = false }: KindStrategy,
  old: KubeObject,
  next: Draft
): number => {
  const isChanged =
    generationFields.some((field) => !isSemanticallyEqual(fieldOf(old, field), fieldOf(next, field))) ||
    (annotationsRaiseGeneration &&
      !isFieldSemanticallyEqual("annotations", old.metadata.annotations, next.metadata.annotations)) ||
    (labelsRaiseGeneration && !isFieldSemanticallyEqual("labels", old.metadata.labels, next.metadata.labels))
  return (old.metadata.generation ?? 0) + (isChanged ? 1 : 0)
}

const fieldOf = (object: object, field: string): unknown => (object as Fields)[field]
