import { isPodFinished, isPodReady } from "../pods/podState.ts"
import { isTerminating } from "../meta/deletion.ts"
import { longRunningContainers } from "../pods/containers/containers.ts"
import { matchesSelector } from "../meta/selectors/labelSelectors.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { Draft, KubeObject, Labels, Pod, PodSpec, PodTemplate } from "../meta/objects.ts"

/**
 * Source: pkg/controller/endpoint/endpoints_controller.go,
 * endpointslice/util/controller_utils.go.
 */
export interface Service extends KubeObject {
  readonly spec: Readonly<Core.ServiceSpec>
}

export interface Endpoints extends KubeObject {
  readonly subsets?: ReadonlyArray<Core.EndpointSubset>
}

export interface EndpointSlice extends KubeObject {
  readonly addressType: string
  readonly endpoints: ReadonlyArray<Discovery.Endpoint>
  readonly ports?: ReadonlyArray<Discovery.EndpointPort>
}

/** Without a selector, users write the endpoints. */
export const hasPodSelector = ({ spec }: Service): boolean =>
  Object.keys(spec.selector ?? {}).length > 0 && spec.type !== "ExternalName"

interface NamespacedLabels {
  readonly namespace: string | undefined
  readonly labels: Labels
}

export const namespacedTemplateLabels = ({
  metadata,
  spec
}: Pick<KubeObject, "metadata"> & {
  readonly spec: { readonly template: PodTemplate }
}): NamespacedLabels => ({
  namespace: metadata.namespace,
  labels: spec.template.metadata?.labels ?? {}
})

export const selectsPods = (service: Service, { namespace, labels }: NamespacedLabels): boolean =>
  service.metadata.namespace === namespace &&
  hasPodSelector(service) &&
  matchesSelector({ matchLabels: service.spec.selector ?? {} }, labels)

const isHeadless = ({ spec }: Service): boolean => spec.clusterIP === "None"

/** Unchanged parts of a Pod are the same objects in both versions. */
export const hasSameEndpoint = (a: Pod, b: Pod): boolean =>
  a.metadata.labels === b.metadata.labels &&
  a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
  a.spec.nodeName === b.spec.nodeName &&
  a.status.podIP === b.status.podIP &&
  isPodFinished(a) === isPodFinished(b) &&
  isPodReady(a) === isPodReady(b)

export const podTargetRef = ({ metadata }: Pod): Core.ObjectReference => ({
  kind: "Pod",
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  name: metadata.name,
  uid: metadata.uid
})

/** DNS serves a host name only below the Service that the Pod names as its subdomain. */
export const podHostname = (pod: Pod, service: Service): string | undefined => {
  const { hostname = "", subdomain } = pod.spec
  return hostname !== "" && subdomain === service.metadata.name ? hostname : undefined
}

/** Leaves out named ports that the Pod lacks. */
export const endpointPorts = (
  { spec }: Service,
  pod: { readonly spec: PodSpec }
): ReadonlyArray<Core.EndpointPort> =>
  (spec.ports ?? []).flatMap(({ name = "", port, targetPort, protocol = "TCP", appProtocol }) => {
    const number = podPortNumber(pod, targetPort ?? port, protocol)
    if (number === undefined) return []
    return {
      ...(name === "" ? {} : { name }),
      port: number,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol })
    }
  })

/**
 * A cluster IP forwards only to Pods with one of its ports; a headless Service restricts no ports.
 * Source: pkg/proxy/endpointslicecache.go (addEndpoints).
 */
export const canReachPods = (service: Service, pod: { readonly spec: PodSpec }): boolean =>
  isHeadless(service) || endpointPorts(service, pod).length > 0

export const canReceiveRequests = ({ metadata, ports = [] }: EndpointSlice): boolean =>
  metadata.labels?.[headlessLabel] !== undefined || ports.length > 0

/** The number of a container's port; undefined if no container has one of this name. */
export const podPortNumber = (
  { spec }: { readonly spec: PodSpec },
  target: number | string,
  protocol: string
): number | undefined => {
  if (typeof target === "number") return target
  for (const { ports = [] } of longRunningContainers(spec)) {
    const found = ports.find((port) => port.name === target && (port.protocol ?? "TCP") === protocol)
    if (found !== undefined) return found.containerPort
  }
  return undefined
}

/** Containers that declare one of the ports; without any, all but the sidecars. */
export const containersServing = (
  spec: PodSpec,
  ports: ReadonlyArray<Pick<Discovery.EndpointPort, "port" | "protocol">>
): ReadonlyArray<Core.Container> => {
  const declaring = longRunningContainers(spec).filter(({ ports: declared = [] }) =>
    declared.some(({ containerPort, protocol = "TCP" }) =>
      ports.some((it) => it.port === containerPort && (it.protocol ?? "TCP") === protocol)
    )
  )
  return declaring.length > 0 ? declaring : spec.containers
}

