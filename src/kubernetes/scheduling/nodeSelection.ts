import { cordonTaint, conditionTaints, tolerates } from "../core/taints.ts"
import { matchesNodeSelector } from "../meta/selectors/nodeSelectorTerms.ts"
import { unresolvableByPreemption } from "./placementFilter.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Node, PodSpec } from "../meta/objects.ts"
import type { Taint } from "../core/taints.ts"
import type { PlacementFilter } from "./placementFilter.ts"

/** Source: pkg/scheduler/framework/plugins (nodeunschedulable, tainttoleration, nodeaffinity). */

export const isSchedulableNode: PlacementFilter = ({ spec }) => {
  const isTolerated = (spec.tolerations ?? []).some((it) => tolerates(it, cordonTaint))
  return isTolerated
    ? undefined
    : (node) =>
        node.spec.unschedulable === true ? unresolvableByPreemption("node(s) were unschedulable") : undefined
}

export const toleratesTaints: PlacementFilter =
  ({ spec }) =>
  (node) =>
    toleratesNode(spec, taintsOf(node))
      ? undefined
      : unresolvableByPreemption("node(s) had untolerated taint(s)")

export const toleratesNode = ({ tolerations = [] }: PodSpec, taints: ReadonlyArray<Taint>): boolean =>
  taints.every(
    (taint) => taint.effect === "PreferNoSchedule" || tolerations.some((it) => tolerates(it, taint))
  )

/** Includes taints that follow from the state of a new node and are not written yet. */
const taintsOf = (node: Node): ReadonlyArray<Taint> => {
  const cached = taintsByNode.get(node)
  if (cached !== undefined) return cached
  const taints = [...(node.spec.taints ?? []), ...conditionTaints(node)]
  if (Object.isFrozen(node)) taintsByNode.set(node, taints)
  return taints
}

const taintsByNode = new WeakMap<Node, ReadonlyArray<Taint>>()

export const matchesNodeAffinity: PlacementFilter = ({ spec }) => {
  if (spec.nodeSelector === undefined && requiredNodeSelector(spec) === undefined) return undefined
  // No node has all the names that a term requires.
  if (requiredNodeNames(spec)?.size === 0) return "pod affinity terms conflict"
  return (node) =>
    selectsNode(spec, node)
      ? undefined
      : unresolvableByPreemption("node(s) didn't match Pod's node affinity/selector")
}

/** For nodes that `requiredNodeNames` leaves out: no filter checks them. */
export const unnamedNodeObstacle = unresolvableByPreemption("node(s) didn't satisfy plugin(s) [NodeAffinity]")

const requiredNodeSelector = ({ affinity }: PodSpec): Core.NodeSelector | undefined =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution

export const selectsNode = (spec: PodSpec, node: Node): boolean => {
  const { nodeSelector } = spec
  const labels = node.metadata.labels ?? {}
  for (const key in nodeSelector) if (labels[key] !== nodeSelector[key]) return false
  const required = requiredNodeSelector(spec)
  return required === undefined || matchesNodeSelector(required, node)
}

/** The nodes that the required terms allow by `metadata.name`; undefined if a term allows any name. */
export const requiredNodeNames = (spec: PodSpec): ReadonlySet<string> | undefined => {
  const terms = requiredNodeSelector(spec)?.nodeSelectorTerms ?? []
  if (terms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const requiredNames = matchFields.flatMap(({ key, operator, values }) =>
      key === "metadata.name" && operator === "In" ? [values ?? []] : []
    )
    const [firstNames, ...otherNames] = requiredNames
    if (firstNames === undefined) return undefined
    for (const name of firstNames) if (otherNames.every((it) => it.includes(name))) names.add(name)
  }
  return names
}
