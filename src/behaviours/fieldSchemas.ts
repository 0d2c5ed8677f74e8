import * as Schema from "effect/Schema"
import { wholeNumber } from "./behaviourSchema.ts"

export const literalsSchema = <const L extends ReadonlyArray<string | number>>(values: L) =>
  Schema.Literals(values).annotate({
    message: `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}`
  })

export const countInRange = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  wholeNumber({
    min,
    max,
    message:
      max === Number.MAX_SAFE_INTEGER
        ? `must be a whole number from ${min} on`
        : `must be a whole number from ${min} to ${max}`
  })

export const safeInteger = wholeNumber({
  min: -Number.MAX_SAFE_INTEGER,
  max: Number.MAX_SAFE_INTEGER,
  message: "must be an integer"
})

export const stringRecord = Schema.Record(Schema.String, Schema.String)

export const numberAbove = (min: number) => {
  const message = `must be a number above ${min}`
  return Schema.Finite.annotate({ message }).check(Schema.isGreaterThan(min, { message }))
}
