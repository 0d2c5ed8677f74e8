import { findsPods, podsOf, portsOf, serversAt } from "../../domain/endpoints.ts"
import { formatSelector } from "../../domain/selectors.ts"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { keyOf } from "../../domain/objects.ts"
import { lossCauses } from "../ledger/serviceTraffic.ts"
import { shownName } from "../../domain/shownName.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { LossCause, ServiceTotals } from "../ledger/serviceTraffic.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Service } from "../../domain/endpoints.ts"

type View = Pick<ClusterView["Service"], "all">

/** What was sent to the Services in front of a Deployment during its rollout. */
export interface RolloutRequests extends ServiceTotals {
  readonly services: ReadonlyArray<string>
  /** Those among them that find none of the new Pods: all is lost that comes to them once no old one serves. */
  readonly unfound: ReadonlyArray<string>
}

/** The Services that find the Pods of a Deployment's present template. */
export const servicesOf = (view: View, deployment: Deployment): ReadonlyArray<Service> =>
  [...view.all(resources.services)].filter((service) => findsPods(service, podsOf(deployment)))

/** The names of the containers in the Pods of a Deployment that requests to these Services go to. */
export const serversOf = ({ spec }: Deployment, services: ReadonlyArray<Service>): ReadonlySet<string> => {
  const pod = { spec: spec.template.spec ?? { containers: [] } }
  return new Set(
    services.flatMap((service) => serversAt(pod.spec, portsOf(service, pod)).map(({ name }) => name))
  )
}

/** Those that send requests to no Pod that is not ready. */
export const heedingReadiness = (services: ReadonlyArray<Service>): ReadonlyArray<Service> =>
  services.filter(({ spec }) => spec.publishNotReadyAddresses !== true)

/** Of all these Services; undefined where there are none. */
export const requestsTo = (
  ledger: Ledger,
  services: ReadonlyArray<Service>,
  { unfound, untilMillis }: { readonly unfound: ReadonlyArray<Service>; readonly untilMillis: number }
): RolloutRequests | undefined => {
  const because: Record<LossCause, number> = { stopping: 0, starting: 0, failing: 0, nobody: 0 }
  let [lost, requests] = [0, 0]
  for (const service of services) {
    const totals = ledger.ofService(keyOf(service))?.totals(untilMillis)
    if (totals === undefined) continue
    lost += totals.lost
    requests += totals.requests
    for (const cause of lossCauses) because[cause] += totals.because[cause]
  }
  return services.length === 0
    ? undefined
    : { services: services.map(nameOf), unfound: unfound.map(nameOf), lost, requests, because }
}

const nameOf = ({ metadata }: Service): string => metadata.name

/** Those before, and those that are new: whoever asked for the Pods that there were still does. */
export const beforeAndAfter = (
  before: ReadonlyArray<Service>,
  after: ReadonlyArray<Service>
): ReadonlyArray<Service> => [
  ...new Map([...before, ...after].map((service) => [keyOf(service), service])).values()
]

/** Those that found the Pods there were and find none of those that are rolled out, as they are now. */
export const unfoundAfter = (
  view: View,
  deployment: Deployment,
  before: ReadonlyArray<Service>
): ReadonlyArray<Service> => {
  const after = new Map([...view.all(resources.services)].map((service) => [keyOf(service), service]))
  return before.flatMap((was) => {
    const service = after.get(keyOf(was)) ?? was
    return findsPods(service, podsOf(deployment)) || isMoved(view, was, service) ? [] : [service]
  })
}

/** A sentence on such a Service. */
export const unfoundText = (service: Service, deployment: Deployment): string =>
  `Service/${shownName(service.metadata)} selects ${selectorText(service)} and finds the Pods of ` +
  `Deployment/${shownName(deployment.metadata)} before its rollout, but none that it makes: they have ` +
  formatSelector({ matchLabels: podsOf(deployment).labels })

/** With another selector than before it finds the Pods of somebody else: that is how traffic is switched. */
const isMoved = (view: View, before: Service, after: Service): boolean =>
  selectorText(before) !== selectorText(after) &&
  [...view.all(resources.deployments)].some((deployment) => findsPods(after, podsOf(deployment)))

const selectorText = ({ spec }: Service): string => formatSelector({ matchLabels: spec.selector ?? {} })

/** Whether any Service among documents finds the Pods of any Deployment there. */
export const areAnyFound = (documents: ReadonlyArray<ManifestDocument>): boolean => {
  const drafts = (resource: string): ReadonlyArray<unknown> =>
    documents.flatMap(({ kind, draft }) => (groupResourceOf(kind) === resource ? [draft] : []))
  // Whoever reads documents sees to it that each is of the type that its kind says.
  const templates = (drafts(resources.deployments) as ReadonlyArray<Deployment>).map(podsOf)
  const services = drafts(resources.services) as ReadonlyArray<Service>
  return services.some((service) => templates.some((pods) => findsPods(service, pods)))
}
