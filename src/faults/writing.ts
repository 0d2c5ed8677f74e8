import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import type { ControllerName } from "./fault.ts"

/** What writes: a controller, or anything else ("somebody"), such as clients and faults. */
export type Writer = ControllerName | "somebody"

/** The writer of this fiber and its children. */
export const Writing = Context.Reference<Writer>("charthouse/faults/Writing", {
  defaultValue: () => "somebody"
})

/** The writer of the present change, for synchronous listeners. */
export const writerNow = (): Writer => Fiber.getCurrent()?.getRef(Writing) ?? "somebody"