const headlessLabel = "service.kubernetes.io/headless"
export const lastChangeTriggerAnnotation = "endpoints.kubernetes.io/last-change-trigger-time"

export const endpointLabels = (
  service: Service,
  controllerLabels: Readonly<Record<string, string>>
): Record<string, string> => {
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {}
  return { ...labels, ...controllerLabels, ...(isHeadless(service) ? { [headlessLabel]: "" } : {}) }
}

/** An annotation tells if addresses beyond this limit are left out. */
const addressesMax = 1000
const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity"

export const endpointsFor = (
  service: Service,
  pods: ReadonlyArray<Pod>,
  nowMillis: number
): Draft & Pick<Endpoints, "subsets"> => {
  const { name, namespace = "" } = service.metadata
  const addresses = podAddresses(service, pods)
  const included = addresses.length > addressesMax ? truncateReadyFirst(addresses) : addresses
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name,
      namespace,
      labels: endpointLabels(service, { "endpoints.kubernetes.io/managed-by": "endpoint-controller" }),
      annotations: {
        [lastChangeTriggerAnnotation]: timestampOf(nowMillis),
        ...(included === addresses ? {} : { [overCapacityAnnotation]: "truncated" })
      }
    },
    subsets: subsetsOf(included)
  }
}

interface PodAddress {
  readonly address: Core.EndpointAddress
  /** The address as a number, which sorts 10.244.0.9 before 10.244.0.10. */
  readonly sortNumber: number
  readonly ports: ReadonlyArray<Core.EndpointPort>
  readonly portsKey: string
  readonly isReady: boolean
}

const podAddresses = (service: Service, pods: ReadonlyArray<Pod>): ReadonlyArray<PodAddress> => {
  const found: Array<PodAddress> = []
  for (const pod of pods) {
    const podAddress = addressOf(service, pod)
    if (podAddress !== undefined) found.push(podAddress)
  }
  return found.sort((a, b) => a.sortNumber - b.sortNumber)
}

/** After a change of one Pod, the other Pods are still the same objects. */
export const memoizePerPod = <A>(
  compute: (service: Service, pod: Pod) => A
): ((service: Service, pod: Pod) => A) => {
  const results = new WeakMap<Service, WeakMap<Pod, { readonly result: A }>>()
  return (service, pod) => {
    const byPod = results.get(service) ?? new WeakMap<Pod, { readonly result: A }>()
    results.set(service, byPod)
    const cached = byPod.get(pod)
    if (cached !== undefined) return cached.result
    const result = compute(service, pod)
    byPod.set(pod, { result })
    return result
  }
}

const addressOf = memoizePerPod((service, pod): PodAddress | undefined => {
  const publishesNotReady = service.spec.publishNotReadyAddresses === true
  const { podIP } = pod.status
  if (podIP === undefined || isPodFinished(pod) || (isTerminating(pod) && !publishesNotReady))
    return undefined
  const ports = endpointPorts(service, pod)
  if (ports.length === 0 && (service.spec.ports ?? []).length > 0) return undefined
  const hostname = podHostname(pod, service)
  return {
    address: {
      ip: podIP,
      ...(hostname === undefined ? {} : { hostname }),
      ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
      targetRef: podTargetRef(pod)
    },
    sortNumber: podIP.split(".").reduce((number, part) => number * 256 + Number(part), 0),
    ports,
    portsKey: JSON.stringify(ports),
    isReady: publishesNotReady || isPodReady(pod)
  }
})

const truncateReadyFirst = (addresses: ReadonlyArray<PodAddress>): ReadonlyArray<PodAddress> =>
  [...addresses.filter((it) => it.isReady), ...addresses.filter((it) => !it.isReady)].slice(0, addressesMax)

const subsetsOf = (addresses: ReadonlyArray<PodAddress>): Array<Core.EndpointSubset> => {
  const groups = new Map<string, AddressGroup>()
  for (const { portsKey, ports, address, isReady } of addresses) {
    const group = groups.get(portsKey) ?? { ports, ready: [], unready: [] }
    groups.set(portsKey, group)
    const target = isReady ? group.ready : group.unready
    target.push(address)
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, unready }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(unready.length === 0 ? {} : { notReadyAddresses: unready }),
      ...(ports.length === 0 ? {} : { ports: [...ports] })
    }))
}

/** The addresses of Pods that serve the same ports. */
interface AddressGroup {
  readonly ports: ReadonlyArray<Core.EndpointPort>
  readonly ready: Array<Core.EndpointAddress>
  readonly unready: Array<Core.EndpointAddress>
}
