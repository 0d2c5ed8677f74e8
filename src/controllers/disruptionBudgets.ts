import * as Effect from "effect/Effect"
import { hasSameCounts } from "../domain/pods.ts"
import {
  disruptionBudgetReport,
  failedDisruptionStatus,
  needsExpectedScale
} from "../domain/disruptionBudgets.ts"
import { expectedScale } from "../domain/expectedScale.ts"
import { formatSelector } from "../domain/selectors.ts"
import { toObjectKey, objectKeyOf } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import { runInformer } from "../runtime/informer.ts"
import { makeKeyTimers } from "../runtime/keyTimers.ts"
import { noSnapshotMemory } from "../runtime/memory.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { processMailbox } from "../runtime/workers.ts"
import { makeOwnWrites } from "./ownWrites.ts"
import { controllerRanks, updateStatusIfChanged } from "./services.ts"
import { makeSelectedPods } from "./selectedPods.ts"
import type { Scope } from "effect/Scope"
import type { DisruptionBudget } from "../domain/disruptionBudgets.ts"
import type { Key, KubeObject, Pod } from "../domain/objects.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./services.ts"

/**
 * Keeps the status of every PodDisruptionBudget: how many of its Pods may be disrupted now.
 *
 * Source: pkg/controller/disruption/disruption.go.
 */
export const runDisruptionController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, memory = noSnapshotMemory } = services
  const selected = makeSelectedPods(view)
  memory.registerPart("selected", selected)
  const mailbox = yield* makeMailbox({ kernel, rank: controllerRanks.disruptionBudgets, memory })
  const own = makeOwnWrites(kernel.nowMillis)
  /** Per budget: when an evicted Pod should be gone, or a refused status write is retried. */
  const timers = yield* makeKeyTimers({ kernel, rank: controllerRanks.disruptionBudgets, mailbox, memory })

  const onBudget = ({ type, object }: Change): void => {
    const budget = object as DisruptionBudget
    const { namespace = "" } = budget.metadata
    const { selector } = budget.spec
    const key = objectKeyOf(budget)
    if (type === "DELETED" || selector === undefined) selected.forget(key)
    else selected.follow(key, { namespace, selector })
    if (type === "DELETED") timers.cancel(key)
    else if (!own.isOwn()) mailbox.offer(key)
  }

  const onChange = (change: Change): void => {
    const { type, resource, object, old } = change
    if (resource === resources.disruptionBudgets) return onBudget(change)
    if (resource !== resources.pods) return
    const keys = selected.updatePod(change)
    const isSame = type === "MODIFIED" && hasSameCounts(object as Pod, old as Pod)
    if (!isSame) for (const key of keys) mailbox.offer(key)
  }

  const attempt = (key: Key): Effect.Effect<void, StoreError> => {
    const budget = view.get(resources.disruptionBudgets, key)
    if (budget === undefined) return Effect.sync(() => timers.cancel(key))
    const reported = own.during(report(services, budget, selected.podsOf(key)), () => mailbox.offer(key))
    return Effect.map(reported, (atMillis) => timers.at(key, atMillis))
  }

  yield* processMailbox({ mailbox, attempt, again: timers.after, memory })
  yield* runInformer(services, onChange, resources.disruptionBudgets)
})

const report = Effect.fnUntraced(function* (
  services: ControllerServices,
  budget: DisruptionBudget,
  pods: ReadonlyArray<Pod>
): Effect.fn.Return<number | undefined, StoreError> {
  const nowMillis = services.nowMillis()
  const { namespace, name } = budget.metadata
  if (pods.length === 0) yield* recordEvent(services, budget, "Normal", "NoPods", "No matching pods found")
  const find = (resource: string, owner: string): KubeObject | undefined =>
    services.view.get(resource, toObjectKey(namespace, owner))
  const scale = needsExpectedScale(budget) ? expectedScale(pods, find) : noScale
  if ("failure" in scale) {
    const message = `Failed to calculate the number of expected pods: ${scale.failure}`
    yield* recordEvent(services, budget, "Warning", "CalculateExpectedPodCountFailed", message)
    yield* updateStatusIfChanged(services, budget, failedDisruptionStatus(budget, scale.failure, nowMillis))
    return undefined
  }
  if (scale.unmanaged.length > 0)
    yield* recordEvent(services, budget, "Warning", "UnmanagedPods", unmanagedText(budget))
  const disruption = disruptionBudgetReport({ budget, pods, expectedScale: scale.total, nowMillis })
  for (const pod of disruption.stuck) {
    const message = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`
    yield* recordEvent(services, pod, "Warning", "NotDeleted", message)
  }
  yield* updateStatusIfChanged(services, budget, disruption.status)
  return disruption.lookAgainMillis
})

const noScale = { total: 0, unmanaged: [] }

const unmanagedText = ({ spec }: DisruptionBudget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${formatSelector(spec.selector ?? {})}) were found to be ` +
  "unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined " +
  'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'

const recordEvent = (
  { events }: ControllerServices,
  about: KubeObject,
  eventType: "Normal" | "Warning",
  reason: string,
  message: string
): Effect.Effect<void> =>
  events.record({ component: "controllermanager", about, event: { eventType, reason, message } })
