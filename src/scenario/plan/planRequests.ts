import { findsPods, podsOf, portsOf, reachesPods, serversAt } from "../../domain/endpoints.ts"
import { formatSelector } from "../../domain/selectors.ts"
import { draftsAmong } from "./documentKeys.ts"
import { resources } from "../../domain/kinds.ts"
import { keyOf } from "../../domain/objects.ts"
import { lossCauses } from "../ledger/serviceTraffic.ts"
import { shownName } from "../../domain/shownName.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment, Key, PodSpec } from "../../domain/objects.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { LossCause, ServiceTotals } from "../ledger/serviceTraffic.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Service } from "../../domain/endpoints.ts"

type View = Pick<ClusterView["Service"], "all" | "get">

/** What was sent to the Services in front of a Deployment during its rollout. */
export interface RolloutRequests extends ServiceTotals {
  readonly services: ReadonlyArray<string>
  /** Those that find or reach none of the new Pods: all is lost that comes to them once no old one serves. */
  readonly unfound: ReadonlyArray<string>
}

/** The Services that find the Pods of a Deployment's present template. */
export const servicesOf = (view: View, deployment: Deployment): ReadonlyArray<Service> =>
  [...view.all(resources.services)].filter((service) => findsPods(service, podsOf(deployment)))

/** The names of the containers in the Pods of a Deployment that requests to these Services go to. */
export const serversOf = (deployment: Deployment, services: ReadonlyArray<Service>): ReadonlySet<string> => {
  const pod = madeBy(deployment)
  return new Set(
    services.flatMap((service) => serversAt(pod.spec, portsOf(service, pod)).map(({ name }) => name))
  )
}

/** Those that send requests to no Pod that is not ready. */
export const heedingReadiness = (services: ReadonlyArray<Service>): ReadonlyArray<Service> =>
  services.filter(({ spec }) => spec.publishNotReadyAddresses !== true)

/** A Pod of its present template, as far as it matters where it is reached. */
const madeBy = ({ spec }: Deployment): { readonly spec: PodSpec } => ({
  spec: spec.template.spec ?? { containers: [] }
})

/** What stands in front of a Deployment during its rollout. */
interface Front {
  /** Those that find its Pods before or after: whoever asked for the Pods that there were still does. */
  readonly services: ReadonlyArray<Service>
  /** Those among them that find or reach none of the new Pods. */
  readonly unfound: ReadonlyArray<Service>
}

/** What stands in front of a Deployment now, and did before. */
export const frontOf = (view: View, deployment: Deployment, before: ReadonlyArray<Service>): Front => {
  const all = [...before, ...servicesOf(view, deployment)]
  const services = [...new Map(all.map((service) => [keyOf(service), service])).values()]
  return { services, unfound: unfoundAfter(view, deployment, services) }
}

/** Of all of them that are asked, which are those that were there before; undefined where there are none. */
export const requestsTo = (
  ledger: Ledger,
  front: Front,
  { asked, untilMillis }: { readonly asked: ReadonlySet<Key>; readonly untilMillis: number }
): RolloutRequests | undefined => {
  const isAsked = (service: Service): boolean => asked.has(keyOf(service))
  const [services, unfound] = [front.services.filter(isAsked), front.unfound.filter(isAsked)]
  if (services.length === 0) return undefined
  const because: Record<LossCause, number> = { stopping: 0, starting: 0, failing: 0, nobody: 0 }
  let [lost, requests] = [0, 0]
  for (const service of services) {
    const totals = ledger.ofService(keyOf(service))?.totals(untilMillis)
    if (totals === undefined) continue
    lost += totals.lost
    requests += totals.requests
    for (const cause of lossCauses) because[cause] += totals.because[cause]
  }
  return { services: services.map(nameOf), unfound: unfound.map(nameOf), lost, requests, because }
}

const nameOf = ({ metadata }: Service): string => metadata.name

/** Those in front of a Deployment that find none of the Pods that are rolled out, as they are now, or reach none. */
const unfoundAfter = (
  view: View,
  deployment: Deployment,
  services: ReadonlyArray<Service>
): ReadonlyArray<Service> =>
  services.flatMap((was) => {
    const service = view.get(resources.services, keyOf(was)) ?? was
    const isServed = findsPods(service, podsOf(deployment))
      ? reachesPods(service, madeBy(deployment))
      : isMoved(view, was, service)
    return isServed ? [] : [service]
  })

/** A sentence on such a Service. */
export const unfoundText = (service: Service, deployment: Deployment): string => {
  const [who, whose] = [
    `Service/${shownName(service.metadata)}`,
    `Deployment/${shownName(deployment.metadata)}`
  ]
  return findsPods(service, podsOf(deployment))
    ? `${who} finds the Pods that the rollout of ${whose} makes and reaches none: no container of theirs declares ` +
        `${targetsText(service)}, as its targetPort says`
    : `${who} selects ${selectorText(service)} and finds the Pods of ${whose} before its rollout, but none that it ` +
        `makes: they have ${formatSelector({ matchLabels: podsOf(deployment).labels })}`
}

/** What is looked up in Pods: a number is sent to, whatever they declare. */
const targetsText = ({ spec }: Service): string =>
  (spec.ports ?? [])
    .flatMap(({ targetPort, protocol = "TCP" }) =>
      typeof targetPort === "string" ? [`a ${protocol} port named ${targetPort}`] : []
    )
    .join(" or ")

/** With another selector than before it finds the Pods of somebody else: that is how traffic is switched. */
const isMoved = (view: View, before: Service, after: Service): boolean =>
  selectorText(before) !== selectorText(after) &&
  [...view.all(resources.deployments)].some((deployment) => findsPods(after, podsOf(deployment)))

const selectorText = ({ spec }: Service): string => formatSelector({ matchLabels: spec.selector ?? {} })

/** Whether any Service among documents finds the Pods of any Deployment there. */
export const areAnyFound = (documents: ReadonlyArray<ManifestDocument>): boolean => {
  const templates = draftsAmong(documents, resources.deployments).map(podsOf)
  return draftsAmong(documents, resources.services).some((service) =>
    templates.some((pods) => findsPods(service, pods))
  )
}
