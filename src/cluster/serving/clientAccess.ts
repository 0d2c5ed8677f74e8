import * as Effect from "effect/Effect"
import type { ClientAccess } from "../clusterService.ts"
import type { ClientConnection } from "../../faults/clientConnection.ts"
import type { Exit } from "effect/Exit"
import type { Kernel } from "../../runtime/time/kernel.ts"
import type { Observers } from "../../runtime/observers.ts"
import type { PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { UserCalls } from "../../runtime/time/userCalls.ts"

export const makeClientAccess = (
  { store, view, viewOfLatestReads, faultyStore, watches }: ClientConnection,
  {
    kernel,
    callNow,
    observers,
    meter
  }: {
    readonly kernel: Kernel
    readonly callNow: UserCalls["callNow"]
    readonly observers: Observers
    readonly meter: PodMeter
  }
): ClientAccess => ({
  store,
  view,
  observers,
  meter,
  viewOfLatestReads,
  runWithFaults: faultyStore.runAsOneRequest,
  watches,
  step: <A, E>(effect: Effect.Effect<A, E>) =>
    callNow((): Exit<A, E> | Promise<Exit<A, E>> => {
      if (!faultyStore.isDelayed()) return Effect.runSyncExit(effect)
      const fiber = kernel.run(effect)
      return fiber.pollUnsafe() ?? new Promise((resolve) => fiber.addObserver(resolve))
    })
})
