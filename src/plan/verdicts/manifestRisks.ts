import { autoscalerRisks } from "./autoscalerRisks.ts"
import { allContainersOf } from "../draftPodSpec.ts"
import { containerRisks, imagesOfDocument } from "./containerRisks.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import {
  canReachPods,
  hasPodSelector,
  selectsPods,
  namespacedTemplateLabels
} from "../../kubernetes/core/endpoints.ts"
import { desiredPods, isWorkload } from "../workloads.ts"
import { documentOfWorkload, draftsAmong } from "../documentKeys.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { fieldsOrEmpty, isFields } from "../../kubernetes/meta/fields.ts"
import { ingressRisksIn } from "./ingressRisks.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { nearestName } from "../../kubernetes/meta/text/nearestWord.ts"
import { networkPolicyRisks } from "./networkPolicyRisks.ts"
import { podGroupsAmong } from "../warnings/mismatchWarnings.ts"
import { referenceRisksIn } from "./referenceRisks.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { resolveIntOrPercent } from "../../kubernetes/meta/amounts/intOrPercent.ts"
import { steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import type { Draft, PodTemplate } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import type { ReferenceContext } from "./referenceRisks.ts"
import type { Reason } from "./verdict.ts"

type RiskContext = ReferenceContext

export const manifestRisksIn = (
  context: RiskContext
): ((workload: WorkloadWithKind) => ReadonlyArray<Reason>) => {
  const ingressRisks = ingressRisksIn(context)
  const referenceRisks = referenceRisksIn(context)
  return (workload) => [
    ...unreachedServices(workload, context),
    ...mistakenServices(workload, context),
    ...ingressRisks(workload),
    ...networkPolicyRisks(workload, context),
    ...referenceRisks(workload),
    ...containerRisks(workload),
    ...blockingBudgets(workload, context),
    ...overlappingSelectors(workload, context),
    ...mutableImages(workload, context),
    ...autoscalerRisks(workload, context.documents, documentOfWorkload(workload, context.documents)),
    ...revisionRisks(workload),
    ...removedReplicas(workload, context),
    ...unreplacedPods(workload, context),
    ...steeringRisks(workload)
  ]
}

/** Only new Services are checked: lost requests show that an older one reaches no Pod. */
const unreachedServices = (
  { object }: WorkloadWithKind,
  { documents, from }: RiskContext
): ReadonlyArray<Reason> => {
  const before = new Set(draftsAmong(from, resources.services).map(keyText))
  const pods = namespacedTemplateLabels(object)
  const spec = object.spec.template.spec ?? { containers: [] }
  return draftsAmong(documents, resources.services)
    .filter((service) => !before.has(keyText(service)))
    .filter((service) => selectsPods(service, pods) && !canReachPods(service, { spec }))
    .map(({ metadata: { name } }) => ({
      rule: "service-without-pods",
      text: `Service/${name} reaches none of its new Pods`
    }))
}

/** A new Service without Pods is a mistake if a workload of its name, or of similar labels, has no Service. */
const mistakenServices = (
  { kind, object }: WorkloadWithKind,
  { documents, from }: RiskContext
): ReadonlyArray<Reason> => {
  const services = draftsAmong(documents, resources.services)
  const pods = namespacedTemplateLabels(object)
  if (kind === "Job" || services.some((service) => selectsPods(service, pods))) return []
  const before = new Set(draftsAmong(from, resources.services).map(keyText))
  const podGroups = podGroupsAmong(documents)
  return services
    .filter((service) => hasPodSelector(service) && !before.has(keyText(service)))
    .filter((service) => !podGroups.some((group) => selectsPods(service, group)))
    .flatMap(({ metadata, spec }) => {
      const differing = Object.entries(spec.selector ?? {}).filter(
        ([key, value]) => pods.labels[key] !== value
      )
      const isElsewhere = metadata.namespace !== object.metadata.namespace
      const isSimilar = differing.every(
        ([key, value]) => nearestName(value, [pods.labels[key] ?? ""]) !== undefined
      )
      if (isElsewhere ? differing.length > 0 : !isSimilar && metadata.name !== object.metadata.name) return []
      const asked = differing.map(([key, value]) => `${key}=${value}`).join(", ")
      const cause = isElsewhere
        ? `is in namespace ${metadata.namespace}, and its Pods in ${object.metadata.namespace}`
        : `asks for ${asked}, which its Pods do not have`
      return [
        {
          rule: "service-without-pods" as const,
          text: `Service/${metadata.name} selects no Pod: it ${cause}`
        }
      ]
    })
}

const keyText = ({ metadata: { namespace = "default", name } }: Draft): string => `${namespace}/${name}`

/**
 * A drain waits while the budget allows no eviction; where two budgets select a Pod, its eviction fails. Source:
 * pkg/registry/core/pod/storage/eviction.go (Create).
 */
const blockingBudgets = (workload: WorkloadWithKind, { documents }: RiskContext): ReadonlyArray<Reason> => {
  if (workload.kind !== "Deployment" && workload.kind !== "StatefulSet") return []
  const { object } = workload
  const desired = desiredPods(workload)
  if (desired === 0) return []
  const labels = object.spec.template.metadata?.labels ?? {}
  const budgets = draftsAmong(documents, resources.disruptionBudgets).filter(
    ({ metadata, spec }) =>
      metadata.namespace === object.metadata.namespace &&
      spec.selector !== undefined &&
      matchesSelector(spec.selector, labels)
  )
  if (budgets.length > 1) {
    const titles = budgets.map(({ metadata }) => `PodDisruptionBudget/${metadata.name}`)
    const text = `${titles.join(" and ")} select the same Pods, of which none can be evicted then: a drain fails`
    return [{ rule: "drain-blocked", text }]
  }
  return budgets.flatMap(({ metadata, spec }) => {
    const value = spec.maxUnavailable ?? spec.minAvailable ?? 1
    const amount = resolveIntOrPercent({ value, total: desired, round: "up" })
    const allowed = spec.maxUnavailable === undefined ? desired - amount : amount
    const text = `PodDisruptionBudget/${metadata.name} lets none of ${desired} be evicted: a drain waits for ever`
    return allowed > 0 ? [] : [{ rule: "drain-blocked" as const, text }]
  })
}

const overlappingSelectors = (
  { kind, object }: WorkloadWithKind,
  { documents }: RiskContext
): ReadonlyArray<Reason> => {
  const selector = object.spec.selector
  if (kind === "Job" || selector === undefined) return []
  const workloadsWithSelectedPods = documents.filter(
    (document) =>
      isWorkload(document) &&
      document.draft.metadata.namespace === object.metadata.namespace &&
      !(document.kind.kind === kind && document.draft.metadata.name === object.metadata.name) &&
      matchesSelector(selector, templateLabels(document.draft))
  )
  return workloadsWithSelectedPods.map(({ kind: { kind: otherKind }, draft: { metadata } }) => ({
    rule: "overlapping-selectors",
    text: `its selector also selects the Pods of ${otherKind}/${metadata.name}`
  }))
}

const templateOf = (draft: Draft): PodTemplate | undefined => {
  const spec = isFields(draft) && isFields(draft["spec"]) ? draft["spec"] : {}
  return isFields(spec["template"]) ? spec["template"] : undefined
}

const templateLabels = (draft: Draft) => templateOf(draft)?.metadata?.labels ?? {}

const isMutableImage = (image: string): boolean =>
  !image.includes("@") && /^(?:[^:]*|.*:latest|.*\/[^:]*)$/u.test(image)

const mutableImages = (workload: WorkloadWithKind, { from }: RiskContext): ReadonlyArray<Reason> => {
  const imagesBefore = imagesOfDocument(documentOfWorkload(workload, from))
  const images = allContainersOf(workload.object.spec.template.spec ?? {})
    .map(({ image = "" }) => image)
    .filter((image) => isMutableImage(image) && imagesBefore.has(image))
  return [...new Set(images)].map((image) => ({
    rule: "mutable-image",
    text: `image ${image} names no version: a new build rolls nothing out, and going back brings no old one back`
  }))
}

const revisionRisks = ({ kind, object }: WorkloadWithKind): ReadonlyArray<Reason> =>
  kind !== "Job" && object.spec.revisionHistoryLimit === 0
    ? [{ rule: "no-revision-kept", text: "revisionHistoryLimit: 0 keeps no revision to go back to" }]
    : []

const removedReplicas = (
  workload: WorkloadWithKind,
  { documents, from }: RiskContext
): ReadonlyArray<Reason> => {
  if (workload.kind !== "Deployment" && workload.kind !== "StatefulSet") return []
  const [next, before] = [documents, from].map((list) => writtenReplicas(documentOfWorkload(workload, list)))
  // In a live cluster, the size before may be an autoscaler's, and stays.
  return next !== undefined || before === undefined || before <= workload.object.spec.replicas
    ? []
    : [
        {
          rule: "replicas-removed",
          text: `spec.replicas: ${before} is gone from the manifest: kubectl apply sets it to ${workload.object.spec.replicas}, the default`
        }
      ]
}

const writtenReplicas = (document: ManifestDocument | undefined): number | undefined => {
  const { replicas } = fieldsOrEmpty(fieldsOrEmpty(document?.draft)["spec"])
  return typeof replicas === "number" ? replicas : undefined
}

/** Source: pkg/controller/statefulset/stateful_set_utils.go (newVersionedStatefulSetPod). */
const unreplacedPods = (
  workload: WorkloadWithKind,
  { documents, from }: RiskContext
): ReadonlyArray<Reason> => {
  const why = whyUnreplaced(workload)
  if (why === undefined) return []
  // Compares the written templates, since the template of the played object has defaults.
  const [template, before] = [documents, from].map((list) => {
    const document = documentOfWorkload(workload, list)
    return document === undefined ? undefined : templateOf(document.draft)
  })
  return template === undefined || before === undefined || isSameTemplate(template, before)
    ? []
    : [{ rule: "replaced-on-delete", text: why }]
}

const whyUnreplaced = ({ kind, object }: WorkloadWithKind): string | undefined => {
  if (kind !== "DaemonSet" && kind !== "StatefulSet") return undefined
  if (object.spec.updateStrategy?.type === "OnDelete")
    return "updateStrategy OnDelete replaces no Pod until it is deleted"
  if (kind !== "StatefulSet") return undefined
  const { replicas, updateStrategy } = object.spec
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0
  return replicas > 0 && partition >= replicas
    ? `partition: ${partition} with replicas: ${replicas} gives no Pod the new template until it is lowered`
    : undefined
}

/** Without a valid strategy the rollout has no readiness gate, and completes without steering. */
const steeringRisks = ({ kind, object }: WorkloadWithKind): ReadonlyArray<Reason> => {
  if (kind !== "Deployment") return []
  const condition = conditionOf(object.status.conditions, steeredCondition)
  return condition?.reason === "InvalidStrategy" && condition.message !== undefined
    ? [{ rule: "strategy-not-followed", text: condition.message }]
    : []
}
