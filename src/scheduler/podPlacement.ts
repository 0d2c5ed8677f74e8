import { choosePodNode } from "../kubernetes/scheduling/placement.ts"
import { findPreemption, obstacleWithNominated } from "../kubernetes/scheduling/preemption.ts"
import { prepareChecks } from "../kubernetes/scheduling/placementFilters.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { selectedNodeName } from "./volumePlacements.ts"
import { usesClaims } from "../kubernetes/storage/podClaims.ts"
import { withPreemptionText } from "../kubernetes/scheduling/placementSentences.ts"
import type { Node, Pod } from "../kubernetes/meta/objects.ts"
import type { FilterName, PlacementChecks } from "../kubernetes/scheduling/placementFilters.ts"
import type { NoPlacement } from "../kubernetes/scheduling/placement.ts"
import type { VictimChoice } from "../kubernetes/scheduling/victims.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { makeNominatedPods } from "./nominatedPods.ts"
import type { PlacementIndex } from "./placementIndex.ts"
import type { Nomination } from "./schedulingWrites.ts"

export interface FailedPlacement {
  readonly found: false
  readonly message: string
  readonly filters: ReadonlySet<FilterName>
  readonly preemption: VictimChoice | undefined
  readonly nomination: Nomination
  readonly podWithNomination: Pod
}

export const makePodPlacement = (facts: {
  readonly view: ClusterView["Service"]
  readonly index: PlacementIndex
  readonly nominated: ReturnType<typeof makeNominatedPods>
  readonly drawNodeIndex: ((pod: Pod, count: number) => number) | undefined
}) => {
  const { view, index, nominated, drawNodeIndex } = facts
  /** The index of the node at which the next search begins: among many nodes, a search looks at a part of them. */
  let searchStart = 0

  const checksOf = (pod: Pod): PlacementChecks => {
    const checks = prepareChecks(pod, index)
    if (nominated.isEmpty()) return checks
    return {
      ...checks,
      obstacle: (node, onFailure) => {
        const nominatedPods = nominated.on(node.metadata.name)
        return nominatedPods.length === 0
          ? checks.obstacle(node, onFailure)
          : obstacleWithNominated(pod, node, { nodeInfos: index, nominated: nominatedPods, onFailure })
      }
    }
  }

  const fittingNominatedNode = (pod: Pod, checks: PlacementChecks): Node | undefined => {
    const { nominatedNodeName } = pod.status
    if (nominatedNodeName === undefined || checks.refusal !== undefined) return undefined
    const node = view.get(resources.nodes, nominatedNodeName)
    return node !== undefined && checks.obstacle(node) === undefined ? node : undefined
  }

  /** The node on which the Pod was placed already, and where its claims get their volumes. */
  const fittingSelectedNode = (pod: Pod, checks: PlacementChecks): Node | undefined => {
    const name =
      usesClaims(pod.spec) && checks.refusal === undefined ? selectedNodeName(pod, view) : undefined
    const node = name === undefined ? undefined : view.get(resources.nodes, name)
    return node !== undefined && checks.obstacle(node) === undefined ? node : undefined
  }

  const fail = (pod: Pod, nodes: ReadonlyArray<Node>, failure: NoPlacement): FailedPlacement => {
    const { message, obstacles, filters } = failure
    const base = { found: false, filters } as const
    if (nodes.length === 0)
      return { ...base, message, preemption: undefined, nomination: "unchanged", podWithNomination: pod }
    const preemption = findPreemption(pod, {
      nodes,
      obstacles,
      nodeInfos: index,
      budgets: view.all(resources.disruptionBudgets),
      lowestPriority: index.lowestPriority(),
      nominatedOn: nominated.on
    })
    if (preemption.type === "victims") {
      const { nodeName } = preemption
      const podWithNomination = { ...pod, status: { ...pod.status, nominatedNodeName: nodeName } }
      return { ...base, message, preemption, nomination: { nodeName }, podWithNomination }
    }
    const text = withPreemptionText(message, preemption.message)
    if (preemption.keepsNomination || pod.status.nominatedNodeName === undefined)
      return {
        ...base,
        message: text,
        preemption: undefined,
        nomination: "unchanged",
        podWithNomination: pod
      }
    const { nominatedNodeName: _former, ...status } = pod.status
    return {
      ...base,
      message: text,
      preemption: undefined,
      nomination: "none",
      podWithNomination: { ...pod, status }
    }
  }

  return {
    place: (pod: Pod): { readonly found: true; readonly node: Node } | FailedPlacement => {
      const checks = checksOf(pod)
      const earlierNode = fittingNominatedNode(pod, checks) ?? fittingSelectedNode(pod, checks)
      if (earlierNode !== undefined) return { found: true, node: earlierNode }
      const nodes = [...view.all(resources.nodes)]
      const result = choosePodNode(pod, nodes, index, {
        startIndex: searchStart,
        checks,
        ...(drawNodeIndex === undefined ? {} : { drawNodeIndex: (count) => drawNodeIndex(pod, count) })
      })
      if (!result.found) return fail(pod, nodes, result)
      searchStart = (searchStart + result.checkedNodeCount) % nodes.length
      return result
    },
    save: (): number | undefined => (searchStart === 0 ? undefined : searchStart),
    restore: (state: number): void => {
      searchStart = state
    }
  }
}
