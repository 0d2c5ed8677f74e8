import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import type { ControllerName } from "../runtime/reconciler/controllerRanks.ts"

/** The writer of a change: a controller by name, or any other (a client, a fault). */
export type WriterName = ControllerName | "client"

/** The writer of this fiber and its children. */
export const CurrentWriter = Context.Reference<WriterName>("charthouse/faults/Writing", {
  defaultValue: () => "client"
})

/** The writer of the present change, for synchronous listeners. */
export const currentWriterName = (): WriterName => Fiber.getCurrent()?.getRef(CurrentWriter) ?? "client"
