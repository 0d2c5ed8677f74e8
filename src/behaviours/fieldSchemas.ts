import * as Schema from "effect/Schema"
import { durationPattern } from "../kubernetes/meta/amounts/durations.ts"
import { durationProblem } from "./contradictions.ts"
import { parseQuantity, quantityProblem } from "../kubernetes/meta/amounts/quantity.ts"
import type { JsonSchema } from "effect/JsonSchema"

/** A JSON Schema for a check in code. `true` tells Effect that the schema accepts more than the check. */
export const jsonSchemaLooserThanCheck = (schema: JsonSchema) => (): readonly [JsonSchema, true] => [
  schema,
  true
]

export const DurationSchema = Schema.String.check(
  Schema.makeFilter(durationProblem, {
    toJsonSchema: jsonSchemaLooserThanCheck({ pattern: durationPattern })
  })
).annotate({
  identifier: "Duration",
  description: "Go's notation, in whole milliseconds: 250ms, 1.5s, 2m, 1h30m."
})

export const wholeNumberSchema = (options: {
  readonly min: number
  readonly max: number
  readonly message: string
}) =>
  Schema.Int.annotate({ message: options.message }).check(
    Schema.isBetween({ minimum: options.min, maximum: options.max }, { message: options.message })
  )

export const requiredField = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.annotateKey<S>({ description })(schema)

export const optionalField = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(Schema.annotateKey<S>({ description })(schema))

export const QuantitySchema = Schema.String.check(
  Schema.makeFilter(
    (text: string) => ((parseQuantity(text)?.nanos ?? -1n) >= 0n ? undefined : quantityProblem),
    { toJsonSchema: jsonSchemaLooserThanCheck({ pattern: "^[0-9.]+([eE][-+]?[0-9]+|[numkKMGTPE]i?)?$" }) }
  )
).annotate({ identifier: "Quantity", description: "Kubernetes' notation: 250m, 1.5, 64Mi." })

export const literalsSchema = <const L extends ReadonlyArray<string | number>>(values: L) =>
  Schema.Literals(values).annotate({
    message: `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}`
  })

export const countSchema = ({
  min,
  max = Number.MAX_SAFE_INTEGER
}: {
  readonly min: number
  readonly max?: number
}) =>
  wholeNumberSchema({
    min,
    max,
    message:
      max === Number.MAX_SAFE_INTEGER
        ? `must be a whole number from ${min} on`
        : `must be a whole number from ${min} to ${max}`
  })

export const safeIntegerSchema = wholeNumberSchema({
  min: -Number.MAX_SAFE_INTEGER,
  max: Number.MAX_SAFE_INTEGER,
  message: "must be an integer"
})

export const stringRecordSchema = Schema.Record(Schema.String, Schema.String)

export const numberAboveSchema = (min: number) => {
  const message = `must be a number above ${min}`
  return Schema.Finite.annotate({ message }).check(Schema.isGreaterThan(min, { message }))
}
