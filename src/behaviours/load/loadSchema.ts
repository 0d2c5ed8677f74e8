import * as Schema from "effect/Schema"
import { DurationSchema, optionalField, QuantitySchema, requiredField } from "../fieldSchemas.ts"

const notNegative = { message: "must be a number from 0 on" }
const requestRate = Schema.Finite.annotate(notNegative).check(Schema.isGreaterThanOrEqualTo(0, notNegative))

const LoadChangeSchema = Schema.Struct({
  from: requiredField(requestRate, "Requests a second before."),
  to: requiredField(requestRate, "Requests a second after."),
  at: optionalField(DurationSchema, "When it changes, since the load began; 0s by default."),
  over: optionalField(DurationSchema, "How long the change takes; 0s, a step, by default.")
}).annotate({ identifier: "LoadChange", description: "A step, or with over a ramp." })

const timeOfDay = "must be a time of day, such as 14:30"

const DailyLoadSchema = Schema.Struct({
  low: requiredField(requestRate, "Requests a second at the quietest time."),
  high: requiredField(requestRate, "Requests a second at the busiest time."),
  peak: optionalField(
    Schema.String.check(Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/u, { message: timeOfDay })),
    "The busiest time, UTC; 14:00 by default. The quietest is twelve hours later."
  )
}).annotate({ identifier: "DailyLoad", description: "Follows the hours of the day." })

// The whole union is checked: a failed check of DailyLoadSchema alone would also report the other members.
const lowAboveHigh = "low must not be greater than high"

export const ValueOverTimeSchema = Schema.Union([requestRate, LoadChangeSchema, DailyLoadSchema])
  .annotate({ message: "must be a number from 0 on, or { from, to, at, over }, or { low, high, peak }" })
  .check(
    Schema.makeFilter(
      (value) => typeof value === "number" || !("low" in value) || value.low <= value.high || lowAboveHigh
    )
  )

export const LoadSchema = Schema.Struct({
  perSecond: requiredField(ValueOverTimeSchema, "Requests a second, of all Pods together."),
  cpuPerRequest: optionalField(
    QuantitySchema,
    "CPU time of one request: 4m is 4 ms of a core; 0 by default."
  ),
  capacityPerSecond: optionalField(
    requestRate,
    "Requests a second that one Pod answers; by default as many as its CPU limit allows."
  )
}).annotate({ identifier: "Load", description: "Requests that the ready Pods share." })
