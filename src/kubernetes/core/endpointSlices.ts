import {
  lastChangeTriggerAnnotation,
  podHostname,
  endpointLabels,
  memoizePerPod,
  endpointPorts,
  podTargetRef
} from "./endpoints.ts"
import { isPodFinished, isPodReady } from "../pods/podState.ts"
import { controllerReference } from "../meta/ownerReferences.ts"
import { isTerminating } from "../meta/deletion.ts"
import { isFieldSemanticallyEqual, isSemanticallyEqual } from "../meta/semanticEquality.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { EndpointSlice, Service } from "./endpoints.ts"
import type { Draft, Labels, Pod } from "../meta/objects.ts"

/**
 * A slice has at most 100 Pods, so that a change of one Pod rewrites little. Source:
 * endpointslice/reconciler.go, utils.go.
 */
const endpointsMax = 100

const serviceNameLabel = "kubernetes.io/service-name"
const managedByLabel = "endpointslice.kubernetes.io/managed-by"
const managedBy = "endpointslice-controller.k8s.io"

export const isManagedSlice = ({ metadata }: EndpointSlice): boolean =>
  metadata.labels?.[managedByLabel] === managedBy

interface SlicePlan {
  readonly create: ReadonlyArray<Draft>
  readonly update: ReadonlyArray<EndpointSlice>
  readonly remove: ReadonlyArray<EndpointSlice>
}

type Ports = ReadonlyArray<Discovery.EndpointPort>
type EndpointsByUid = Map<string, Discovery.Endpoint>

export const planEndpointSlices = (options: {
  readonly service: Service
  readonly pods: ReadonlyArray<Pod>
  readonly slices: ReadonlyArray<EndpointSlice>
  readonly zoneOf: (nodeName: string) => string | undefined
  readonly nowMillis: number
}): SlicePlan => {
  const { service, slices, nowMillis } = options
  const labels = endpointLabels(service, {
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: managedBy
  })
  const context: SliceContext = { service, labels, nowMillis }
  const wanted = groupByPorts(options)
  const plans = [...wanted].map(([key, group]) =>
    planSlicesOfPorts({ ...group, present: slices.filter((it) => portsKey(it.ports ?? []) === key) })
  )
  const keptSlices = plans.flatMap((plan) => plan.keptSlices)
  const emptiedSlices = [
    ...plans.flatMap((plan) => plan.emptiedSlices),
    ...slices.filter((slice) => !wanted.has(portsKey(slice.ports ?? [])))
  ]
  const newContents = plans.flatMap((plan) => [...plan.newContents])
  // A Service without endpoints has one empty slice.
  if (newContents.length === 0 && keptSlices.length === 0) newContents.push(emptySliceContent)
  // Empty slices are filled again before new slices are created.
  const reused = emptiedSlices
    .slice(0, newContents.length)
    .map((slice, index) => ({ slice, ...(newContents[index] ?? emptySliceContent) }))
  return {
    create: newContents.slice(reused.length).map((content) => newSlice(context, content)),
    update: [...keptSlices, ...reused].flatMap(({ slice, ...content }) =>
      updateSlice(slice, content, context)
    ),
    remove: emptiedSlices.slice(reused.length)
  }
}

interface SliceContent {
  readonly ports: Ports
  readonly endpoints: ReadonlyArray<Discovery.Endpoint>
}

const emptySliceContent: SliceContent = { ports: [], endpoints: [] }

