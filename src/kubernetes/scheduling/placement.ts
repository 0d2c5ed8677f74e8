import { noNodesMessage, fitErrorText, refusalText } from "./placementSentences.ts"
import { prepareChecks } from "./placementFilters.ts"
import { scoreNodes } from "./scores/nodeScores.ts"
import type { Node } from "../meta/objects.ts"
import type { Obstacle, PodToPlace, PlacementWorld } from "./placementFilter.ts"
import type { FilterName, PlacementChecks } from "./placementFilters.ts"

export interface NoPlacement {
  readonly found: false
  readonly message: string
  /** Empty if no node may take the Pod. */
  readonly obstacles: ReadonlyMap<Node, Obstacle>
  readonly filters: ReadonlySet<FilterName>
}

type Placement = { readonly found: true; readonly node: Node; readonly checkedNodes: number } | NoPlacement

interface PlacementSearch {
  readonly start?: number
  /** By default, the first node is chosen. */
  readonly drawNodeIndex?: (count: number) => number
  /** The scheduler's checks also count Pods that are nominated for a node. */
  readonly checks?: Pick<PlacementChecks, "refusal" | "obstacle">
}

/** Source: schedule_one.go (schedulePod, findNodesThatPassFilters). */
export const choosePodNode = (
  pod: PodToPlace,
  nodes: ReadonlyArray<Node>,
  world: PlacementWorld,
  search: PlacementSearch = {}
): Placement => {
  const noObstacles: ReadonlyMap<Node, Obstacle> = new Map()
  if (nodes.length === 0)
    return { found: false, message: noNodesMessage, obstacles: noObstacles, filters: new Set() }
  const { start = 0, checks = prepareChecks(pod, world) } = search
  if (checks.refusal !== undefined) {
    const { filter, reason } = checks.refusal
    const message = refusalText(nodes.length, reason)
    return { found: false, message, obstacles: noObstacles, filters: new Set([filter]) }
  }
  const obstacles = new Map<Node, Obstacle>()
  const filters = new Set<FilterName>()
  const addFilter = (filter: FilterName): void => void filters.add(filter)
  const fitting: Array<Node> = []
  const wanted = feasibleNodesToFind(nodes.length)
  let checkedNodes = 0
  while (checkedNodes < nodes.length && fitting.length < wanted) {
    const node = nodes[(start + checkedNodes) % nodes.length]
    checkedNodes += 1
    if (node === undefined) continue
    const obstacle = checks.obstacle(node, addFilter)
    if (obstacle === undefined) fitting.push(node)
    else obstacles.set(node, obstacle)
  }
  const node = bestNode(pod, fitting, { world, nodes, drawNodeIndex: search.drawNodeIndex })
  return node === undefined
    ? { found: false, message: fitErrorText(nodes.length, obstacles.values()), obstacles, filters }
    : { found: true, node, checkedNodes }
}

/** With fewer nodes, the scheduler looks at all of them. */
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
    world,
    nodes,
    drawNodeIndex
  }: {
    readonly world: PlacementWorld
    readonly nodes: ReadonlyArray<Node>
    readonly drawNodeIndex: PlacementSearch["drawNodeIndex"]
  }
): Node | undefined => {
  if (fitting.length < 2) return fitting[0]
  const scores = scoreNodes(pod, fitting, { world, nodes })
  let best: Node | undefined
  let bestScore = 0
  let bestPods = 0
  let equals: Array<Node> | undefined
  fitting.forEach((node, index) => {
    const score = scores?.[index] ?? 0
    const { pods } = world.load(node.metadata.name)
    const isBetter = best === undefined || score > bestScore || (score === bestScore && pods < bestPods)
    if (isBetter) {
      best = node
      bestScore = score
      bestPods = pods
      equals = undefined
    } else if (score === bestScore && pods === bestPods && best !== undefined) {
      if (equals === undefined) equals = [best]
      equals.push(node)
    }
  })
  if (scores === undefined || drawNodeIndex === undefined || equals === undefined) return best
  return equals[drawNodeIndex(equals.length)] ?? best
}
