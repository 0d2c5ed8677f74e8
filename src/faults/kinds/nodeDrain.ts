import * as Effect from "effect/Effect"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { compareByKey } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { namedPodOf } from "../pods/podFaults.ts"
import { checkDisruptionBudgets, evictPod } from "../../store/writes/podEviction.ts"
import { afterControllersTurnOrder } from "../../runtime/time/kernel.ts"
import type { DisruptionBudget } from "../../kubernetes/policy/disruptionBudgets.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { SnapshotParts } from "../../runtime/snapshotParts.ts"
import type { Timer, TimerPlace } from "../../runtime/time/timerHeap.ts"
import type { NamedPod } from "../pods/podFaults.ts"
import type { FaultContext } from "../faultKind.ts"

/** 5 s as in kubectl. */
const retryMillis = 5000

export interface DrainState {
  /** Pods to evict. */
  readonly left: ReadonlyArray<NamedPod>
  /** The timer of the next try. */
  readonly next?: TimerPlace | undefined
}

interface Drain {
  readonly evictRemaining: Effect.Effect<void>
  readonly stop: () => void
  readonly save: (saveTimerPlace: SnapshotParts["saveTimerPlace"]) => DrainState
}

export const startOfDrain = ({ view }: FaultContext, node: string): DrainState => ({
  left: view.nodePods.on(node).filter(isMovable).sort(compareByKey).map(namedPodOf)
})

/** Evicts Pods until the disruption budgets have allowed all. Source: kubectl/pkg/drain/drain.go. */
export const makeDrain = (context: FaultContext, state: DrainState): Drain => {
  const { view, kernel } = context
  let remaining = state.left
  let timer: Timer | undefined
  const evictRemaining = Effect.gen(function* () {
    const notEvicted: Array<NamedPod> = []
    for (const namedPod of remaining) {
      const pod = view.get(resources.pods, namedPod.key)
      if (pod === undefined || pod.metadata.uid !== namedPod.uid || isTerminating(pod)) continue
      if (!(yield* tryEviction(context, pod))) notEvicted.push(namedPod)
    }
    remaining = notEvicted
    // Last at its instant, like the request of an outside client.
    timer = remaining.length === 0 ? undefined : kernel.after(retryMillis, afterControllersTurnOrder, retry)
  })
  const retry = (): void => void kernel.run(evictRemaining)
  if (state.next !== undefined) timer = kernel.resume(state.next, retry)
  return {
    evictRemaining,
    stop: () => {
      if (timer !== undefined) kernel.cancel(timer)
      remaining = []
    },
    save: (saveTimerPlace) => ({
      left: remaining,
      next: remaining.length === 0 || timer === undefined ? undefined : saveTimerPlace(timer)
    })
  }
}

/** A DaemonSet would replace its Pod at once. */
const isMovable = (pod: Pod): boolean => controllerOf(pod)?.kind !== "DaemonSet"

const tryEviction = ({ store, view, kernel }: FaultContext, pod: Pod): Effect.Effect<boolean> => {
  const nowMillis = kernel.nowMillis()
  const request = { preconditions: { uid: pod.metadata.uid } }
  const removal = evictPod(store, pod, { nowMillis, request })
  const decision = checkDisruptionBudgets(view, pod, nowMillis)
  if (decision.type === "exempt") return Effect.isSuccess(removal)
  if (decision.type === "tooManyBudgets" || decision.budgetDecision.type !== "allowed") {
    return Effect.succeed(false)
  }
  const updatedBudget: DisruptionBudget = { ...decision.budget, status: decision.budgetDecision.status }
  return Effect.isSuccess(Effect.andThen(store.updateStatus(updatedBudget), removal))
}