const groupByPorts = (options: {
  readonly service: Service
  readonly pods: ReadonlyArray<Pod>
  readonly zoneOf: (nodeName: string) => string | undefined
}): ReadonlyMap<string, { readonly ports: Ports; readonly endpoints: EndpointsByUid }> => {
  const { service, pods, zoneOf } = options
  const groups = new Map<string, { readonly ports: Ports; readonly endpoints: EndpointsByUid }>()
  for (const pod of pods) {
    const target = podEndpoint(service, pod)
    if (target === undefined) continue
    const { key, ports, endpoint } = target
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

const podEndpoint = memoizePerPod((service, pod) => {
  const { nodeName } = pod.spec
  const { podIP } = pod.status
  if (podIP === undefined || isPodFinished(pod)) return undefined
  const ports = endpointPorts(service, pod).map((port) => ({ ...port, name: port.name ?? "" }))
  const serving = isPodReady(pod)
  const terminating = isTerminating(pod)
  const hostname = podHostname(pod, service)
  const publishesNotReady = service.spec.publishNotReadyAddresses === true
  const endpoint: Discovery.Endpoint = {
    addresses: [podIP],
    conditions: { ready: publishesNotReady || (serving && !terminating), serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: podTargetRef(pod),
    ...(nodeName === undefined ? {} : { nodeName })
  }
  return { key: portsKey(ports), ports, endpoint }
})

interface SliceContext {
  readonly service: Service
  readonly labels: Labels
  readonly nowMillis: number
}

interface GroupPlan {
  readonly keptSlices: ReadonlyArray<SliceContent & { readonly slice: EndpointSlice }>
  readonly emptiedSlices: ReadonlyArray<EndpointSlice>
  readonly newContents: ReadonlyArray<SliceContent>
}

/**
 * New endpoints go into slices that are rewritten anyway, then into the fullest slice with room for
 * the rest, then into new slices.
 */
const planSlicesOfPorts = (options: {
  readonly present: ReadonlyArray<EndpointSlice>
  readonly ports: Ports
  readonly endpoints: EndpointsByUid
}): GroupPlan => {
  const { present, ports } = options
  const remaining = new Map(options.endpoints)
  const presentSlices = present.map((slice) => ({
    slice,
    ports,
    endpoints: takePresentEndpoints(slice, remaining)
  }))
  const keptSlices = presentSlices.filter(({ endpoints }) => endpoints.length > 0)
  for (const { slice, endpoints } of keptSlices) {
    if (isSemanticallyEqual(endpoints, slice.endpoints)) continue
    endpoints.push(...takeEndpoints(remaining, endpointsMax - endpoints.length))
  }
  const remainder = remaining.size % endpointsMax
  const fullest = keptSlices
    .filter(({ endpoints }) => endpoints.length + remainder <= endpointsMax)
    .sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
  if (fullest !== undefined) fullest.endpoints.push(...takeEndpoints(remaining, remainder))
  const newContents: Array<SliceContent> = []
  while (remaining.size > 0) newContents.push({ ports, endpoints: takeEndpoints(remaining, endpointsMax) })
  return {
    keptSlices,
    emptiedSlices: presentSlices.filter((it) => !keptSlices.includes(it)).map(({ slice }) => slice),
    newContents
  }
}

/** Moves the endpoints that the slice already has out of `remaining`. */
const takePresentEndpoints = (slice: EndpointSlice, remaining: EndpointsByUid): Array<Discovery.Endpoint> =>
  slice.endpoints.flatMap(({ targetRef }) => {
    const uid = targetRef?.uid ?? ""
    const wanted = remaining.get(uid)
    remaining.delete(uid)
    return wanted ?? []
  })

const takeEndpoints = (remaining: EndpointsByUid, room: number): ReadonlyArray<Discovery.Endpoint> =>
  [...remaining].slice(0, room).map(([uid, endpoint]) => {
    remaining.delete(uid)
    return endpoint
  })

const newSlice = (
  { service, labels, nowMillis }: SliceContext,
  { ports, endpoints }: SliceContent
): Draft & Pick<EndpointSlice, "addressType" | "endpoints" | "ports"> => {
  const { name, namespace = "" } = service.metadata
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels,
      annotations: { [lastChangeTriggerAnnotation]: timestampOf(nowMillis) },
      ownerReferences: [controllerReference(service)]
    },
    addressType: "IPv4",
    endpoints,
    ports
  }
}

const updateSlice = (
  slice: EndpointSlice,
  { ports, endpoints }: SliceContent,
  { labels, nowMillis }: SliceContext
): ReadonlyArray<EndpointSlice> => {
  const isUnchanged =
    isSemanticallyEqual(endpoints, slice.endpoints) &&
    portsKey(ports) === portsKey(slice.ports ?? []) &&
    isFieldSemanticallyEqual("labels", labels, slice.metadata.labels)
  if (isUnchanged) return []
  const annotations = { ...slice.metadata.annotations, [lastChangeTriggerAnnotation]: timestampOf(nowMillis) }
  return [{ ...slice, metadata: { ...slice.metadata, labels, annotations }, endpoints, ports }]
}
