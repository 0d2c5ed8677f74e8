import { isTerminating } from "../meta/deletion.ts"
import { isPreempted } from "../pods/disruptionTarget.ts"
import { prepareChecks } from "./placementFilters.ts"
import { fitErrorText } from "./placementSentences.ts"
import { unresolvableByPreemption } from "./placementFilter.ts"
import { budgetViolations, compareByImportance, leastDisruptiveChoice, priorityOf } from "./victims.ts"
import { nodeInfosWithPods } from "./nodeInfos.ts"
import type { Node, Pod } from "../meta/objects.ts"
import type { DisruptionBudget } from "../policy/disruptionBudgets.ts"
import type { FilterName } from "./placementFilters.ts"
import type { Obstacle, NodeInfos } from "./placementFilter.ts"
import type { VictimChoice } from "./victims.ts"

type Preemption =
  | ({ readonly type: "victims" } & VictimChoice)
  | { readonly type: "none"; readonly message: string; readonly keepsNomination: boolean }

interface PreemptionFacts {
  readonly nodes: ReadonlyArray<Node>
  readonly obstacles: ReadonlyMap<Node, Obstacle>
  readonly nodeInfos: NodeInfos
  readonly budgets: Iterable<DisruptionBudget>
  /** The lowest priority of a bound Pod. */
  readonly lowestPriority: number
  readonly nominatedOn: (nodeName: string) => ReadonlyArray<Pod>
}

/** Source: preemption.go (Preempt), default_preemption.go. */
export const findPreemption = (pod: Pod, facts: PreemptionFacts): Preemption => {
  const ineligible = whyIneligible(pod, facts)
  if (ineligible !== undefined) return { type: "none", message: ineligible, keepsNomination: true }
  const candidates = facts.nodes.filter((node) => facts.obstacles.get(node)?.isUnresolvable === false)
  const choicesWanted = candidatesToFind(candidates.length)
  const choices: Array<VictimChoice> = []
  const failures = new Map<Node, Obstacle>()
  for (const node of candidates) {
    const found = findVictims(pod, node, facts)
    if ("victims" in found) choices.push(found)
    else failures.set(node, found)
    if (choices.length >= choicesWanted && choices.some(({ violationCount }) => violationCount === 0)) break
  }
  const best = leastDisruptiveChoice(choices)
  if (best !== undefined) return { type: "victims", ...best }
  const obstacles = facts.nodes.map((node) => failures.get(node) ?? notHelpfulObstacle)
  return { type: "none", message: fitErrorText(facts.nodes.length, obstacles), keepsNomination: false }
}

const notHelpfulObstacle = unresolvableByPreemption("Preemption is not helpful for scheduling")
const noVictimsObstacle = unresolvableByPreemption("No preemption victims found for incoming pod")

/** The defaults of `minCandidateNodesPercentage` and `minCandidateNodesAbsolute`. */
const candidatesToFind = (nodeCount: number): number =>
  Math.min(nodeCount, Math.max(100, Math.trunc(nodeCount / 10)))

const whyIneligible = (pod: Pod, { nodes, obstacles, nodeInfos }: PreemptionFacts): string | undefined => {
  if (pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never."
  const { nominatedNodeName = "" } = pod.status
  const node =
    nominatedNodeName === "" ? undefined : nodes.find(({ metadata }) => metadata.name === nominatedNodeName)
  if (node === undefined || obstacles.get(node)?.isUnresolvable === true) return undefined
  return nodeInfos
    .podsOn(nominatedNodeName)
    .some((it) => priorityOf(it) < priorityOf(pod) && isBeingPreempted(it))
    ? "not eligible due to a terminating pod on the nominated node."
    : undefined
}

const isBeingPreempted = (pod: Pod): boolean => isTerminating(pod) && isPreempted(pod)

const findVictims = (pod: Pod, node: Node, facts: PreemptionFacts): VictimChoice | Obstacle => {
  const { nodeInfos, budgets, lowestPriority, nominatedOn } = facts
  const { name } = node.metadata
  const priority = priorityOf(pod)
  if (lowestPriority >= priority) return noVictimsObstacle
  const lowerPriorityPods = nodeInfos.podsOn(name).filter((it) => priorityOf(it) < priority)
  if (lowerPriorityPods.length === 0) return noVictimsObstacle
  const nominated = nominatedOn(name)
  const obstacleWithout = (removed: ReadonlyArray<Pod>): Obstacle | undefined =>
    obstacleWithNominated(pod, node, {
      nodeInfos: nodeInfosWithPods(nodeInfos, node, { removed }),
      nominated
    })
  const obstacle = obstacleWithout(lowerPriorityPods)
  if (obstacle !== undefined) return obstacle
  const sorted = lowerPriorityPods.toSorted(compareByImportance)
  const violating = budgetViolations(sorted, [...budgets])
  let victims: ReadonlyArray<Pod> = sorted
  const violatingFirst = [
    ...sorted.filter((it) => violating.has(it)),
    ...sorted.filter((it) => !violating.has(it))
  ]
  // Spares Pods beside which the new one still fits, first those with a disruption budget.
  for (const candidate of violatingFirst) {
    const otherVictims = victims.filter((it) => it !== candidate)
    if (obstacleWithout(otherVictims) === undefined) victims = otherVictims
  }
  return { nodeName: name, victims, violationCount: victims.filter((it) => violating.has(it)).length }
}

/**
 * Pods that are nominated for the node may come or not, so the Pod must fit in both cases. Source:
 * runtime/framework.go (RunFilterPluginsWithNominatedPods).
 */
export const obstacleWithNominated = (
  pod: Pod,
  node: Node,
  {
    nodeInfos,
    nominated,
    onFailure
  }: {
    readonly nodeInfos: NodeInfos
    readonly nominated: ReadonlyArray<Pod>
    readonly onFailure?: ((filter: FilterName) => void) | undefined
  }
): Obstacle | undefined => {
  const added = nominated.filter(
    (it) => it.metadata.uid !== pod.metadata.uid && priorityOf(it) >= priorityOf(pod)
  )
  const obstacleBesideNominated =
    added.length === 0
      ? undefined
      : prepareChecks(pod, nodeInfosWithPods(nodeInfos, node, { added })).obstacle(node, onFailure)
  return obstacleBesideNominated ?? prepareChecks(pod, nodeInfos).obstacle(node, onFailure)
}
