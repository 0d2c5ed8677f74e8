import * as Schema from "effect/Schema"
import { formatFieldPath } from "../../kubernetes/meta/text/fieldPath.ts"
import { optionalField, requiredField, stringRecordSchema } from "../fieldSchemas.ts"
import { schemaFindings } from "../schemaFindings.ts"
import { ValueOverTimeSchema, LoadSchema } from "./loadSchema.ts"

/** The fields, without the name, of a custom metric (of an object) or of an external one. */
export const externalMetricFields = {
  value: requiredField(ValueOverTimeSchema, "A number, or one that changes with time."),
  namespace: optionalField(Schema.String, "The namespace of the object; `default` by default."),
  object: optionalField(
    Schema.String.check(
      Schema.isPattern(/^[^/]+\/[^/]+$/u, { message: "must be KIND/NAME, such as service/web" })
    ),
    "The object that has the metric, service/web; without it the metric is an external one."
  ),
  labels: optionalField(stringRecordSchema, "Labels of an external metric.")
}

const OutsideMetricSchema = Schema.Struct({
  name: requiredField(Schema.NonEmptyString, "The metric's name."),
  ...externalMetricFields
})

export const loadProblems = (load: unknown): ReadonlyArray<string> => problemsOf(LoadSchema, load, "load")

export const metricProblems = (metric: unknown): ReadonlyArray<string> =>
  problemsOf(OutsideMetricSchema, metric, "metric")

const problemsOf = (schema: Schema.Top, value: unknown, name: string): ReadonlyArray<string> =>
  schemaFindings(schema, value, [name]).map(({ path, message }) => `${formatFieldPath(path)} ${message}`)
