import { isFinished, isReady } from "./pods.ts"
import { isTerminating } from "./ownerReferences.ts"
import { lastingContainers } from "./containers.ts"
import { matchesSelector } from "./selectors.ts"
import { timestampOf } from "./timestamps.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { Deployment, Draft, KubeObject, Labels, Pod, PodSpec } from "./objects.ts"

/**
 * Who answers for a Service: the Pods that its selector finds, and where each is reached.
 *
 * Source: pkg/controller/endpoint/endpoints_controller.go,
 * staging/src/k8s.io/endpointslice/util/controller_utils.go.
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

/** Whether a Service's endpoints are found by its selector; those of another are kept by whoever made it. */
export const isSelecting = ({ spec }: Service): boolean =>
  Object.keys(spec.selector ?? {}).length > 0 && spec.type !== "ExternalName"

/** Pods that have something in common. */
interface AlikePods {
  readonly namespace: string | undefined
  readonly labels: Labels
}

/** What the Pods of a Deployment's template have in common. */
export const podsOf = ({ metadata, spec }: Pick<Deployment, "metadata" | "spec">): AlikePods => ({
  namespace: metadata.namespace,
  labels: spec.template.metadata?.labels ?? {}
})

/** Whether such Pods are among a Service's endpoints. */
export const findsPods = (service: Service, { namespace, labels }: AlikePods): boolean =>
  service.metadata.namespace === namespace &&
  isSelecting(service) &&
  matchesSelector({ matchLabels: service.spec.selector ?? {} }, labels)

const isHeadless = ({ spec }: Service): boolean => spec.clusterIP === "None"

/** Whether a change of a Pod is one that those who send traffic to it can see. */
export const isReachedTheSame = (a: Pod, b: Pod): boolean =>
  a.metadata.labels === b.metadata.labels &&
  a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
  a.spec.nodeName === b.spec.nodeName &&
  a.status.podIP === b.status.podIP &&
  isFinished(a) === isFinished(b) &&
  isReady(a) === isReady(b)

/** Where a Pod is reached, in the words of both kinds of endpoints. */
export const targetOf = ({ metadata }: Pod): Core.ObjectReference => ({
  kind: "Pod",
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  name: metadata.name,
  uid: metadata.uid
})

/** The name by which a Pod of a headless Service can be asked for. */
export const hostnameOf = (pod: Pod, service: Service): string | undefined => {
  const { hostname = "", subdomain } = pod.spec
  return hostname !== "" && subdomain === service.metadata.name ? hostname : undefined
}

/** Where a Service's traffic arrives in a Pod; ports that the Pod does not have are left out. */
export const portsOf = (
  { spec }: Service,
  pod: { readonly spec: PodSpec }
): ReadonlyArray<Core.EndpointPort> =>
  (spec.ports ?? []).flatMap(({ name = "", port, targetPort, protocol = "TCP", appProtocol }) => {
    const number = portNumber(pod, targetPort ?? port, protocol)
    if (number === undefined) return []
    return {
      ...(name === "" ? {} : { name }),
      port: number,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol })
    }
  })

/**
 * Whether clients can send to such Pods, where a Service finds them: its address forwards to those that have one of
 * its ports. A headless one has no address: they send to those of its Pods, at whatever port.
 *
 * Source: pkg/proxy/endpointslicecache.go (addEndpoints).
 */
export const reachesPods = (service: Service, pod: { readonly spec: PodSpec }): boolean =>
  isHeadless(service) || portsOf(service, pod).length > 0

/** Whether they can send to those that a slice tells of. */
export const isReachable = ({ metadata, ports = [] }: EndpointSlice): boolean =>
  metadata.labels?.[headlessLabel] !== undefined || ports.length > 0

/** A port that is named is looked up among the container ports of that protocol; sidecars may have it as well. */
const portNumber = (
  { spec }: { readonly spec: PodSpec },
  target: number | string,
  protocol: string
): number | undefined => {
  if (typeof target === "number") return target
  for (const { ports = [] } of lastingContainers(spec)) {
    const found = ports.find((port) => port.name === target && (port.protocol ?? "TCP") === protocol)
    if (found !== undefined) return found.containerPort
  }
  return undefined
}

/**
 * The containers of a Pod that are sent what arrives at these ports: those that declare one of them. Where none does,
 * which says nothing of who listens, all but the sidecars.
 */
export const serversAt = (
  spec: PodSpec,
  ports: ReadonlyArray<Pick<Discovery.EndpointPort, "port" | "protocol">>
): ReadonlyArray<Core.Container> => {
  const declaring = lastingContainers(spec).filter(({ ports: declared = [] }) =>
    declared.some(({ containerPort, protocol = "TCP" }) =>
      ports.some((it) => it.port === containerPort && (it.protocol ?? "TCP") === protocol)
    )
  )
  return declaring.length > 0 ? declaring : spec.containers
}

