import { changedAtAnnotation, hostnameOf, labelsFrom, perPod, portsOf, targetOf } from "./endpoints.ts"
import { isFinished, isReady } from "./pods.ts"
import { controllerReference, isTerminating } from "./ownerReferences.ts"
import { isSameValue } from "./sameness.ts"
import { timestampOf } from "./timestamps.ts"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { EndpointSlice, Service } from "./endpoints.ts"
import type { Draft, Labels, Pod } from "./objects.ts"

/**
 * The EndpointSlices of a Service: its Pods in portions, so that one Pod's change rewrites one portion.
 *
 * Source: staging/src/k8s.io/endpointslice/reconciler.go, staging/src/k8s.io/endpointslice/utils.go.
 */
const endpointsMax = 100

const serviceNameLabel = "kubernetes.io/service-name"
const managedByLabel = "endpointslice.kubernetes.io/managed-by"
const managedBy = "endpointslice-controller.k8s.io"

/** Whether a slice is one of those that are kept up, and not somebody else's. */
export const isManagedSlice = ({ metadata }: EndpointSlice): boolean =>
  metadata.labels?.[managedByLabel] === managedBy

/** What must be written for a Service's slices to be what they should be. */
interface SlicePlan {
  readonly create: ReadonlyArray<Draft>
  readonly update: ReadonlyArray<EndpointSlice>
  readonly remove: ReadonlyArray<EndpointSlice>
}

type Ports = ReadonlyArray<Discovery.EndpointPort>
type Wanted = Map<string, Discovery.Endpoint>

export const planSlices = (options: {
  readonly service: Service
  readonly pods: ReadonlyArray<Pod>
  /** The present slices of this Service that are kept up. */
  readonly slices: ReadonlyArray<EndpointSlice>
  readonly zoneOf: (nodeName: string) => string | undefined
  readonly nowMillis: number
}): SlicePlan => {
  const { service, slices, nowMillis } = options
  const labels = labelsFrom(service, {
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: managedBy
  })
  const write: Writing = { service, labels, nowMillis }
  const wanted = groupsOf(options)
  const plans = [...wanted].map(([key, group]) =>
    planGroup({ ...group, present: slices.filter((it) => portsKey(it.ports ?? []) === key) })
  )
  const kept = plans.flatMap((plan) => plan.kept)
  const idle = [
    ...plans.flatMap((plan) => plan.idle),
    ...slices.filter((slice) => !wanted.has(portsKey(slice.ports ?? [])))
  ]
  const portions = plans.flatMap((plan) => [...plan.portions])
  // A Service that nobody answers for has one slice that says so.
  if (portions.length === 0 && kept.length === 0) portions.push(nobody)
  const reused = idle
    .slice(0, portions.length)
    .map((slice, index) => ({ slice, ...(portions[index] ?? nobody) }))
  return {
    create: portions.slice(reused.length).map((portion) => newSlice(write, portion)),
    update: [...kept, ...reused].flatMap(({ slice, ...portion }) => changed(slice, portion, write)),
    remove: idle.slice(reused.length)
  }
}

/** What one slice holds. */
interface Portion {
  readonly ports: Ports
  readonly endpoints: ReadonlyArray<Discovery.Endpoint>
}

const nobody: Portion = { ports: [], endpoints: [] }

/** The endpoints there should be, by uid of their Pod, in groups that have the same ports. */
const groupsOf = (options: {
  readonly service: Service
  readonly pods: ReadonlyArray<Pod>
  readonly zoneOf: (nodeName: string) => string | undefined
}): ReadonlyMap<string, { readonly ports: Ports; readonly endpoints: Wanted }> => {
  const { service, pods, zoneOf } = options
  const groups = new Map<string, { readonly ports: Ports; readonly endpoints: Wanted }>()
  for (const pod of pods) {
    const reached = reachedAt(service, pod)
    if (reached === undefined) continue
    const { key, ports, endpoint } = reached
    const group = groups.get(key) ?? { ports, endpoints: new Map() }
    groups.set(key, group)
    const zone = pod.spec.nodeName === undefined ? undefined : zoneOf(pod.spec.nodeName)
    group.endpoints.set(pod.metadata.uid, zone === undefined ? endpoint : { ...endpoint, zone })
  }
  return groups
}

const portsKey = (ports: Ports): string =>
  JSON.stringify(
    ports.map(({ name = "", port, protocol, appProtocol }) => [name, port, protocol, appProtocol])
  )

