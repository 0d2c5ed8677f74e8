import * as Effect from "effect/Effect"
import { isSameQuotaStatus } from "../kubernetes/core/quotas.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { objectKeyOf } from "../kubernetes/meta/objects.ts"
import { makeKeyTimers } from "../runtime/time/keyTimers.ts"
import { noSnapshotParts } from "../runtime/snapshotParts.ts"
import { makeMailbox } from "../runtime/workers/mailbox.ts"
import { processMailbox } from "../runtime/workers/worker.ts"
import { updateStatusIfChanged } from "./controllerServices.ts"
import { controllerTurnOrder } from "../runtime/reconciler/controllerTurnOrder.ts"
import type { Scope } from "effect/Scope"
import type { Key } from "../kubernetes/meta/objects.ts"
import type { Kernel } from "../runtime/time/kernel.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { ControllerServices } from "./controllerServices.ts"

/**
 * Source: pkg/controller/resourcequota/resource_quota_controller.go (syncResourceQuota). Unlike Kubernetes, a Pod that
 * is stuck in termination stops counting one grace period after its deletionTimestamp, not at the next full count.
 */
export const runResourceQuotaController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const mailbox = yield* makeMailbox({ kernel, turnOrder: controllerTurnOrder.resourceQuota, snapshotParts })
  const timers = yield* makeKeyTimers({
    kernel,
    turnOrder: controllerTurnOrder.resourceQuota,
    mailbox,
    snapshotParts
  })

  const attempt = (key: Key): Effect.Effect<void, StoreError> => {
    const [namespace = ""] = key.split("/")
    return Effect.map(report(services, key), () => timers.at(key, view.quotas.nextReleaseMillis(namespace)))
  }

  yield* processMailbox({
    mailbox,
    attempt,
    delayMillis: () => retryMillis,
    retryAfter: timers.after,
    snapshotParts
  })
  const unsubscribe = view.quotas.subscribe((key) => mailbox.offer(key))
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
  // After a restore the mailbox has its keys already.
  if (snapshotParts.isRestored) return
  for (const quota of view.all(resources.resourceQuotas)) mailbox.offer(objectKeyOf(quota))
})

const retryMillis = 1000

const report = (services: ControllerServices, key: Key): Effect.Effect<void, StoreError> => {
  const quota = services.view.get(resources.resourceQuotas, key)
  const status = services.view.quotas.status(key)
  return quota === undefined || status === undefined || isSameQuotaStatus(quota.status, status)
    ? Effect.void
    : updateStatusIfChanged(services, quota, status)
}