const headlessLabel = "service.kubernetes.io/headless"
export const changedAtAnnotation = "endpoints.kubernetes.io/last-change-trigger-time"

/** A Service's labels as its endpoints carry them. */
export const labelsFrom = (
  service: Service,
  more: Readonly<Record<string, string>>
): Record<string, string> => {
  const { [headlessLabel]: _headless, ...labels } = service.metadata.labels ?? {}
  return { ...labels, ...more, ...(isHeadless(service) ? { [headlessLabel]: "" } : {}) }
}

/** An Endpoints object holds no more; the others are left out, and it says so. */
const addressesMax = 1000
const overCapacity = "endpoints.kubernetes.io/over-capacity"

/** The Endpoints that a Service should have. */
export const endpointsFor = (
  service: Service,
  pods: ReadonlyArray<Pod>,
  nowMillis: number
): Draft & Pick<Endpoints, "subsets"> => {
  const { name, namespace = "" } = service.metadata
  const all = addressed(service, pods)
  const shown = all.length > addressesMax ? fittest(all) : all
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name,
      namespace,
      labels: labelsFrom(service, { "endpoints.kubernetes.io/managed-by": "endpoint-controller" }),
      annotations: {
        [changedAtAnnotation]: timestampOf(nowMillis),
        ...(shown === all ? {} : { [overCapacity]: "truncated" })
      }
    },
    subsets: subsetsOf(shown)
  }
}

/** One Pod of an Endpoints object. */
interface Addressed {
  readonly address: Core.EndpointAddress
  /** The address as a number, so that 10.244.0.9 comes before 10.244.0.10. */
  readonly number: number
  readonly ports: ReadonlyArray<Core.EndpointPort>
  readonly portsKey: string
  readonly isReady: boolean
}

const addressed = (service: Service, pods: ReadonlyArray<Pod>): ReadonlyArray<Addressed> => {
  const found: Array<Addressed> = []
  for (const pod of pods) {
    const it = addressOf(service, pod)
    if (it !== undefined) found.push(it)
  }
  return found.sort((a, b) => a.number - b.number)
}

/**
 * Remembers what is told of a Pod in the name of a Service: of a thousand Pods one has changed, and the others are the
 * very same objects in the next version.
 */
export const perPod = <A>(ask: (service: Service, pod: Pod) => A): ((service: Service, pod: Pod) => A) => {
  const answers = new WeakMap<Service, WeakMap<Pod, { readonly answer: A }>>()
  return (service, pod) => {
    const ofService = answers.get(service) ?? new WeakMap<Pod, { readonly answer: A }>()
    answers.set(service, ofService)
    const known = ofService.get(pod)
    if (known !== undefined) return known.answer
    const answer = ask(service, pod)
    ofService.set(pod, { answer })
    return answer
  }
}

const addressOf = perPod((service, pod): Addressed | undefined => {
  const showsAll = service.spec.publishNotReadyAddresses === true
  const { podIP } = pod.status
  if (podIP === undefined || isFinished(pod) || (isTerminating(pod) && !showsAll)) return undefined
  const ports = portsOf(service, pod)
  if (ports.length === 0 && (service.spec.ports ?? []).length > 0) return undefined
  const hostname = hostnameOf(pod, service)
  return {
    address: {
      ip: podIP,
      ...(hostname === undefined ? {} : { hostname }),
      ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
      targetRef: targetOf(pod)
    },
    number: podIP.split(".").reduce((number, part) => number * 256 + Number(part), 0),
    ports,
    portsKey: JSON.stringify(ports),
    isReady: showsAll || isReady(pod)
  }
})

/** Those that are ready first. */
const fittest = (all: ReadonlyArray<Addressed>): ReadonlyArray<Addressed> =>
  [...all.filter((it) => it.isReady), ...all.filter((it) => !it.isReady)].slice(0, addressesMax)

/** Pods with the same ports are told of together. */
const subsetsOf = (all: ReadonlyArray<Addressed>): Array<Core.EndpointSubset> => {
  const groups = new Map<string, Group>()
  for (const { portsKey, ports, address, isReady } of all) {
    const group = groups.get(portsKey) ?? { ports, ready: [], unready: [] }
    groups.set(portsKey, group)
    const addresses = isReady ? group.ready : group.unready
    addresses.push(address)
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, unready }]) => ({
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(unready.length === 0 ? {} : { notReadyAddresses: unready }),
      ...(ports.length === 0 ? {} : { ports: [...ports] })
    }))
}

interface Group {
  readonly ports: ReadonlyArray<Core.EndpointPort>
  readonly ready: Array<Core.EndpointAddress>
  readonly unready: Array<Core.EndpointAddress>
}
