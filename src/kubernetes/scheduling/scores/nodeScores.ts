import { termMatches } from "../podAffinityTerms.ts"
import { capacityOf } from "../nodeResources.ts"
import { imageScores, nodeAffinityScores, taintScores } from "./preferenceScores.ts"
import { balanceScores, leastAllocatedScores } from "./resourceScores.ts"
import { podAffinityScores } from "./podAffinityScores.ts"
import { spreadScores } from "./spreadScores.ts"
import type { Node } from "../../meta/objects.ts"
import type { PodToPlace, PlacementWorld } from "../placementFilter.ts"
import type { NodeScorer, ScoreFacts } from "./nodeScorer.ts"

/** All scorers with their weights. Source: pkg/scheduler/apis/config/v1/default_plugins.go. */
const scorers: ReadonlyArray<readonly [weight: number, scorer: NodeScorer]> = [
  [3, taintScores],
  [2, nodeAffinityScores],
  [1, leastAllocatedScores],
  [2, spreadScores],
  [2, podAffinityScores],
  [1, balanceScores],
  [1, imageScores]
]

/**
 * The weighted sums of all scores. Undefined where nodes differ only by their number of Pods: if neither the Pod nor
 * Pods on nodes prefer a node, and all nodes have equal capacity, no images, and no taint that Pods avoid.
 * Source: pkg/scheduler/schedule_one.go (prioritizeNodes).
 */
export const scoreNodes = (
  pod: PodToPlace,
  fitting: ReadonlyArray<Node>,
  facts: ScoreFacts
): ReadonlyArray<number> | undefined => {
  if (!prefersNodes(pod) && !fitting.some(differsFrom(fitting[0])) && !isPreferred(pod, facts.world))
    return undefined
  const sums = fitting.map(() => 0)
  for (const [weight, scorer] of scorers) {
    scorer(pod, fitting, facts)?.forEach((score, index) => {
      sums[index] = (sums[index] ?? 0) + weight * score
    })
  }
  return sums
}

const prefersNodes = ({ spec }: PodToPlace): boolean => {
  const { affinity, topologySpreadConstraints } = spec
  if (topologySpreadConstraints?.some((it) => it.whenUnsatisfiable === "ScheduleAnyway") === true) return true
  if (affinity === undefined) return false
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution"
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  return [nodeAffinity, podAffinity, podAntiAffinity].some((it) => (it?.[preferred]?.length ?? 0) > 0)
}

/** Whether a node has other capacity than `other`, or has images or a taint that Pods avoid. */
const differsFrom = (other: Node | undefined) => (node: Node) => {
  if (other === undefined) return false
  if (node.status.images !== undefined && node.status.images.length > 0) return true
  if (node.spec.taints?.some(({ effect }) => effect === "PreferNoSchedule") === true) return true
  if (node.status.allocatable === other.status.allocatable) return false
  const [a, b] = [capacityOf(node), capacityOf(other)]
  return a.cpuMillicores !== b.cpuMillicores || a.memoryMillibytes !== b.memoryMillibytes
}

/** Whether Pods on nodes prefer this Pod near them, or far. */
const isPreferred = (pod: PodToPlace, world: PlacementWorld): boolean => {
  for (const { weight, term } of world.boundTerms())
    if (weight !== 0 && termMatches(term, pod, world)) return true
  return false
}
