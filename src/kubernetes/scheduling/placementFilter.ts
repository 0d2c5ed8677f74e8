import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Labels, Node, Pod } from "../meta/objects.ts"
import type { PodRequests } from "../pods/podRequests.ts"
import type { StorageObjects } from "../storage/storageObjects.ts"
import type { DomainQuery } from "./podDomains.ts"
import type { NodePodLoad } from "./nodeLoad.ts"

export type PodToPlace = Pick<Pod, "metadata" | "spec">

/** Why a Pod cannot go to a node, in the scheduler's words. */
export interface Obstacle {
  readonly reasons: ReadonlyArray<string>
  /** Whether the obstacle would remain without the Pods of the node, so that preemption is of no use. */
  readonly isUnresolvable: boolean
}

/** A port of a node that a Pod takes. */
export interface HostPort {
  readonly port: number
  readonly protocol: string
  /** `0.0.0.0` for all addresses. */
  readonly address: string
}

/** A term of Pod affinity or anti-affinity, with what its Pod's namespace and labels add to it. */
export interface AffinityTerm {
  readonly topologyKey: string
  readonly selector: LabelSelector | undefined
  readonly namespaces: ReadonlySet<string>
  readonly namespaceSelector: LabelSelector | undefined
}

/** What a term asks for: only the required ones keep Pods away. */
export type TermRole = "requiredAffinity" | "requiredAntiAffinity" | "preferred"

export interface WeightedTerm {
  /** Equal for equal terms. */
  readonly id: string
  readonly role: TermRole
  /**
   * What the term counts in scores: negative for preferred anti-affinity, 0 for a required one; a required affinity
   * counts a little.
   */
  readonly weight: number
  readonly term: AffinityTerm
}

/** A term that Pods on nodes have, with their number by the domain of their node. */
export interface BoundTerm extends WeightedTerm {
  readonly domains: ReadonlyMap<string, number>
}

/** What the placement of a Pod depends on besides the Pod and the node. Finished Pods do not count. */
export interface PlacementWorld {
  /** What the Pods of a node take up. */
  readonly load: (nodeName: string) => NodePodLoad
  readonly podsOn: (nodeName: string) => ReadonlyArray<Pod>
  readonly hostPorts: (nodeName: string) => Iterable<HostPort>
  /** Numbers of Pods on nodes, by the value of a node label. */
  readonly podsByDomain: (query: DomainQuery) => ReadonlyMap<string, number>
  /** The affinity terms of Pods on nodes. */
  readonly boundTerms: () => Iterable<BoundTerm>
  /** The requests of a node's Pods for scores: a container without requests counts with small ones instead of zero. */
  readonly nonZeroRequests: (nodeName: string) => PodRequests
  /** Selects the Pods beside which a Pod is spread by default: those of its Services and controller, if it has any. */
  readonly defaultSpreadSelector: (pod: PodToPlace) => LabelSelector | undefined
  readonly namespaces: () => Iterable<{ readonly name: string; readonly labels: Labels | undefined }>
  /** Claims, volumes and classes; without it, no claim keeps a Pod from a node. */
  readonly storage?: StorageObjects
}

export type NodeCheck = (node: Node) => Obstacle | undefined

/**
 * Prepares the check of all nodes for a Pod. Undefined if the Pod asks for nothing that the filter looks at; a text if
 * the Pod can go to no node at all.
 * Source: pkg/scheduler/framework/interface.go (PreFilterPlugin, FilterPlugin).
 */
export type PlacementFilter = (pod: PodToPlace, world: PlacementWorld) => NodeCheck | string | undefined

export const unresolvableByPreemption = (reason: string): Obstacle => ({
  reasons: [reason],
  isUnresolvable: true
})
export const resolvableByPreemption = (reason: string): Obstacle => ({
  reasons: [reason],
  isUnresolvable: false
})
