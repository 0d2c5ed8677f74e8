import { autoscalersAmong, autoscalersWithoutTarget } from "../autoscalers.ts"
import { allContainersOf, draftPodSpec } from "../draftPodSpec.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { draftsAmong, isOfResource, lastDocumentOfEachObject } from "../documentKeys.ts"
import { hasPodSelector, selectsPods, namespacedTemplateLabels } from "../../kubernetes/core/endpoints.ts"
import { isFields } from "../../kubernetes/meta/fields.ts"
import { isWorkload } from "../workloads.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { undeclaredProbePorts } from "../../kubernetes/pods/containers/probePorts.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { WorkloadWithKind } from "../workloads.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** Warns of objects that do not fit each other, which may be intended. */
export const mismatchWarnings = (from: Documents, next: Documents): ReadonlyArray<string> => {
  const all = lastDocumentOfEachObject([...from, ...next])
  return [
    ...next.filter(isWorkload).flatMap(probeWarnings),
    ...serviceWarnings(from, next, all),
    ...budgetWarnings(next, all),
    ...next
      .filter(isOfResource(resources.statefulSets))
      .flatMap((statefulSet) => governingServiceWarnings(statefulSet, all)),
    ...autoscalerTargetWarnings(next, all)
  ]
}

/** Only port numbers are checked: playing the rollout shows a port name that no port has. */
const probeWarnings = ({ kind, draft }: ManifestDocument): ReadonlyArray<string> =>
  allContainersOf(draftPodSpec(draft) ?? {}).flatMap((container) =>
    undeclaredProbePorts(container)
      .filter(({ port }) => Number.isInteger(Number(port)))
      .map(
        ({ field, port }) =>
          `${kind.kind}/${nameOf(draft)}: ${field} of container ${JSON.stringify(container.name)} asks port ${port}, which is not among its ports`
      )
  )

/** One group for each Pod, and for each Pod template. */
export const podGroupsAmong = (documents: Documents) =>
  documents.flatMap(({ draft }) => {
    const { containers } = draftPodSpec(draft) ?? {}
    if (containers === undefined) return []
    const { namespace, labels = {} } = draft.metadata
    return draft.kind === "Pod"
      ? [{ namespace, labels, containers }]
      : [{ ...namespacedTemplateLabels(draft as WorkloadWithKind["object"]), containers }]
  })

/** `unreachingServiceText` warns of a Service that the rollout leaves without Pods. */
const serviceWarnings = (from: Documents, next: Documents, all: Documents): ReadonlyArray<string> => {
  const servicesBefore = new Set(draftsAmong(from, resources.services).map(fullNameOf))
  const podGroups = podGroupsAmong(all)
  const namespaces = new Set(podGroups.map(({ namespace }) => namespace))
  const withEndpoints = new Set(all.flatMap(endpointsServiceOf))
  return draftsAmong(next, resources.services).flatMap((service) => {
    if (!namespaces.has(service.metadata.namespace)) return []
    const title = `Service/${nameOf(service)}`
    if (!hasPodSelector(service))
      return service.spec.type === "ExternalName" ||
        servicesBefore.has(fullNameOf(service)) ||
        withEndpoints.has(fullNameOf(service))
        ? []
        : [`${title} has no selector, and no file has its EndpointSlice: it reaches no Pod by itself`]
    const selectedGroups = podGroups.filter((pods) => selectsPods(service, pods))
    if (selectedGroups.length === 0)
      return servicesBefore.has(fullNameOf(service)) ? [] : [`${title} selects no Pod of these files`]
    const declared = selectedGroups.flatMap(({ containers }) => containers.flatMap(({ ports = [] }) => ports))
    if (declared.length === 0 || service.spec.clusterIP === "None") return []
    return (service.spec.ports ?? [])
      .map(({ port, targetPort = port }) => targetPort)
      .filter((target) => typeof target === "number")
      .filter((target) => !declared.some(({ containerPort }) => containerPort === target))
      .map((target) => `${title} sends to port ${target}, which no container that it selects declares`)
  })
}

/** The full name of the Service for which the document has addresses. */
const endpointsServiceOf = ({ kind, draft: { metadata } }: ManifestDocument): ReadonlyArray<string> => {
  const name = kind.kind === "Endpoints" ? metadata.name : metadata.labels?.["kubernetes.io/service-name"]
  return name === undefined || !kind.kind.startsWith("Endpoint")
    ? []
    : [`${metadata.namespace ?? ""}/${name}`]
}

/** Without workloads in its namespace, a budget is for Pods of custom resources or of other files. */
const budgetWarnings = (next: Documents, all: Documents): ReadonlyArray<string> => {
  const podGroups = podGroupsAmong(all)
  return draftsAmong(next, resources.disruptionBudgets).flatMap((budget) => {
    const inNamespace = podGroups.filter(({ namespace }) => namespace === budget.metadata.namespace)
    const { selector } = budget.spec
    const isSelected = inNamespace.some(
      ({ labels }) => selector !== undefined && matchesSelector(selector, labels)
    )
    return inNamespace.length === 0 || isSelected
      ? []
      : [`PodDisruptionBudget/${nameOf(budget)} selects no Pod of these files`]
  })
}

/** Source: pkg/apis/apps/types.go (StatefulSetSpec.ServiceName). */
const governingServiceWarnings = ({ draft }: ManifestDocument, all: Documents): ReadonlyArray<string> => {
  const fields: Readonly<Record<string, unknown>> = { ...draft }
  const serviceName = isFields(fields["spec"]) ? fields["spec"]["serviceName"] : undefined
  if (typeof serviceName !== "string" || serviceName === "") return []
  const service = draftsAmong(all, resources.services).find(
    ({ metadata }) => metadata.namespace === draft.metadata.namespace && metadata.name === serviceName
  )
  if (service?.spec.clusterIP === "None") return []
  const why = service === undefined ? "which no file creates" : "which is not headless"
  return [`StatefulSet/${nameOf(draft)} names Service/${serviceName}, ${why}: its Pods have no names in DNS`]
}

const autoscalerTargetWarnings = (next: Documents, all: Documents): ReadonlyArray<string> =>
  autoscalersWithoutTarget(autoscalersAmong(next), all).map((autoscaler) => {
    const { kind = "", name = "" } = autoscaler.spec?.scaleTargetRef ?? {}
    return `HorizontalPodAutoscaler/${nameOf(autoscaler)} scales ${kind}/${name}, which no file creates`
  })

const fullNameOf = ({ metadata }: Draft): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`

const nameOf = (draft: Draft): string => displayName({ ...draft.metadata, name: draft.metadata.name ?? "" })
