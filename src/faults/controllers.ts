import * as Effect from "effect/Effect"
import { FaultRefused, readMillis } from "./faultWorld.ts"
import { controllerNamed } from "./parties.ts"
import type { Beginnings } from "./faultWorld.ts"

/** Controllers that do nothing, take their time, or die in the middle of what they do. */
export const controllerFaults: Beginnings<"controllerStopped" | "controllerSlow" | "controllerRestarted"> = {
  controllerStopped: ({ fault, controller }, world) =>
    Effect.flatMap(controllerNamed(fault, controller, world), world.supervisor.stop),

  controllerSlow: ({ fault, controller, by }, world) =>
    Effect.gen(function* () {
      const name = yield* controllerNamed(fault, controller, world)
      const millis = yield* readMillis(fault, "by", by)
      return Effect.sync(world.supervisor.slow(name, millis))
    }),

  controllerRestarted: ({ fault, controller, afterWrites = 0 }, world) =>
    Effect.gen(function* () {
      const name = yield* controllerNamed(fault, controller, world)
      if (!Number.isInteger(afterWrites) || afterWrites < 0) {
        const why = `afterWrites must be a whole number, not ${afterWrites}`
        return yield* new FaultRefused({ fault, why })
      }
      const restart = world.supervisor.restart(name)
      if (afterWrites === 0) {
        yield* restart
        return undefined
      }
      const link = world.links.get(name)
      // From a fiber of its own: who makes the last write cannot wait for its own end.
      const forget = link?.gate.countDown(afterWrites, () => {
        world.over()
        world.kernel.run(restart)
      })
      return forget === undefined ? undefined : Effect.sync(forget)
    })
}
