import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { parseEventType } from "../../inspect/charts/chartNames.ts"
import type { AnyEventObject } from "xstate"
import type { ChartSnapshot } from "./recordedStep.ts"

/** The event of a step: `observed`, `after pullBackOff (9s)`, `refused createPods`. */
export const stepEventText = (event: AnyEventObject, before: ChartSnapshot | undefined): string => {
  if (event.type === "xstate.init") return "began"
  if (event.type === "refused") return `refused ${String(event["refusal"].command)}`
  if (event.type === "container.changed") {
    return `container ${String(event["facts"].name)} says ${String(event["happening"])}`
  }
  const { kind, name } = parseEventType(event.type)
  if (kind === "done") return "done"
  return kind === "after" ? `after ${name}${delayText(name, event, before)}` : event.type
}

const delayText = (name: string, event: AnyEventObject, before: ChartSnapshot | undefined): string => {
  const delay: unknown = before?.machine.implementations.delays[name]
  const millis: unknown =
    typeof delay === "function" ? delay({ context: before?.context, event }, undefined) : delay
  return typeof millis === "number" ? ` (${formatDuration(millis)})` : ""
}
