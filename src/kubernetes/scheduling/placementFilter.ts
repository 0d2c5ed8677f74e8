import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Labels, Node, Pod } from "../meta/objects.ts"
import type { PodRequests } from "../pods/podRequests.ts"
import type { StorageObjects } from "../storage/storageObjects.ts"
import type { DomainQuery } from "./podDomains.ts"
import type { NodePodLoad } from "./nodeLoad.ts"

export type PodToPlace = Pick<Pod, "metadata" | "spec">

export interface Obstacle {
  readonly reasons: ReadonlyArray<string>
  /** Whether preemption cannot remove the obstacle. */
  readonly isUnresolvable: boolean
}

export interface HostPort {
  readonly port: number
  readonly protocol: string
  readonly address: string
}

/** A term, completed by its Pod's namespace and labels. */
export interface AffinityTerm {
  readonly topologyKey: string
  readonly selector: LabelSelector | undefined
  readonly namespaces: ReadonlySet<string>
  readonly namespaceSelector: LabelSelector | undefined
}

export type TermRole = "requiredAffinity" | "requiredAntiAffinity" | "preferred"

export interface WeightedTerm {
  /** Equal for equal terms. */
  readonly id: string
  readonly role: TermRole
  /** Negative for preferred anti-affinity, 0 for a required one. */
  readonly weight: number
  readonly term: AffinityTerm
}

/** A term of bound Pods, with the number of such Pods by topology domain. */
export interface BoundPodTerm extends WeightedTerm {
  readonly domains: ReadonlyMap<string, number>
}

/** As the scheduler's NodeInfos: what filters read of the nodes and of their unfinished Pods. */
export interface NodeInfos {
  readonly requestedOn: (nodeName: string) => NodePodLoad
  readonly podsOn: (nodeName: string) => ReadonlyArray<Pod>
  readonly hostPorts: (nodeName: string) => Iterable<HostPort>
  readonly podCountsByDomain: (query: DomainQuery) => ReadonlyMap<string, number>
  readonly termsOfBoundPods: () => Iterable<BoundPodTerm>
  /** Containers without requests count with upstream's defaults. */
  readonly nonZeroRequests: (nodeName: string) => PodRequests
  readonly defaultSpreadSelector: (pod: PodToPlace) => LabelSelector | undefined
  readonly namespaces: () => Iterable<{ readonly name: string; readonly labels: Labels | undefined }>
  /** Without `storage`, no claim keeps a Pod from a node. */
  readonly storage?: StorageObjects
}

export type NodeCheck = (node: Node) => Obstacle | undefined

/**
 * Undefined if the filter does not concern the Pod; a text if no node may take the Pod. Source:
 * framework/interface.go.
 */
export type PlacementFilter = (pod: PodToPlace, nodeInfos: NodeInfos) => NodeCheck | string | undefined

export const unresolvableByPreemption = (reason: string): Obstacle => ({
  reasons: [reason],
  isUnresolvable: true
})
export const resolvableByPreemption = (reason: string): Obstacle => ({
  reasons: [reason],
  isUnresolvable: false
})
