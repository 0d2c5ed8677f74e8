import * as Context from "effect/Context"
import * as Fiber from "effect/Fiber"
import type { ControllerName } from "../runtime/reconciler/controllerRanks.ts"

/** Who writes: a controller by its name, or any other writer (a client, a fault). */
export type WriterName = ControllerName | "client"

/** Inherited by child fibers. */
export const CurrentWriter = Context.Reference<WriterName>("charthouse/faults/CurrentWriter", {
  defaultValue: () => "client"
})

/** For synchronous listeners of a change. */
export const currentWriterName = (): WriterName => Fiber.getCurrent()?.getRef(CurrentWriter) ?? "client"
