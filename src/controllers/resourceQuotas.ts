import * as Effect from "effect/Effect"
import { resources } from "../domain/kinds.ts"
import { keyOf } from "../domain/objects.ts"
import { isSameValue } from "../domain/sameness.ts"
import { makeMailbox } from "../runtime/mailbox.ts"
import { ranks } from "./services.ts"
import type { Scope } from "effect/Scope"
import type { Key } from "../domain/objects.ts"
import type { ResourceQuota } from "../domain/quotas.ts"
import type { Kernel } from "../runtime/kernel.ts"
import type { StoreError } from "../store/errors.ts"
import type { ControllerServices } from "./services.ts"

/**
 * Reports in every ResourceQuota's status what it allows and what of that is used, once a turn however much has
 * changed.
 *
 * Source: pkg/controller/resourcequota/resource_quota_controller.go (syncResourceQuota). Unlike Kubernetes, a Pod that
 * is stuck on its way out is let off when its time has come, not at the next full count.
 */
export const reportQuotas = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view } = services
  const mailbox = yield* makeMailbox({ kernel, rank: ranks.quotas })
  /** One a quota: when a stuck Pod will no longer count, or when a refused report is tried again. */
  const timers = new Map<Key, ReturnType<Kernel["after"]>>()

  const lookAt = (key: Key, atMillis: number | undefined): void => {
    const timer = timers.get(key)
    if (timer !== undefined) kernel.cancel(timer)
    timers.delete(key)
    if (atMillis === undefined) return
    const look = (): void => {
      timers.delete(key)
      mailbox.offer(key)
    }
    timers.set(key, kernel.after(atMillis - kernel.nowMillis(), ranks.quotas, look))
  }

  const work = Effect.fnUntraced(function* () {
    const key = yield* mailbox.take
    const [namespace = ""] = key.split("/")
    yield* report(services, key).pipe(
      Effect.map(() => view.quotas.nextReleaseMillis(namespace)),
      Effect.catch(() => Effect.sync(() => kernel.nowMillis() + retryMillis)),
      Effect.map((atMillis) => lookAt(key, atMillis)),
      Effect.ensuring(Effect.sync(() => mailbox.done(key)))
    )
  })
  yield* Effect.forkScoped(Effect.forever(work()))
  const unsubscribe = view.quotas.subscribe((key) => mailbox.offer(key))
  for (const quota of view.all(resources.resourceQuotas)) mailbox.offer(keyOf(quota))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      unsubscribe()
      for (const timer of timers.values()) kernel.cancel(timer)
    })
  )
})

const retryMillis = 1000

const report = Effect.fnUntraced(function* (
  { view, store }: ControllerServices,
  key: Key
): Effect.fn.Return<void, StoreError> {
  const quota = view.get(resources.resourceQuotas, key)
  const status = view.quotas.status(key)
  if (quota === undefined || status === undefined || isSameValue(quota.status, status)) return
  const reported: ResourceQuota = { ...quota, status }
  yield* store.updateStatus(reported).pipe(
    Effect.asVoid,
    Effect.catchTag("NotFound", () => Effect.void)
  )
})
