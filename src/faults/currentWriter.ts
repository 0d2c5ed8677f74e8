import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import type { ControllerName } from "./fault.ts"

/** What writes: a controller, or anything else ("somebody"), such as clients and faults. */
export type WriterName = ControllerName | "somebody"

/** The writer of this fiber and its children. */
export const CurrentWriter = Context.Reference<WriterName>("charthouse/faults/Writing", {
  defaultValue: () => "somebody"
})

/** The writer of the present change, for synchronous listeners. */
export const currentWriterName = (): WriterName => Fiber.getCurrent()?.getRef(CurrentWriter) ?? "somebody"
