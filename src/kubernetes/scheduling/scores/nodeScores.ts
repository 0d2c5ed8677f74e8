import { termMatchesPod } from "../podAffinityTerms.ts"
import { capacityOf } from "../nodeResources.ts"
import { imageScores, nodeAffinityScores, taintScores } from "./preferenceScores.ts"
import { balanceScores, leastAllocatedScores } from "./resourceScores.ts"
import { podAffinityScores } from "./podAffinityScores.ts"
import { spreadScores } from "./spreadScores.ts"
import type { Node } from "../../meta/objects.ts"
import type { PodToPlace, NodeInfos } from "../placementFilter.ts"
import type { NodeScorer, ScoreFacts } from "./nodeScorer.ts"

/** Source: default_plugins.go. */
const scorers: ReadonlyArray<readonly [weight: number, scorer: NodeScorer]> = [
  [3, taintScores],
  [2, nodeAffinityScores],
  [1, leastAllocatedScores],
  [2, spreadScores],
  [2, podAffinityScores],
  [1, balanceScores],
  [1, imageScores]
]

/** Undefined where nodes differ only by their number of Pods. Source: schedule_one.go (prioritizeNodes). */
export const scoreNodes = (
  pod: PodToPlace,
  fitting: ReadonlyArray<Node>,
  facts: ScoreFacts
): ReadonlyArray<number> | undefined => {
  if (
    !prefersNodes(pod) &&
    !fitting.some(mayScoreDifferentlyFrom(fitting[0])) &&
    !isPreferredByBoundPods(pod, facts.nodeInfos)
  )
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

const mayScoreDifferentlyFrom = (other: Node | undefined) => (node: Node) => {
  if (other === undefined) return false
  if (node.status.images !== undefined && node.status.images.length > 0) return true
  if (node.spec.taints?.some(({ effect }) => effect === "PreferNoSchedule") === true) return true
  if (node.status.allocatable === other.status.allocatable) return false
  const [a, b] = [capacityOf(node), capacityOf(other)]
  return a.cpuMillicores !== b.cpuMillicores || a.memoryMillibytes !== b.memoryMillibytes
}

const isPreferredByBoundPods = (pod: PodToPlace, nodeInfos: NodeInfos): boolean => {
  for (const { weight, term } of nodeInfos.termsOfBoundPods())
    if (weight !== 0 && termMatchesPod(term, pod, nodeInfos)) return true
  return false
}
