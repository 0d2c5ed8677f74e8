import * as Schema from "effect/Schema"
import { durationProblem, expectedDuration } from "../behaviours/contradictions.ts"
import { checkDefaults } from "../kubernetes/steering/steeringSettings.ts"
import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"
import {
  countSchema,
  DurationSchema,
  literalsSchema,
  jsonSchemaLooserThanCheck,
  optionalField,
  requiredField
} from "../behaviours/fieldSchemas.ts"

const failureFields = {
  restarts: optionalField(
    countSchema({ min: 0 }),
    "Restarts of the new revision's containers, all Pods together, that are not yet a failure; 3 by default."
  ),
  cannotStart: optionalField(
    DurationSchema,
    "How long after its creation a new Pod may be unable to start, such as for an image that cannot be pulled; 1m by default."
  ),
  cannotSchedule: optionalField(
    DurationSchema,
    "How long a new Pod may find no node; without it, progressDeadlineSeconds ends the rollout."
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

const isPodAmount = (value: number | string): boolean =>
  typeof value === "number"
    ? Number.isSafeInteger(value) && value >= 1
    : /^\d+%$/u.test(value) && Number.parseInt(value, 10) >= 1 && Number.parseInt(value, 10) <= 100

const PodAmountSchema = Schema.Union([Schema.Finite, Schema.String])
  .annotate({ message: "must be a number of Pods from 1 on, or a percentage from 1% to 100%" })
  .check(
    Schema.makeFilter(
      (value: number | string) =>
        isPodAmount(value) || "must be a number of Pods from 1 on, or a percentage from 1% to 100%",
      { toJsonSchema: jsonSchemaLooserThanCheck({ pattern: "^[0-9]+%$" }) }
    )
  )

export const untilPromoted = "untilPromoted"

const holdProblem = (text: string): string | undefined => {
  if (text === untilPromoted) return undefined
  return parseDuration(text) === undefined
    ? `must be ${expectedDuration}, or ${untilPromoted}, not ${JSON.stringify(text)}`
    : durationProblem(text)
}

const HoldSchema = Schema.String.check(
  Schema.makeFilter(holdProblem, { toJsonSchema: jsonSchemaLooserThanCheck({}) })
)

const NameSchema = Schema.String.check(Schema.makeFilter((text: string) => text !== "" || "must be a name"))

const stepFields = {
  approve: optionalField(
    PodAmountSchema,
    "How many Pods of the new revision are approved, in all: a count, or a percentage of the replicas, rounded up."
  ),
  hold: optionalField(
    HoldSchema,
    `How long to wait, such as 5m; ${untilPromoted}: until kubectl promotes it.`
  ),
  run: optionalField(NameSchema, "The name of a hook. It fails: the rollout is given up."),
  analyse: optionalField(NameSchema, "The name of an analysis. It fails: the rollout is given up.")
}

const hasOneOf =
  (names: ReadonlyArray<string>) =>
  (fields: object): string | undefined =>
    names.filter((name) => Object.hasOwn(fields, name)).length === 1
      ? undefined
      : `must have one of ${names.join(", ")}`

const CanaryStepSchema = Schema.Struct(stepFields).check(
  Schema.makeFilter(hasOneOf(["approve", "hold", "run", "analyse"]))
)

const { approve: _approve, ...checkFields } = stepFields
const CheckStepSchema = Schema.Struct(checkFields).check(
  Schema.makeFilter(hasOneOf(["hold", "run", "analyse"]))
)

const addressProblem = (text: string): string | undefined => {
  // A URL may have placeholders anywhere.
  const url = URL.parse(text.replaceAll(/\{\{[^}]*\}\}/gu, "x"))
  return url?.protocol === "http:" || url?.protocol === "https:"
    ? undefined
    : "must be an address that begins with http:// or https://"
}

const AddressSchema = Schema.String.check(
  Schema.makeFilter(addressProblem, { toJsonSchema: jsonSchemaLooserThanCheck({ pattern: "^https?://" }) })
)

const timeoutField = (description: string) => optionalField(DurationSchema, description)

const HookSchema = Schema.Struct({
  job: optionalField(
    NameSchema,
    "A Job beside the Deployment, such as one with suspend: true: each run is a copy of it."
  ),
  http: optionalField(AddressSchema, "An address that is called. A 2xx status is a success."),
  method: optionalField(
    literalsSchema(["GET", "POST", "PUT"]),
    "Of the call; POST by default, with the rollout as JSON."
  ),
  timeout: timeoutField("How long it may take; 5m by default.")
}).check(Schema.makeFilter(hasOneOf(["job", "http"])))

interface AnalysisDraft {
  readonly query?: string
  readonly min?: number
  readonly max?: number
  readonly count?: number
  readonly failures?: number
}

/** Why no answer, or every answer, would end the rollout. */
const analysisContradiction = ({
  query,
  min,
  max,
  count = checkDefaults.count,
  failures = checkDefaults.failures
}: AnalysisDraft): string | undefined => {
  if (query?.trim() === "") return "query must not be empty"
  if (min !== undefined && max !== undefined && min > max)
    return `min (${min}) must not exceed max (${max}): no number would be right`
  return failures < count
    ? undefined
    : `failures (${failures}) must be less than count (${count}): it could never fail`
}

const ValueSchema = Schema.Union([Schema.Finite, Schema.String, Schema.Boolean])

const AnalysisSchema = Schema.Struct({
  http: optionalField(
    AddressSchema,
    "An address that answers with a number: its status, or a value in its JSON."
  ),
  path: optionalField(Schema.String, "Where the value is in the JSON, such as data.errors[0].rate."),
  prometheus: optionalField(AddressSchema, "The address of a Prometheus server."),
  query: optionalField(Schema.String, "What is asked of it, in PromQL: one number."),
  pods: optionalField(
    literalsSchema(["restarts", "notReady"]),
    "What the Pods of the new revision tell: restarts, or how many approved ones are not Ready."
  ),
  min: optionalField(Schema.Finite, "The least that is right."),
  max: optionalField(Schema.Finite, "The most that is right."),
  equals: optionalField(ValueSchema, "What alone is right."),
  interval: optionalField(DurationSchema, "Between two answers; 30s by default."),
  count: optionalField(countSchema({ min: 1, max: 1000 }), "How many answers are needed; 1 by default."),
  failures: optionalField(
    countSchema({ min: 0, max: 1000 }),
    "How many of them may be wrong or missing; 0 by default."
  ),
  timeout: timeoutField("How long an answer may take; 10s by default.")
}).check(
  Schema.makeFilter((fields: object) => {
    const sources = hasOneOf(["http", "prometheus", "pods"])(fields)
    if (sources !== undefined) return `has no source, or several: it ${sources}`
    if (Object.hasOwn(fields, "prometheus") !== Object.hasOwn(fields, "query"))
      return "must have prometheus and query together"
    if (Object.hasOwn(fields, "path") && !Object.hasOwn(fields, "http")) return "path is for http alone"
    const hasLimit = ["min", "max", "equals"].some((name) => Object.hasOwn(fields, name))
    const isStatus = Object.hasOwn(fields, "http") && !Object.hasOwn(fields, "path")
    return hasLimit || isStatus ? analysisContradiction(fields) : "must have one of min, max, equals"
  })
)

const stepChartFields = {
  hooks: optionalField(Schema.Record(Schema.String, HookSchema), "What steps run, by their names."),
  analyses: optionalField(
    Schema.Record(Schema.String, AnalysisSchema),
    "What steps analyse, by their names."
  ),
  ...failureFields
}

export const CanarySchema = Schema.Struct({
  steps: requiredField(
    Schema.Array(CanaryStepSchema).check(Schema.isMinLength(1, { message: "must have a step" })),
    "Taken in order. After the last one all Pods are approved."
  ),
  ...stepChartFields
}).annotate({
  identifier: "Canary",
  description:
    "Approves the Pods of a new revision by steps, and takes it back when it fails. Needs the readiness gate charthouse.dev/approved."
})

export const BlueGreenSchema = Schema.Struct({
  preview: optionalField(
    NameSchema,
    "A Service with publishNotReadyAddresses: true that is to select the Pods of the newest revision."
  ),
  before: optionalField(
    Schema.Array(CheckStepSchema),
    "Taken in order once all Pods of the new revision are up, before they are approved."
  ),
  after: optionalField(Schema.Array(CheckStepSchema), "Taken in order once all of them are available."),
  ...stepChartFields
}).annotate({
  identifier: "BlueGreen",
  description:
    "Starts all Pods of a new revision, checks them, and approves them at once. Needs the readiness gate charthouse.dev/approved."
})
