import * as Effect from "effect/Effect"
import { millisOf } from "../domain/durations.ts"
import type { Beginnings } from "./faultWorld.ts"

/** Controllers that do nothing, take their time, or die in the middle of what they do. */
export const controllerFaults: Beginnings<"controllerStopped" | "controllerSlow" | "controllerRestarted"> = {
  controllerStopped: ({ controller }, { supervisor }) => supervisor.stop(controller),

  controllerSlow: ({ controller, by }, { supervisor }) =>
    Effect.sync(() => Effect.sync(supervisor.slow(controller, millisOf(by, "by")))),

  controllerRestarted: ({ controller, afterWrites = 0 }, { supervisor, links, kernel, over }) => {
    const restart = supervisor.restart(controller)
    if (afterWrites === 0) return Effect.as(restart, undefined)
    return Effect.sync(() => {
      // From a fiber of its own: who makes the last write cannot wait for its own end.
      const forget = links.get(controller)?.gate.countDown(afterWrites, () => {
        over()
        kernel.run(restart)
      })
      return forget === undefined ? undefined : Effect.sync(forget)
    })
  }
}
