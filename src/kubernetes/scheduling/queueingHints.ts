import { isSemanticallyEqual } from "../meta/semanticEquality.ts"
import { isPodFinished } from "../pods/podState.ts"
import { isTerminating } from "../meta/deletion.ts"
import { matchesSelector } from "../meta/selectors/labelSelectors.ts"
import { spreadsOf } from "./topologySpread.ts"
import { podClaims } from "../storage/podClaims.ts"
import { podRequestsOf } from "../pods/podRequests.ts"
import { resources } from "../meta/kinds.ts"
import { termMatchesPod, affinityTermsOf } from "./podAffinityTerms.ts"
import type { KubeObject, Node, Pod, PodSpec } from "../meta/objects.ts"
import type { NodeInfos } from "./placementFilter.ts"
import type { FilterName } from "./placementFilters.ts"

/** `filters`: the filters that kept the Pod from the nodes. */
export interface WaitingPod {
  readonly pod: Pod
  readonly filters: ReadonlySet<FilterName>
}

/** Source: pkg/scheduler/framework/plugins (EventsToRegister of each). */
export const mayFitAfterNodeChange = (
  { filters }: WaitingPod,
  {
    node,
    old,
    isDeleted
  }: { readonly node: Node; readonly old: Node | undefined; readonly isDeleted: boolean }
): boolean => {
  // Without the domain with the fewest Pods, the other domains may have more.
  if (isDeleted) return filters.has("PodTopologySpread")
  return old === undefined || !isSemanticallyEqual(placementFacts(node), placementFacts(old))
}

const placementFacts = ({ spec, metadata, status }: Node): object => ({
  spec,
  labels: metadata.labels,
  allocatable: status.allocatable,
  conditions: (status.conditions ?? []).map(({ type, status: state }) => ({ type, state }))
})

interface BoundPodChange {
  readonly before: Pod | undefined
  readonly after: Pod | undefined
}

/** Undefined if nothing changes for the placement of other Pods. */
export const boundPodChange = (old: Pod | undefined, next: Pod | undefined): BoundPodChange | undefined => {
  const before = old !== undefined && isOnNode(old) ? old : undefined
  const after = next !== undefined && isOnNode(next) ? next : undefined
  if (before === undefined && after === undefined) return undefined
  const isSame =
    before !== undefined &&
    after !== undefined &&
    before.spec === after.spec &&
    before.metadata.labels === after.metadata.labels &&
    isTerminating(before) === isTerminating(after)
  return isSame ? undefined : { before, after }
}

const isOnNode = (pod: Pod): boolean => pod.spec.nodeName !== undefined && !isPodFinished(pod)

/** Source: the plugins' isSchedulableAfterPodEvent and isSchedulableAfterPodChange. */
export const mayFitAfterPodChange = (
  { pod, filters }: WaitingPod,
  { before, after }: BoundPodChange,
  nodeInfos: Pick<NodeInfos, "namespaces">
): boolean => {
  const isGone = after === undefined
  if (isGone && (filters.has("NodeResourcesFit") || filters.has("NodePorts"))) return true
  if (isGone && (filters.has("VolumeRestrictions") || filters.has("NodeVolumeLimits"))) return true
  const changed = [before, after].filter((it) => it !== undefined)
  return (
    (filters.has("NodeResourcesFit") && freesResources(pod, before, after)) ||
    (filters.has("PodTopologySpread") && changed.some((it) => isCountedInSpreads(pod, it))) ||
    (filters.has("InterPodAffinity") && changed.some((it) => isRelatedByAffinity(pod, it, nodeInfos)))
  )
}

const freesResources = (pod: Pod, before: Pod | undefined, after: Pod | undefined): boolean => {
  if (before === undefined || after === undefined || before.spec === after.spec) return false
  const [wanted, former, present] = [pod, before, after].map(({ spec }) => resourceAmounts(spec))
  return [...(wanted ?? [])].some(
    ([name, amount]) => amount > 0n && (present?.get(name) ?? 0n) < (former?.get(name) ?? 0n)
  )
}

const resourceAmounts = (spec: PodSpec): ReadonlyMap<string, bigint> => {
  const { cpuMillicores, memoryMillibytes, others = [] } = podRequestsOf(spec)
  return new Map([["cpu", cpuMillicores], ["memory", memoryMillibytes], ...others])
}

const isCountedInSpreads = (pod: Pod, { metadata }: Pod): boolean =>
  metadata.namespace === pod.metadata.namespace &&
  spreadsOf(pod, "DoNotSchedule").some(({ query }) =>
    query.selectors.every((selector) => matchesSelector(selector, metadata.labels))
  )

const isRelatedByAffinity = (pod: Pod, other: Pod, nodeInfos: Pick<NodeInfos, "namespaces">): boolean =>
  affinityTermsOf(pod).some(
    ({ role, term }) => role !== "preferred" && termMatchesPod(term, other, nodeInfos)
  ) ||
  affinityTermsOf(other).some(
    ({ role, term }) => role === "requiredAntiAffinity" && termMatchesPod(term, pod, nodeInfos)
  )

const volumeFilters: ReadonlyArray<FilterName> = [
  "VolumeRestrictions",
  "NodeVolumeLimits",
  "VolumeBinding",
  "VolumeZone"
]

export const mayFitAfterStorageChange = (
  { pod, filters }: WaitingPod,
  { resource, object }: { readonly resource: string; readonly object: KubeObject }
): boolean =>
  volumeFilters.some((it) => filters.has(it)) &&
  (resource !== resources.persistentVolumeClaims ||
    (object.metadata.namespace === pod.metadata.namespace &&
      podClaims(pod).some(({ name }) => name === object.metadata.name)))
