import * as Effect from "effect/Effect"
import {
  disruptionBudgetReport,
  failedDisruptionStatus,
  needsExpectedScale
} from "../kubernetes/policy/disruptionBudgets.ts"
import { expectedScale } from "../kubernetes/policy/expectedScale.ts"
import { formatSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import { toObjectKey, objectKeyOf } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { runInformer } from "../runtime/workers/informer.ts"
import { makeKeyTimers } from "../runtime/time/keyTimers.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import { makeOwnWrites } from "./ownWrites.ts"
import { concernsPodCounts } from "./changeFilters.ts"
import { updateStatusIfChanged } from "./controllerServices.ts"
import { makeSelectedPods } from "./selectedPods.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { DisruptionBudget } from "../kubernetes/policy/disruptionBudgets.ts"
import type { Key, KubeObject, Pod } from "../kubernetes/meta/objects.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { Change } from "../store/objectStore.ts"
import type { ControllerServices } from "./controllerServices.ts"

/** Source: pkg/controller/disruption/disruption.go. */
export const runDisruptionController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const selectedPods = makeSelectedPods(view)
  snapshotParts.registerPart("selected", selectedPods)
  const mailbox = yield* makeMailbox({
    kernel,
    turnOrder: controllerTurnOrder.disruptionBudget,
    snapshotParts
  })
  const ownWrites = makeOwnWrites(kernel.nowMillis)
  const timers = yield* makeKeyTimers({
    kernel,
    turnOrder: controllerTurnOrder.disruptionBudget,
    mailbox,
    snapshotParts
  })

  const onBudget = ({ type, object }: Change): void => {
    const budget = object as DisruptionBudget
    const { namespace = "" } = budget.metadata
    const { selector } = budget.spec
    const key = objectKeyOf(budget)
    if (type === "DELETED" || selector === undefined) selectedPods.forget(key)
    else selectedPods.follow(key, { namespace, selector })
    if (type === "DELETED") timers.cancel(key)
    // The controller's own status writes need no look.
    else if (!ownWrites.isOwn()) mailbox.offer(key)
  }

  const onChange = (change: Change): void => {
    if (change.resource === resources.disruptionBudgets) return onBudget(change)
    const keys = selectedPods.updatePod(change)
    if (concernsPodCounts(change)) keys.forEach((key) => mailbox.offer(key))
  }

  const attempt = (key: Key): Effect.Effect<void, StoreError> => {
    const budget = view.get(resources.disruptionBudgets, key)
    if (budget === undefined) return Effect.sync(() => timers.cancel(key))
    // If time passes during the write, another client may have changed the budget.
    const write = ownWrites.during(report(services, budget, selectedPods.podsOf(key)), () =>
      mailbox.offer(key)
    )
    return Effect.map(write, (atMillis) => timers.at(key, atMillis))
  }

  yield* processMailbox({ mailbox, attempt, retryAfter: timers.after, snapshotParts })
  yield* runInformer(services, onChange, {
    resources: [resources.disruptionBudgets, resources.pods],
    initialList: [resources.disruptionBudgets]
  })
})

const report = Effect.fnUntraced(function* (
  services: ControllerServices,
  budget: DisruptionBudget,
  pods: ReadonlyArray<Pod>
): Effect.fn.Return<number | undefined, StoreError> {
  const nowMillis = services.nowMillis()
  const { namespace, name } = budget.metadata
  if (pods.length === 0) yield* recordEvent(services, budget, "Normal", "NoPods", "No matching pods found")
  const findOwner = (resource: string, owner: string): KubeObject | undefined =>
    services.view.get(resource, toObjectKey(namespace, owner))
  const scale = needsExpectedScale(budget) ? expectedScale(pods, findOwner) : noScale
  if ("failure" in scale) {
    const message = `Failed to calculate the number of expected pods: ${scale.failure}`
    yield* recordEvent(services, budget, "Warning", "CalculateExpectedPodCountFailed", message)
    yield* updateStatusIfChanged(services, budget, failedDisruptionStatus(budget, scale.failure, nowMillis))
    return undefined
  }
  if (scale.unmanaged.length > 0)
    yield* recordEvent(services, budget, "Warning", "UnmanagedPods", unmanagedText(budget))
  const disruption = disruptionBudgetReport({ budget, pods, expectedScale: scale.total, nowMillis })
  for (const pod of disruption.stuckPods) {
    const message = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`
    yield* recordEvent(services, pod, "Warning", "NotDeleted", message)
  }
  yield* updateStatusIfChanged(services, budget, disruption.status)
  return disruption.lookAgainMillis
})

/** A budget with a number in `minAvailable` needs no expected scale. */
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
