import {
  selectsPods,
  namespacedTemplateLabels,
  endpointPorts,
  canReachPods,
  containersServing
} from "../../kubernetes/core/endpoints.ts"
import { formatSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { draftsAmong } from "../documentKeys.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { lossCauses } from "../../scenario/ledger/services/serviceTraffic.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Key, PodSpec } from "../../kubernetes/meta/objects.ts"
import type { WorkloadWithKind } from "../workloads.ts"
import { workloadResources } from "../../kubernetes/apps/workloadStatus.ts"
import type { Workload, WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"
import type { Ledger } from "../../scenario/ledger/ledger.ts"
import type { LossCause, ServiceTotals } from "../../scenario/ledger/services/serviceTraffic.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"

type View = Pick<ClusterView["Service"], "all" | "get">

export interface RolloutRequests extends ServiceTotals {
  readonly services: ReadonlyArray<string>
  /** Services that reach no new Pod, and lose all requests once no old Pod serves. */
  readonly unfound: ReadonlyArray<string>
}

export const servicesSelecting = (view: View, workload: Workload): ReadonlyArray<Service> =>
  [...view.all(resources.services)].filter((service) =>
    selectsPods(service, namespacedTemplateLabels(workload))
  )

/** By container: the port to which the Services send requests; of several, the first that the container declares. */
export const servingPorts = (
  workload: Workload,
  services: ReadonlyArray<Service>
): ReadonlyMap<string, number> => {
  const pod = podOf(workload)
  return new Map(
    services.flatMap((service) => {
      const ports = endpointPorts(service, pod)
      return containersServing(pod.spec, ports).flatMap((container) => {
        const declared = new Set(container.ports?.map(({ containerPort }) => containerPort))
        const { port } =
          ports.find((candidate) => candidate.port !== undefined && declared.has(candidate.port)) ??
          ports[0] ??
          {}
        return port === undefined ? [] : [[container.name, port] as const]
      })
    })
  )
}

export const servicesOfReadyPods = (services: ReadonlyArray<Service>): ReadonlyArray<Service> =>
  services.filter(({ spec }) => spec.publishNotReadyAddresses !== true)

const podOf = ({ spec }: Workload): { readonly spec: PodSpec } => ({
  spec: spec.template.spec ?? { containers: [] }
})

interface FrontServices {
  /**
   * Services that select Pods of the workload before or after the rollout: clients of the old Pods go on sending.
   */
  readonly services: ReadonlyArray<Service>
  readonly reachingNoNewPod: ReadonlyArray<Service>
}

export const servicesInFront = (
  view: View,
  workload: Workload,
  servicesBefore: ReadonlyArray<Service>
): FrontServices => {
  const allServices = [...servicesBefore, ...servicesSelecting(view, workload)]
  const services = [...new Map(allServices.map((service) => [objectKeyOf(service), service])).values()]
  return { services, reachingNoNewPod: unreachingServices(view, workload, services) }
}

/** Services that the rollout creates have no clients yet. */
export const rolloutRequests = (
  ledger: Ledger,
  frontServices: FrontServices,
  {
    servicesBefore,
    untilMillis
  }: {
    readonly servicesBefore: ReadonlySet<Key>
    readonly untilMillis: number
  }
): RolloutRequests | undefined => {
  const existedBefore = (service: Service): boolean => servicesBefore.has(objectKeyOf(service))
  const [services, unreaching] = [
    frontServices.services.filter(existedBefore),
    frontServices.reachingNoNewPod.filter(existedBefore)
  ]
  if (services.length === 0) return undefined
  const because: Record<LossCause, number> = { stopping: 0, starting: 0, failing: 0, noEndpoint: 0 }
  let [lost, requests] = [0, 0]
  for (const service of services) {
    const totals = ledger.ofService(objectKeyOf(service))?.totals(untilMillis)
    if (totals === undefined) continue
    lost += totals.lost
    requests += totals.requests
    for (const cause of lossCauses) because[cause] += totals.because[cause]
  }
  return { services: services.map(nameOf), unfound: unreaching.map(nameOf), lost, requests, because }
}

const nameOf = ({ metadata }: Service): string => metadata.name

const unreachingServices = (
  view: View,
  workload: Workload,
  services: ReadonlyArray<Service>
): ReadonlyArray<Service> =>
  services.flatMap((before) => {
    const service = view.get(resources.services, objectKeyOf(before)) ?? before
    const reachesNewPods = selectsPods(service, namespacedTemplateLabels(workload))
      ? canReachPods(service, podOf(workload))
      : isSelectorSwitched(view, before, service)
    return reachesNewPods ? [] : [service]
  })

export const unreachingServiceText = (service: Service, { kind, object }: WorkloadWithKind): string => {
  const [serviceText, workloadText] = [
    `Service/${displayName(service.metadata)}`,
    `${kind}/${displayName(object.metadata)}`
  ]
  return selectsPods(service, namespacedTemplateLabels(object))
    ? `${serviceText} finds the Pods that the rollout of ${workloadText} makes and reaches none: no container of theirs declares ` +
        `${targetsText(service)}, as its targetPort says`
    : `${serviceText} selects ${selectorText(service)} and finds the Pods of ${workloadText} before its rollout, but none that it ` +
        `makes: they have ${formatSelector({ matchLabels: namespacedTemplateLabels(object).labels })}`
}

/** Only named target ports need a declared container port. */
const targetsText = ({ spec }: Service): string =>
  (spec.ports ?? [])
    .flatMap(({ targetPort, protocol = "TCP" }) =>
      typeof targetPort === "string" ? [`a ${protocol} port named ${targetPort}`] : []
    )
    .join(" or ")

/** A selector that is changed to another Deployment's Pods switches clients over, without loss. */
const isSelectorSwitched = (view: View, before: Service, after: Service): boolean =>
  selectorText(before) !== selectorText(after) &&
  [...view.all(resources.deployments)].some((deployment) =>
    selectsPods(after, namespacedTemplateLabels(deployment))
  )

const selectorText = ({ spec }: Service): string => formatSelector({ matchLabels: spec.selector ?? {} })

export const isAnyPodSelected = (documents: ReadonlyArray<ManifestDocument>): boolean => {
  const templates = workloadResources.flatMap((resource) =>
    draftsAmong<WorkloadResource>(documents, resource).map(namespacedTemplateLabels)
  )
  return draftsAmong(documents, resources.services).some((service) =>
    templates.some((pods) => selectsPods(service, pods))
  )
}
