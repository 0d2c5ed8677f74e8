import * as Effect from "effect/Effect"
import { countsTheSame } from "../domain/pods.ts"
import { disruptionReport, failedReport, needsScale } from "../domain/disruptionBudgets.ts"
import { expectedScale } from "../domain/expectedScale.ts"
import { formatSelector } from "../domain/selectors.ts"
import { isSameValue } from "../domain/sameness.ts"
import { keyIn, keyOf } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { retryDelayMillis } from "../runtime/reconciler.ts"
import { makeOwnWrites } from "./ownWrites.ts"
import { ranks } from "./services.ts"
import { makeSelectedPods } from "./selectedPods.ts"
import type { Scope } from "effect/Scope"
import type { DisruptionBudget, DisruptionStatus } from "../domain/disruptionBudgets.ts"
import type { Key, KubeObject, Pod } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { Timer } from "../runtime/timerHeap.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

/**
 * Says in the status of every PodDisruptionBudget how many of its Pods may be disrupted now.
 *
 * Source: pkg/controller/disruption/disruption.go.
 */
export const keepDisruptionBudgets = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view } = services
  const selected = makeSelectedPods(view)
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.disruptionBudgets })
  const failures = new Map<Key, number>()
  const own = makeOwnWrites()
  /** One a budget: when a Pod that was let go should be gone, or a refused report is tried again. */
  const timers = new Map<Key, Timer>()

  const lookAfter = (key: Key, millis: number | undefined): void => {
    const timer = timers.get(key)
    if (timer !== undefined) kernel.cancel(timer)
    timers.delete(key)
    if (millis === undefined) return
    const look = (): void => {
      timers.delete(key)
      mailbox.offer(key)
    }
    timers.set(key, kernel.after(millis, ranks.disruptionBudgets, look))
  }

  const onBudget = ({ type, object }: Change): void => {
    const budget = object as DisruptionBudget
    const { namespace = "" } = budget.metadata
    const { selector } = budget.spec
    const key = keyOf(budget)
    if (type === "DELETED" || selector === undefined) selected.forget(key)
    else selected.follow(key, { namespace, selector })
    if (type === "DELETED") lookAfter(key, undefined)
    else if (!own.isOwn()) mailbox.offer(key)
  }

  const onChange = (change: Change): void => {
    const { type, resource, object, old } = change
    if (resource === resources.disruptionBudgets) return onBudget(change)
    if (resource !== resources.pods) return
    const keys = selected.update(change)
    const isSame = type === "MODIFIED" && countsTheSame(object as Pod, old as Pod)
    if (!isSame) for (const key of keys) mailbox.offer(key)
  }

  const tryAgain = (key: Key): void => {
    const count = (failures.get(key) ?? 0) + 1
    failures.set(key, count)
    lookAfter(key, retryDelayMillis(count))
  }

  const work = Effect.fnUntraced(function* () {
    const key = yield* mailbox.take
    const budget = view.get(resources.disruptionBudgets, key)
    const looked =
      budget === undefined ? Effect.succeed(undefined) : report(services, budget, selected.of(key))
    yield* own.during(looked).pipe(
      Effect.map((atMillis) => {
        failures.delete(key)
        lookAfter(key, atMillis === undefined ? undefined : atMillis - kernel.nowMillis())
      }),
      Effect.catch(() => Effect.sync(() => tryAgain(key))),
      Effect.ensuring(Effect.sync(() => mailbox.done(key)))
    )
  })
  yield* Effect.forkScoped(Effect.forever(work()))
  const unsubscribe = view.subscribe(onChange)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      unsubscribe()
      for (const timer of timers.values()) kernel.cancel(timer)
    })
  )
  for (const object of view.all(resources.disruptionBudgets)) {
    onBudget({
      type: "ADDED",
      resource: resources.disruptionBudgets,
      object,
      old: undefined,
      resourceVersion: 0
    })
  }
})

/** Writes a budget's status where it has changed; answers when to look again. */
const report = Effect.fnUntraced(function* (
  services: ControllerServices,
  budget: DisruptionBudget,
  pods: ReadonlyArray<Pod>
): Effect.fn.Return<number | undefined, StoreError> {
  const nowMillis = services.nowMillis()
  const { namespace, name } = budget.metadata
  if (pods.length === 0) yield* say(services, budget, "Normal", "NoPods", "No matching pods found")
  const find = (resource: string, owner: string): KubeObject | undefined =>
    services.view.get(resource, keyIn(namespace, owner))
  const scale = needsScale(budget) ? expectedScale(pods, find) : noScale
  if ("failure" in scale) {
    const message = `Failed to calculate the number of expected pods: ${scale.failure}`
    yield* say(services, budget, "Warning", "CalculateExpectedPodCountFailed", message)
    yield* writeStatus(services, budget, failedReport(budget, scale.failure, nowMillis))
    return undefined
  }
  if (scale.unmanaged.length > 0)
    yield* say(services, budget, "Warning", "UnmanagedPods", unmanagedText(budget))
  const told = disruptionReport({ budget, pods, expectedScale: scale.total, nowMillis })
  for (const pod of told.stuck) {
    const message = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`
    yield* say(services, pod, "Warning", "NotDeleted", message)
  }
  yield* writeStatus(services, budget, told.status)
  return told.lookAgainMillis
})

const noScale = { total: 0, unmanaged: [] }

const unmanagedText = ({ spec }: DisruptionBudget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${formatSelector(spec.selector ?? {})}) were found to be ` +
  "unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined " +
  'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'

const say = (
  { events }: ControllerServices,
  about: KubeObject,
  eventType: "Normal" | "Warning",
  reason: string,
  message: string
): Effect.Effect<void> =>
  events.record({ component: "controllermanager", about, event: { eventType, reason, message } })

const writeStatus = (
  { store }: ControllerServices,
  budget: DisruptionBudget,
  status: DisruptionStatus
): Effect.Effect<void, StoreError> => {
  if (isSameValue(budget.status, status)) return Effect.void
  const reported: DisruptionBudget = { ...budget, status }
  return Effect.catchTag(Effect.asVoid(store.updateStatus(reported)), "NotFound", () => Effect.void)
}
