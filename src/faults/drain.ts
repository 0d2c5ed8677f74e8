import * as Effect from "effect/Effect"
import { controllerOf, isTerminating } from "../domain/ownerReferences.ts"
import { byKey, keyOf } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import { judgeEviction, removeEvicted } from "../store/evictions.ts"
import type { DisruptionBudget } from "../domain/disruptionBudgets.ts"
import type { Pod } from "../domain/objects.ts"
import type { StoreError } from "../store/errors.ts"
import type { Timer } from "../runtime/timerHeap.ts"
import type { FaultWorld } from "./faultWorld.ts"

/** Who is not let go is asked for again after so long. */
const againMillis = 5000
/** After everything else that is due at the same instant, as whoever drains by hand would come. */
const rank = 1000

/**
 * Evicts the Pods that are on a node, over and over until the budgets have let all of them go, as
 * `kubectl drain --ignore-daemonsets --force` does. Returns how to stop.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/drain/drain.go.
 */
export const drain = (world: FaultWorld, node: string): Effect.Effect<() => void> => {
  const { view, kernel } = world
  let left = view.nodePods.on(node).filter(isMovable).sort(byKey)
  let timer: Timer | undefined
  const round = Effect.gen(function* () {
    const refused: Array<Pod> = []
    for (const { metadata, ...rest } of left) {
      const pod = view.get(resources.pods, keyOf({ metadata, ...rest }))
      if (pod === undefined || pod.metadata.uid !== metadata.uid || isTerminating(pod)) continue
      if (!(yield* evicted(world, pod))) refused.push(pod)
    }
    left = refused
    timer = left.length === 0 ? undefined : kernel.after(againMillis, rank, () => kernel.run(round))
  })
  const stop = (): void => {
    if (timer !== undefined) kernel.cancel(timer)
    left = []
  }
  return Effect.as(round, stop)
}

/** What a DaemonSet keeps on a node is there again at once. */
const isMovable = (pod: Pod): boolean => controllerOf(pod)?.kind !== "DaemonSet"

/** Whether it was let go. A refused write is tried again like a refusal of the budget. */
const evicted = (world: FaultWorld, pod: Pod): Effect.Effect<boolean> => {
  const nowMillis = world.kernel.nowMillis()
  const judgement = judgeEviction(world.view, pod, nowMillis)
  if (judgement.type === "tooManyBudgets") return Effect.succeed(false)
  if (judgement.type === "judged" && judgement.verdict.type !== "allowed") return Effect.succeed(false)
  return pay(world, judgement).pipe(
    Effect.andThen(
      removeEvicted(world.store, pod, { nowMillis, request: { preconditions: { uid: pod.metadata.uid } } })
    ),
    Effect.match({ onSuccess: () => true, onFailure: ({ _tag }) => _tag === "NotFound" })
  )
}

const pay = (
  { store }: FaultWorld,
  judgement: ReturnType<typeof judgeEviction>
): Effect.Effect<void, StoreError> => {
  if (judgement.type !== "judged" || judgement.verdict.type !== "allowed") return Effect.void
  const paid: DisruptionBudget = { ...judgement.budget, status: judgement.verdict.status }
  return Effect.asVoid(store.updateStatus(paid))
}
