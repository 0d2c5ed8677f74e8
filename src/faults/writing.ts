import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import type { ControllerName } from "./fault.ts"

/** Who writes: a controller, or somebody else, as clients and faults are. */
export type Writer = ControllerName | "somebody"

/** For whom a fiber writes, and all that it forks. */
export const Writing = Context.Reference<Writer>("charthouse/faults/Writing", {
  defaultValue: () => "somebody"
})

/** Who has made a change, for somebody who is told of it at once: whoever writes is still about it. */
export const writerNow = (): Writer => Fiber.getCurrent()?.getRef(Writing) ?? "somebody"
