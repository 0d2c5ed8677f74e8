import type { JsonSchema } from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import { behaviourApiVersion } from "../../behaviours/behaviour.ts"
import { GlobSchema } from "../../behaviours/behaviourSchema.ts"
import {
  DurationSchema,
  numberAboveSchema,
  optionalField,
  requiredField,
  stringRecordSchema,
  wholeNumberSchema
} from "../../behaviours/fieldSchemas.ts"
import { parseDelay } from "../assumptions.ts"
import { ruleNames } from "../verdicts/verdict.ts"
import { unknownKinds } from "../verdicts/unknownKinds.ts"

/** A list that is left out is not the same as an empty one. */
const listOf = <S extends Schema.Top>(item: S, description: string) =>
  optionalField(Schema.Array(item), description)

const Text = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "", {
    message: "must not be empty",
    toJsonSchema: () => ({ minLength: 1 })
  })
)

const Day = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/u)).annotate({
  identifier: "Day",
  description: "A day, as 2027-01-31.",
  message: "must be a day in quotes or not, such as 2027-01-31"
})

const WorkloadName = Text.annotate({
  identifier: "WorkloadName",
  description: "NAME, NAMESPACE/NAME, or KIND/NAME: web, shop/web, sts/db."
})

const Time = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const delay = parseDelay(text)
    return typeof delay === "object" && "problem" in delay ? delay.problem : undefined
  })
).annotate({ identifier: "Time", description: "A duration, or a range of them: 20s, 5s..40s." })

const workloadFields = {
  workloads: listOf(
    WorkloadName,
    "The workloads that it is about; all if workloads and labels are left out."
  ),
  labels: optionalField(stringRecordSchema, "Labels that a workload must have.")
}

const Threshold = Schema.Struct({
  failOn: requiredField(Text, "Conditions as of --fail-on, such as available<75%,lost>1%."),
  ...workloadFields
}).annotate({ identifier: "Threshold", description: "Conditions that fail the plan if they are true." })

const Assumption = Schema.Struct({
  image: requiredField(GlobSchema, "A glob for the images of containers, such as registry.example/shop:*."),
  pull: optionalField(Time, "The duration of one pull of the image."),
  start: optionalField(Time, "The time from the image being present until the container runs."),
  ready: optionalField(Time, "The time from running until the application answers."),
  stop: optionalField(Time, "The time from SIGTERM until the container has exited."),
  crash: optionalField(
    Schema.String.check(Schema.isPattern(/^\d{1,2}(?:\.\d+)?%$/u)).annotate({
      message: "must be a chance from 0% to below 100%, such as 1%"
    }),
    "The chance that a container exits with an error within a minute."
  ),
  observations: optionalField(
    wholeNumberSchema({ min: 0, max: Number.MAX_SAFE_INTEGER, message: "must be a whole number" }),
    "How many Pods the times were measured with; nothing depends on it."
  )
}).annotate({ identifier: "Assumption", description: "How the containers of an image live." })

const oneOf = <const Names extends ReadonlyArray<string>>(names: Names) =>
  Schema.Literals(names).annotate({ message: `must be one of ${names.join(", ")}` })

const decisionFields = {
  reason: requiredField(Text, "Why the team lives with it."),
  expires: requiredField(Day, "The last day on which this holds.")
}

const AcceptedUnknown = Schema.Struct({
  kind: requiredField(
    oneOf(unknownKinds),
    "A kind of verdict unknown: what may decide about a rollout and is not played."
  ),
  ...decisionFields
}).annotate({ identifier: "AcceptedUnknown" })

const Suppression = Schema.Struct({
  rule: requiredField(oneOf(ruleNames), "The rule that does not count."),
  ...workloadFields,
  ...decisionFields
}).annotate({ identifier: "Suppression" })

const replicas = wholeNumberSchema({
  min: 0,
  max: 100_000,
  message: "must be a whole number from 0 to 100000"
})

const Quota = Schema.Struct({
  namespace: optionalField(Text, "The namespace; default if left out."),
  hard: requiredField(
    stringRecordSchema,
    "The limits, as in spec.hard of a ResourceQuota: pods, requests.cpu, …"
  )
}).annotate({ identifier: "Quota" })

const Environment = Schema.Struct({
  name: requiredField(Text, "What reports call it, such as production."),
  nodes: optionalField(
    Schema.Union([
      wholeNumberSchema({ min: 1, max: 5000, message: "must be a number of nodes" }),
      Text
    ]).annotate({
      message: "must be a number of nodes from 1 to 5000, or a file of Node objects"
    }),
    "The number of nodes, or a file of Node objects; 3 nodes if left out."
  ),
  quotas: listOf(Quota, "ResourceQuotas that are there before the rollout."),
  replicas: optionalField(
    Schema.Record(Schema.String, replicas),
    "How many replicas Deployments and StatefulSets have here, by their names: web, shop/web, sts/db."
  )
}).annotate({ identifier: "Environment", description: "Where the workloads run. All are planned." })

const Manifests = {
  files: listOf(Text, "Files and folders, as of -f, from the folder of this file."),
  kustomizations: listOf(Text, "Folders that kustomize builds, as of -k."),
  charts: listOf(Text, "Charts that Helm renders, as of --helm."),
  values: listOf(Text, "Files with values for the charts, as of --values."),
  recursive: optionalField(Schema.Boolean, "Whether folders in folders are read, too."),
  from: listOf(Text, "Files and folders that run before the rollout, as of --from.")
}

export const PlanSettingsSchema = Schema.Struct({
  apiVersion: Schema.Literal(behaviourApiVersion).annotate({ message: `must be ${behaviourApiVersion}` }),
  kind: Schema.Literal("PlanSettings").annotate({ message: "must be PlanSettings" }),
  spec: Schema.Struct({
    ...Manifests,
    namespace: optionalField(Text, "The namespace of objects that name none."),
    seeds: optionalField(
      wholeNumberSchema({ min: 1, max: 100_000, message: "must be a number of seeds from 1 to 100000" }),
      "How often each rollout is played; 100 times if left out."
    ),
    strict: optionalField(Schema.Boolean, "Whether the exit code is 1 for a risky rollout, too."),
    traffic: optionalField(
      Schema.Struct({
        requests: optionalField(numberAboveSchema(0), "Requests to each Service in a second."),
        propagation: optionalField(DurationSchema, "The time until clients use changed endpoints.")
      }),
      "What clients send."
    ),
    thresholds: listOf(Threshold, "Conditions that fail the plan."),
    assumptions: listOf(Assumption, "How containers live, by image. The first that matches holds."),
    acceptUnknown: listOf(AcceptedUnknown, "What may decide about a rollout without being played."),
    suppressions: listOf(Suppression, "Rules that do not count for some workloads."),
    environments: listOf(Environment, "Where the workloads run, planned side by side.")
  })
}).annotate({
  title: "PlanSettings",
  description: "What charthouse plan reads from charthouse.yaml, beside the manifests."
})

export type PlanSettings = (typeof PlanSettingsSchema.Type)["spec"]

export const planSettingsJsonSchema = (): JsonSchema => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(PlanSettingsSchema, {
    onExcessProperty: "error"
  })
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }
}
