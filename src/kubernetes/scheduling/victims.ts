import { matchesSelector, isEmptySelector } from "../meta/selectors/labelSelectors.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { Pod } from "../meta/objects.ts"
import type { DisruptionBudget } from "../policy/disruptionBudgets.ts"

/**
 * Source: default_preemption.go, util/utils.go (MoreImportantPod, GetEarliestPodStartTime), preemption.go.
 */

export const priorityOf = ({ spec }: Pick<Pod, "spec">): number => spec.priority ?? 0

const startedMillis = ({ status }: Pod): number =>
  status.startTime === undefined ? Infinity : timestampMillis(status.startTime)

export const compareByImportance = (a: Pod, b: Pod): number => {
  const difference = priorityOf(b) - priorityOf(a)
  if (difference !== 0) return difference
  const [left, right] = [startedMillis(a), startedMillis(b)]
  return left === right ? 0 : left < right ? -1 : 1
}

/** Assumes the deletion of all Pods in this order. */
export const budgetViolations = (
  pods: ReadonlyArray<Pod>,
  budgets: ReadonlyArray<DisruptionBudget>
): ReadonlySet<Pod> => {
  const violating = new Set<Pod>()
  const disruptionsLeft = budgets.map(({ status }) => status.disruptionsAllowed)
  for (const pod of pods) {
    if (Object.keys(pod.metadata.labels ?? {}).length === 0) continue
    budgets.forEach((budget, index) => {
      if (!coversPod(budget, pod)) return
      const disruptionsAfter = (disruptionsLeft[index] ?? 0) - 1
      disruptionsLeft[index] = disruptionsAfter
      if (disruptionsAfter < 0) violating.add(pod)
    })
  }
  return violating
}

/** A Pod in `disruptedPods` has been counted already. */
const coversPod = ({ metadata, spec, status }: DisruptionBudget, pod: Pod): boolean =>
  metadata.namespace === pod.metadata.namespace &&
  spec.selector !== undefined &&
  !isEmptySelector(spec.selector) &&
  matchesSelector(spec.selector, pod.metadata.labels) &&
  status.disruptedPods?.[pod.metadata.name] === undefined

export interface VictimChoice {
  readonly nodeName: string
  readonly victims: ReadonlyArray<Pod>
  /** Victims that a disruption budget protects. */
  readonly violationCount: number
}

export const leastDisruptiveChoice = (choices: ReadonlyArray<VictimChoice>): VictimChoice | undefined => {
  let remaining = choices
  for (const costOf of costs) {
    const least = Math.min(...remaining.map(costOf))
    remaining = remaining.filter((choice) => costOf(choice) === least)
    if (remaining.length < 2) break
  }
  return remaining[0]
}

/** Makes priorities positive: more victims of negative priority are no gain. */
const priorityShift = 2 ** 31

const costs: ReadonlyArray<(choice: VictimChoice) => number> = [
  ({ violationCount }) => violationCount,
  ({ victims }) => highestPriority(victims),
  ({ victims }) => victims.reduce((sum, pod) => sum + priorityOf(pod) + priorityShift, 0),
  ({ victims }) => victims.length,
  // The later the most important victims have started, the less work is lost.
  ({ victims }) => {
    const highest = highestPriority(victims)
    return -Math.min(...victims.filter((pod) => priorityOf(pod) === highest).map(startedMillis))
  }
]

const highestPriority = (victims: ReadonlyArray<Pod>): number => Math.max(...victims.map(priorityOf))