/** A Pod as it is told of, but for its zone. */
const reachedAt = perPod((service, pod) => {
  const { nodeName } = pod.spec
  const { podIP } = pod.status
  if (podIP === undefined || isFinished(pod)) return undefined
  const ports = portsOf(service, pod).map((port) => ({ ...port, name: port.name ?? "" }))
  const serving = isReady(pod)
  const terminating = isTerminating(pod)
  const hostname = hostnameOf(pod, service)
  const showsAll = service.spec.publishNotReadyAddresses === true
  const endpoint: Discovery.Endpoint = {
    addresses: [podIP],
    conditions: { ready: showsAll || (serving && !terminating), serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: targetOf(pod),
    ...(nodeName === undefined ? {} : { nodeName })
  }
  return { key: portsKey(ports), ports, endpoint }
})

interface Writing {
  readonly service: Service
  readonly labels: Labels
  readonly nowMillis: number
}

/** What becomes of the slices of one group: those that go on, those that hold nothing more, and what needs new ones. */
interface GroupPlan {
  readonly kept: ReadonlyArray<Portion & { readonly slice: EndpointSlice }>
  readonly idle: ReadonlyArray<EndpointSlice>
  readonly portions: ReadonlyArray<Portion>
}

/**
 * Each slice keeps those of its endpoints that are still wanted. New ones go where something is written anyway, then
 * into the fullest slice that takes what would not fill one, then into new slices.
 */
const planGroup = (options: {
  readonly present: ReadonlyArray<EndpointSlice>
  readonly ports: Ports
  readonly endpoints: Wanted
}): GroupPlan => {
  const { present, ports } = options
  const left = new Map(options.endpoints)
  const kept = present.map((slice) => ({ slice, ports, endpoints: stillWanted(slice, left) }))
  const going = kept.filter(({ endpoints }) => endpoints.length > 0)
  for (const { slice, endpoints } of going) {
    if (isSameValue(endpoints, slice.endpoints)) continue
    endpoints.push(...taken(left, endpointsMax - endpoints.length))
  }
  const rest = left.size % endpointsMax
  const roomy = going
    .filter(({ endpoints }) => endpoints.length + rest <= endpointsMax)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
  if (roomy !== undefined) roomy.endpoints.push(...taken(left, rest))
  const portions: Array<Portion> = []
  while (left.size > 0) portions.push({ ports, endpoints: taken(left, endpointsMax) })
  return { kept: going, idle: kept.filter((it) => !going.includes(it)).map(({ slice }) => slice), portions }
}

const stillWanted = (slice: EndpointSlice, left: Wanted): Array<Discovery.Endpoint> =>
  slice.endpoints.flatMap(({ targetRef }) => {
    const uid = targetRef?.uid ?? ""
    const wanted = left.get(uid)
    left.delete(uid)
    return wanted ?? []
  })

/** Takes as many as there is room for. */
const taken = (left: Wanted, room: number): ReadonlyArray<Discovery.Endpoint> =>
  [...left].slice(0, room).map(([uid, endpoint]) => {
    left.delete(uid)
    return endpoint
  })

const newSlice = (
  { service, labels, nowMillis }: Writing,
  { ports, endpoints }: Portion
): Draft & Pick<EndpointSlice, "addressType" | "endpoints" | "ports"> => {
  const { name, namespace = "" } = service.metadata
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels,
      annotations: { [changedAtAnnotation]: timestampOf(nowMillis) },
      ownerReferences: [controllerReference(service)]
    },
    addressType: "IPv4",
    endpoints,
    ports
  }
}

/** The slice with this portion, in a list; an empty one where that is what it holds already. */
const changed = (
  slice: EndpointSlice,
  { ports, endpoints }: Portion,
  { labels, nowMillis }: Writing
): ReadonlyArray<EndpointSlice> => {
  const isHeld =
    isSameValue(endpoints, slice.endpoints) &&
    portsKey(ports) === portsKey(slice.ports ?? []) &&
    isSameValue(labels, slice.metadata.labels, "labels")
  if (isHeld) return []
  const annotations = { ...slice.metadata.annotations, [changedAtAnnotation]: timestampOf(nowMillis) }
  return [{ ...slice, metadata: { ...slice.metadata, labels, annotations }, endpoints, ports }]
}
