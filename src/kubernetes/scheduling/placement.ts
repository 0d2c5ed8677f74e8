import { noNodesMessage, fitErrorText, refusalText } from "./placementSentences.ts"
import { prepareChecks } from "./placementFilters.ts"
import { scoreNodes } from "./scores/nodeScores.ts"
import type { Node } from "../meta/objects.ts"
import type { Obstacle, PodToPlace, NodeInfos } from "./placementFilter.ts"
import type { FilterName, PlacementChecks } from "./placementFilters.ts"

export interface NoPlacement {
  readonly found: false
  readonly message: string
  /** Empty if no node may take the Pod. */
  readonly obstacles: ReadonlyMap<Node, Obstacle>
  /** The filters that kept the Pod from a node. */
  readonly filters: ReadonlySet<FilterName>
}

type Placement =
  | { readonly found: true; readonly node: Node; readonly checkedNodeCount: number }
  | NoPlacement

interface PlacementSearch {
  readonly startIndex?: number
  /** Chooses among equally good nodes; by default the first. */
  readonly drawNodeIndex?: (count: number) => number
  /** The scheduler's checks also count Pods that are nominated for a node. */
  readonly checks?: Pick<PlacementChecks, "refusal" | "obstacle">
}

/** Source: schedule_one.go (schedulePod, findNodesThatPassFilters). */
export const choosePodNode = (
  pod: PodToPlace,
  nodes: ReadonlyArray<Node>,
  nodeInfos: NodeInfos,
  search: PlacementSearch = {}
): Placement => {
  const noObstacles: ReadonlyMap<Node, Obstacle> = new Map()
  if (nodes.length === 0)
    return { found: false, message: noNodesMessage, obstacles: noObstacles, filters: new Set() }
  const { startIndex = 0, checks = prepareChecks(pod, nodeInfos) } = search
  if (checks.refusal !== undefined) {
    const { filter, reason } = checks.refusal
    const message = refusalText(nodes.length, reason)
    return { found: false, message, obstacles: noObstacles, filters: new Set([filter]) }
  }
  const obstacles = new Map<Node, Obstacle>()
  const filters = new Set<FilterName>()
  const addFilter = (filter: FilterName): void => void filters.add(filter)
  const fitting: Array<Node> = []
  const feasibleMax = feasibleNodesToFind(nodes.length)
  let checkedNodeCount = 0
  while (checkedNodeCount < nodes.length && fitting.length < feasibleMax) {
    const node = nodes[(startIndex + checkedNodeCount) % nodes.length]
    checkedNodeCount += 1
    if (node === undefined) continue
    const obstacle = checks.obstacle(node, addFilter)
    if (obstacle === undefined) fitting.push(node)
    else obstacles.set(node, obstacle)
  }
  const node = bestNode(pod, fitting, { nodeInfos, nodes, drawNodeIndex: search.drawNodeIndex })
  return node === undefined
    ? { found: false, message: fitErrorText(nodes.length, obstacles.values()), obstacles, filters }
    : { found: true, node, checkedNodeCount }
}

/** The scheduler stops after this many fitting nodes or, in larger clusters, a part of all nodes. */
const feasibleNodesMin = 100

/** Source: schedule_one.go (numFeasibleNodesToFind), with the default of `percentageOfNodesToScore`. */
const feasibleNodesToFind = (nodeCount: number): number => {
  if (nodeCount < feasibleNodesMin) return nodeCount
  const percentage = Math.max(5, 50 - Math.trunc(nodeCount / 125))
  return Math.max(feasibleNodesMin, Math.trunc((nodeCount * percentage) / 100))
}

/** Unlike Kubernetes, prefers the node with the fewest Pods among equal scores. */
const bestNode = (
  pod: PodToPlace,
  fitting: ReadonlyArray<Node>,
  {
    nodeInfos,
    nodes,
    drawNodeIndex
  }: {
    readonly nodeInfos: NodeInfos
    readonly nodes: ReadonlyArray<Node>
    readonly drawNodeIndex: PlacementSearch["drawNodeIndex"]
  }
): Node | undefined => {
  if (fitting.length < 2) return fitting[0]
  const scores = scoreNodes(pod, fitting, { nodeInfos, nodes })
  let best: Node | undefined
  let bestScore = 0
  let bestPods = 0
  let equallyGood: Array<Node> | undefined
  fitting.forEach((node, index) => {
    const score = scores?.[index] ?? 0
    const { pods } = nodeInfos.requestedOn(node.metadata.name)
    const isBetter = best === undefined || score > bestScore || (score === bestScore && pods < bestPods)
    if (isBetter) {
      best = node
      bestScore = score
      bestPods = pods
      equallyGood = undefined
    } else if (score === bestScore && pods === bestPods && best !== undefined) {
      if (equallyGood === undefined) equallyGood = [best]
      equallyGood.push(node)
    }
  })
  if (scores === undefined || drawNodeIndex === undefined || equallyGood === undefined) return best
  return equallyGood[drawNodeIndex(equallyGood.length)] ?? best
}
