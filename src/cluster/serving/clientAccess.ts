import * as Effect from "effect/Effect"
import type { ClientAccess } from "../clusterService.ts"
import type { ClientConnection } from "../../faults/clientConnection.ts"
import type { Exit } from "effect/Exit"
import type { Timeline } from "../../runtime/time/timeline.ts"
import type { Observers } from "../../runtime/observers.ts"
import type { PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { UserCalls } from "../../runtime/time/userCalls.ts"

export const makeClientAccess = (
  { store, view, viewOfLatestReads, faultyStore, watches }: ClientConnection,
  {
    timeline,
    callNow,
    observers,
    meter
  }: {
    readonly timeline: Timeline
    readonly callNow: UserCalls["callNow"]
    readonly observers: Observers
    readonly meter: PodMeter
  }
): ClientAccess => {
  const runOnTimeline = <A, E>(effect: Effect.Effect<A, E>): Exit<A, E> | Promise<Exit<A, E>> => {
    const loading = timeline.pendingControllerImport()
    if (loading !== undefined) return loading.then(() => runOnTimeline(effect))
    return callNow((): Exit<A, E> | Promise<Exit<A, E>> => {
      if (!faultyStore.isDelayed()) return Effect.runSyncExit(effect)
      const fiber = timeline.kernel.run(effect)
      return fiber.pollUnsafe() ?? new Promise((resolve) => fiber.addObserver(resolve))
    })
  }
  return {
    store,
    view,
    observers,
    meter,
    viewOfLatestReads,
    findFaultRunner: faultyStore.findFaultRunner,
    watches,
    runOnTimeline
  }
}
