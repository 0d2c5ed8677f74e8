import * as Effect from "effect/Effect"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { lastingKindWithoutState, lastingKind } from "../faultKind.ts"
import { partyText } from "./partyText.ts"
import type { FaultKinds } from "../faultKind.ts"
import type { ControllerFaultTypes } from "../schemas/controllerFaultSchemas.ts"

export const controllerFaults: FaultKinds<keyof ControllerFaultTypes> = {
  controllerStopped: lastingKind({
    text: ({ controller }) => `${partyText(controller)} is stopped`,
    ledgerExcuse: ({ controller }) => ({ controller }),
    begin: ({ controller }, { supervisor }) => Effect.as(supervisor.stop(controller), {}),
    makeLasting: ({ controller }, { supervisor }) => ({ end: supervisor.start(controller) })
  }),

  controllerSlow: lastingKindWithoutState({
    text: ({ controller, by }) => `${partyText(controller)} takes ${by} over each object`,
    ledgerExcuse: ({ controller }) => ({ controller }),
    makeLasting: ({ controller, by }, { supervisor }) => ({
      end: Effect.sync(supervisor.slow(controller, toDurationMillis(by, "by")))
    })
  }),

  controllerRestarted: lastingKind({
    text: ({ controller, afterWrites = 0 }) => {
      const when = afterWrites === 0 ? "" : ` after ${countText(afterWrites, "more write")}`
      return `${partyText(controller)} is restarted${when}`
    },
    // Undefined: how long these writes will take is unknown.
    ledgerExcuse: ({ controller, afterWrites = 0 }) => ({
      controller,
      lastsMillis: afterWrites === 0 ? 0 : undefined
    }),
    begin: ({ controller, afterWrites = 0 }, { supervisor }) =>
      afterWrites === 0
        ? // The fault is over as soon as it has begun: undefined says so.
          Effect.as(supervisor.restart(controller), undefined)
        : Effect.succeed({ writesLeft: afterWrites }),
    makeLasting: ({ controller }, { supervisor, connections, kernel, endThisFault }, { writesLeft }) => {
      // `kernel.run` starts another fiber, since the fiber of the last write is interrupted.
      const countdown = connections.get(controller)?.faultyStore.afterWrites(writesLeft, () => {
        endThisFault()
        kernel.run(supervisor.restart(controller))
      })
      if (countdown === undefined) return { end: Effect.void }
      return { end: Effect.sync(countdown.stop), save: () => ({ writesLeft: countdown.writesLeft() }) }
    }
  })
}
