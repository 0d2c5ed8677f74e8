import * as Schema from "effect/Schema"
import { durationProblem } from "../behaviours/contradictions.ts"
import {
  countInRange,
  DurationSchema,
  literalsSchema,
  looserJsonSchema,
  optionalField,
  requiredField
} from "../behaviours/fieldSchemas.ts"

const failureFields = {
  restarts: optionalField(
    countInRange(0),
    "Restarts of the new revision's containers, all Pods together, that are not yet a failure; 3 by default."
  ),
  cannotStart: optionalField(
    DurationSchema,
    "How long after its creation a new Pod may be unable to start, such as for an image that cannot be pulled; 1m by default."
  ),
  onFailure: optionalField(
    literalsSchema(["undo", "hold"]),
    "undo: go back to the last revision that was complete. hold: leave the template as it is."
  )
}

export const AutomaticRollbackSchema = Schema.Struct(failureFields).annotate({
  identifier: "AutomaticRollback",
  description: "Takes a rollout back when its new revision fails."
})

const isPods = (value: number | string): boolean =>
  typeof value === "number"
    ? Number.isSafeInteger(value) && value >= 1
    : /^\d+%$/u.test(value) && Number.parseInt(value, 10) >= 1 && Number.parseInt(value, 10) <= 100

const PodsSchema = Schema.Union([Schema.Finite, Schema.String])
  .annotate({ message: "must be a number of Pods from 1 on, or a percentage from 1% to 100%" })
  .check(
    Schema.makeFilter(
      (value: number | string) =>
        isPods(value) || "must be a number of Pods from 1 on, or a percentage from 1% to 100%",
      { toJsonSchema: looserJsonSchema({ pattern: "^[0-9]+%$" }) }
    )
  )

/** The value of a hold without an end of its own. */
export const untilPromoted = "untilPromoted"

const HoldSchema = Schema.String.check(
  Schema.makeFilter((text: string) => (text === untilPromoted ? undefined : durationProblem(text)), {
    toJsonSchema: looserJsonSchema({})
  })
)

const stepFields = ["approve", "hold"] as const

const CanaryStepSchema = Schema.Struct({
  approve: optionalField(
    PodsSchema,
    "How many Pods of the new revision are approved, in all: a count, or a percentage of the replicas, rounded up."
  ),
  hold: optionalField(
    HoldSchema,
    `How long to wait, such as 5m; ${untilPromoted}: until kubectl promotes it.`
  )
}).check(
  Schema.makeFilter((step: { readonly approve?: unknown; readonly hold?: unknown }) =>
    stepFields.filter((name) => step[name] !== undefined).length === 1
      ? undefined
      : `must have one of ${stepFields.join(", ")}`
  )
)

export const CanarySchema = Schema.Struct({
  steps: requiredField(
    Schema.Array(CanaryStepSchema).check(Schema.isMinLength(1, { message: "must have a step" })),
    "Taken in order. After the last one all Pods are approved."
  ),
  ...failureFields
}).annotate({
  identifier: "Canary",
  description:
    "Approves the Pods of a new revision by steps, and takes it back when it fails. Needs the readiness gate charthouse.dev/approved."
})
