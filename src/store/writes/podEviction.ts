import * as Effect from "effect/Effect"
import { requestDisruption, allowsUnhealthyEviction } from "../../kubernetes/policy/disruptionBudgets.ts"
import { disruptionReasons, withDisruptionTarget } from "../../kubernetes/pods/disruptionTarget.ts"
import { isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { DisruptionBudget, DisruptionDecision } from "../../kubernetes/policy/disruptionBudgets.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { StoreError } from "../storeErrors.ts"
import type { ClusterView, DeleteOptions, ObjectStore } from "../objectStore.ts"

/** `exempt`: no budget has to allow the eviction. `judged`: one budget allows it or not. */
type EvictionDecision =
  | { readonly type: "exempt" }
  | { readonly type: "tooManyBudgets" }
  | {
      readonly type: "judged"
      readonly budget: DisruptionBudget
      readonly budgetDecision: DisruptionDecision
    }

/** Source: pkg/registry/core/pod/storage/eviction.go. */
export const checkDisruptionBudgets = (
  view: ClusterView["Service"],
  pod: Pod,
  nowMillis: number
): EvictionDecision => {
  if (isExemptFromBudgets(pod)) return { type: "exempt" }
  const [budget, another] = budgetsOf(view.all(resources.disruptionBudgets), pod)
  if (budget === undefined) return { type: "exempt" }
  if (another !== undefined) return { type: "tooManyBudgets" }
  if (!isPodReady(pod) && allowsUnhealthyEviction(budget)) return { type: "exempt" }
  return { type: "judged", budget, budgetDecision: requestDisruption(budget, pod.metadata.name, nowMillis) }
}

const isExemptFromBudgets = (pod: Pod): boolean =>
  pod.status.phase === "Pending" || isPodFinished(pod) || isTerminating(pod)

/** No budget selects a Pod without labels. */
const budgetsOf = (budgets: Iterable<DisruptionBudget>, { metadata }: Pod): ReadonlyArray<DisruptionBudget> =>
  Object.keys(metadata.labels ?? {}).length === 0
    ? []
    : [...budgets].filter(
        (budget) =>
          budget.metadata.namespace === metadata.namespace &&
          matchesSelector(budget.spec.selector, metadata.labels)
      )

/** The caller has asked the Pod's disruption budgets. */
export const evictPod = (
  store: ObjectStore["Service"],
  pod: Pod,
  options: { readonly nowMillis: number; readonly request: DeleteOptions }
): Effect.Effect<void, StoreError> => {
  const status = withDisruptionTarget(pod, disruptionReasons.eviction, options.nowMillis)
  const evicted: Pod = { ...pod, status }
  const ref = { resource: resources.pods, key: objectKeyOf(pod) }
  return Effect.andThen(store.updateStatus(evicted), Effect.asVoid(store.delete(ref, options.request)))
}
