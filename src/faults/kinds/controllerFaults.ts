import * as Effect from "effect/Effect"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { lastingKindWithoutState, lastingKind } from "../faultKind.ts"
import type { FaultKinds } from "../faultKind.ts"

export const controllerFaults: FaultKinds<"controllerStopped" | "controllerSlow" | "controllerRestarted"> = {
  controllerStopped: lastingKind(
    // A state other than undefined says that the fault lasts.
    ({ controller }, { supervisor }) => Effect.as(supervisor.stop(controller), {}),
    ({ controller }, { supervisor }) => ({ end: supervisor.start(controller) })
  ),

  controllerSlow: lastingKindWithoutState(({ controller, by }, { supervisor }) => ({
    end: Effect.sync(supervisor.slow(controller, toDurationMillis(by, "by")))
  })),

  controllerRestarted: lastingKind(
    ({ controller, afterWrites = 0 }, { supervisor }) =>
      afterWrites === 0
        ? // The fault is over as soon as it has begun: undefined says so.
          Effect.as(supervisor.restart(controller), undefined)
        : Effect.succeed({ writesLeft: afterWrites }),
    ({ controller }, { supervisor, connections, kernel, endItself }, { writesLeft }) => {
      // In a fiber of its own: the fiber that makes the last write is interrupted and cannot wait for that.
      const countdown = connections.get(controller)?.faultyStore.afterWrites(writesLeft, () => {
        endItself()
        kernel.run(supervisor.restart(controller))
      })
      if (countdown === undefined) return { end: Effect.void }
      return { end: Effect.sync(countdown.stop), save: () => ({ writesLeft: countdown.left() }) }
    }
  )
}
