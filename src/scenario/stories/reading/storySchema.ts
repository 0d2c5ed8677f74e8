import type { JsonSchema } from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import { behaviourApiVersion } from "../../../behaviours/behaviour.ts"
import { LoadSchema } from "../../../behaviours/load/loadSchema.ts"
import { externalMetricFields } from "../../../behaviours/load/loadProblems.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { isRfc3339 } from "../../../kubernetes/meta/amounts/timestamps.ts"
import { faultSchemas } from "../../../faults/schemas/faultSchemas.ts"
import {
  countSchema,
  numberAboveSchema,
  safeIntegerSchema,
  stringRecordSchema,
  optionalField,
  DurationSchema,
  requiredField
} from "../../../behaviours/fieldSchemas.ts"

export const storyApiVersion = behaviourApiVersion

const Condition = Schema.String.annotate({
  identifier: "Condition",
  description:
    "[SUBJECT] MEASURE OPERATOR VALUE, or [SUBJECT] is [not] STATE, with `and` between several. Without a subject " +
    "it is about every Deployment. available >= 80%; deployment/web updated = 3; service/web lost = 0; " +
    "deployment/web is complete; job/sums is failed; statefulset/db ready = 3; node/node-1 is ready."
})

const ObjectName = Schema.String.annotate({
  identifier: "ObjectName",
  description: "KIND/NAME or KIND/NAMESPACE/NAME: deployment/web, deployment/shop/web, node/node-1."
})

const NonEmptyText = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "", { message: "must not be empty" })
)

const Time = Schema.String.check(
  Schema.makeFilter(isRfc3339, { message: "must be a time such as 2026-01-01T00:00:00Z" })
)

const timingFields = {
  at: optionalField(DurationSchema, "The time since the story began."),
  after: optionalField(DurationSchema, "The time since the previous step."),
  when: optionalField(Condition, "Begins as soon as this condition holds."),
  within: optionalField(DurationSchema, "The timeout of `when` or `waitFor`; 1h by default.")
}

const refusalField = {
  expectRefused: optionalField(
    Schema.String,
    "The request must be refused with a message that contains this text."
  )
}

const actionSchema = <const F extends Schema.Struct.Fields>(title: string, fields: F) =>
  Schema.Struct({ ...fields, ...timingFields }).annotate({ title })

export const storyActionSchemas = {
  apply: actionSchema("apply", {
    apply: requiredField(Schema.Unknown, "As `kubectl apply`: a file, an object, or a list of them."),
    ...refusalField
  }),
  patch: actionSchema("patch", {
    patch: requiredField(ObjectName, "The object to patch, as `kubectl patch`."),
    with: requiredField(
      Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]).annotate({
        message: "must be a map, or a list of JSON patch operations"
      }),
      "A strategic merge patch, or a list of JSON patch operations."
    ),
    ...refusalField
  }),
  scale: actionSchema("scale", {
    scale: requiredField(ObjectName, "The object to scale, as `kubectl scale`."),
    to: requiredField(countSchema({ min: 0 }), "The number of replicas."),
    ...refusalField
  }),
  setImage: actionSchema("setImage", {
    setImage: requiredField(ObjectName, "The object to change, as `kubectl set image`."),
    images: requiredField(stringRecordSchema, "Images by container name; * is every container."),
    ...refusalField
  }),
  pause: actionSchema("pause", {
    pause: requiredField(ObjectName, "The Deployment to pause, as `kubectl rollout pause`."),
    ...refusalField
  }),
  resume: actionSchema("resume", {
    resume: requiredField(ObjectName, "The Deployment to resume, as `kubectl rollout resume`."),
    ...refusalField
  }),
  undo: actionSchema("undo", {
    undo: requiredField(
      ObjectName,
      "The Deployment, StatefulSet or DaemonSet to roll back, as `kubectl rollout undo`."
    ),
    toRevision: optionalField(
      countSchema({ min: 1 }),
      "The revision to roll back to; the previous one by default."
    ),
    ...refusalField
  }),
  delete: actionSchema("delete", {
    delete: requiredField(ObjectName, "The object to delete, as `kubectl delete`."),
    ...refusalField
  }),
  waitFor: actionSchema("waitFor", {
    waitFor: requiredField(
      Condition,
      "Waits until the condition holds. Fails if it does not hold `within` a time (1h by default)."
    )
  }),
  expect: actionSchema("expect", { expect: requiredField(Condition, "A condition that must hold now.") }),
  advance: actionSchema("advance", {
    advance: requiredField(DurationSchema, "Advances the clock by a duration.")
  }),
  setLoad: actionSchema("setLoad", {
    setLoad: requiredField(Schema.String, "The name of the behaviour that gets another load."),
    ...LoadSchema.fields
  }),
  setMetric: actionSchema("setMetric", {
    setMetric: requiredField(Schema.String, "The name of the metric."),
    ...externalMetricFields
  })
} as const

export const storyActionNames: ReadonlyArray<string> = [...Object.keys(storyActionSchemas), "fault"]

export const isStoryAction = (name: string): name is keyof typeof storyActionSchemas =>
  Object.hasOwn(storyActionSchemas, name)

const faultSchemasWith = (extraFields: Schema.Struct.Fields) =>
  Object.fromEntries(
    Object.entries(faultSchemas).map(([name, schema]) => [
      name,
      Schema.Struct({ ...schema.fields, ...extraFields }).annotate({ title: name })
    ])
  )

export const stepFaultSchemas = faultSchemasWith(timingFields)
export const timedFaultSchemas = faultSchemasWith({
  at: requiredField(DurationSchema, "The time since the story began.")
})
export const randomFaultSchemas = faultSchemasWith({
  weight: optionalField(numberAboveSchema(0), "The relative probability; 1 by default.")
})

/** `checkStory` checks these parts separately, so that it reports each problem once. */
interface PartSchemas {
  readonly step: Schema.Top
  readonly timedFault: Schema.Top
  readonly randomFault: Schema.Top
  readonly behaviour: Schema.Top
}

const specSchema = ({ step, timedFault, randomFault, behaviour }: PartSchemas) =>
  Schema.Struct({
    description: optionalField(Schema.String, "A description of the story, for people."),
    seed: optionalField(safeIntegerSchema, "The seed of every random choice; 1 by default."),
    nodes: optionalField(
      Schema.Union([
        countSchema({ min: 0, max: 5000 }),
        Schema.Struct({
          count: optionalField(countSchema({ min: 0, max: 5000 }), "The number of nodes; 3 by default."),
          pods: optionalField(
            countSchema({ min: 0 }),
            "The maximum number of Pods of each node; 110 by default."
          ),
          cpu: optionalField(Schema.String, "The CPUs of each node, as a quantity."),
          memory: optionalField(Schema.String, "The memory of each node, as a quantity."),
          resources: optionalField(
            Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number])),
            "What else each node has, by name: nvidia.com/gpu: 4."
          ),
          zones: optionalField(Schema.Array(Schema.String), "Zones, which the nodes are in by turns."),
          region: optionalField(Schema.String, "The region of the nodes."),
          instanceType: optionalField(Schema.String, "The instance type of the nodes."),
          labels: optionalField(stringRecordSchema, "Labels of each node."),
          lostAfterSeconds: optionalField(
            countSchema({ min: 1 }),
            "The time without a heartbeat after which a node counts as lost."
          )
        })
      ]).annotate({
        message:
          "must be a number of nodes, or a map of count, pods, cpu, memory, resources, zones, region, " +
          "instanceType, labels, lostAfterSeconds"
      }),
      "The number of nodes (3 by default), or their number and capacity."
    ),
    startTime: optionalField(
      Time,
      "When the cluster's clock begins, for schedules and daily loads; 2026-01-01T00:00:00Z by default."
    ),
    behaviour: optionalField(behaviour, "The behaviour of Pods that none of `behaviours` matches."),
    behaviours: optionalField(
      Schema.Union([behaviour, Schema.Array(behaviour)]),
      "Behaviours of the Pods that they match: a file, a behaviour, or a list of them."
    ),
    start: optionalField(
      Schema.Unknown,
      "Objects that are applied before the story begins, which is when their rollouts are done: a file, an object, or a list of them."
    ),
    steps: requiredField(Schema.Array(step), "The steps, in order."),
    faults: optionalField(
      Schema.Array(timedFault),
      "Faults that begin at fixed times, independent of the steps."
    ),
    weather: optionalField(
      Schema.Struct({
        every: requiredField(DurationSchema, "The mean time between two faults."),
        from: optionalField(DurationSchema, "No fault begins before this time."),
        until: requiredField(DurationSchema, "No fault begins after this time."),
        faults: requiredField(Schema.Array(randomFault), "The faults to choose from.")
      }),
      "Random faults, chosen by the seed."
    ),
    invariants: optionalField(
      Schema.Array(Condition),
      "Conditions that must hold at every instant of the story."
    ),
    expectFailure: optionalField(
      NonEmptyText,
      "The story passes only if it fails with a message that contains this text."
    ),
    limit: optionalField(
      Schema.Struct({
        time: optionalField(DurationSchema, "The longest time that may pass; 1h by default."),
        steps: optionalField(
          countSchema({ min: 1 }),
          "The largest number of writes to the API, counted after each instant; 100000 by default."
        )
      }),
      "A story that has not finished within these limits fails."
    )
  })

const documentSchema = (parts: PartSchemas) =>
  Schema.Struct({
    apiVersion: Schema.Literal(storyApiVersion),
    kind: Schema.Literal("Scenario"),
    metadata: Schema.Struct({
      name: NonEmptyText,
      labels: Schema.optionalKey(stringRecordSchema),
      annotations: Schema.optionalKey(stringRecordSchema)
    }),
    spec: specSchema(parts)
  }).annotate({ title: "Scenario", description: "Events in a cluster, and the conditions that must hold." })

const anyValue = Schema.Unknown

/** Accepts anything as a step, fault, behaviour or manifest. */
export const StoryOutline = documentSchema({
  step: anyValue,
  timedFault: anyValue,
  randomFault: anyValue,
  behaviour: anyValue
})

/** The schema is for editors; reading a story checks more. */
export const storyJsonSchema = (): JsonSchema => {
  const Behaviour = Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Unknown)])
  const document = documentSchema({
    step: Schema.Union([...Object.values(storyActionSchemas), ...Object.values(stepFaultSchemas)]),
    timedFault: Schema.Union(Object.values(timedFaultSchemas)),
    randomFault: Schema.Union(Object.values(randomFaultSchemas)),
    behaviour: Behaviour.annotate({
      identifier: "Behaviour",
      description:
        "A name, a file, or a behaviour written in place: `name`, and the fields of its spec beside it."
    })
  })
  const { definitions, schema } = Schema.toJsonSchemaDocument(document, { onExcessProperty: "error" })
  const withDefinitions = { ...schema, $defs: definitions }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...(mergeAllOf(withDefinitions) as JsonSchema)
  }
}

/** Editors show a description only beside a type. */
const mergeAllOf = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(mergeAllOf)
  if (!isFields(schema)) return schema
  const { allOf, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, mergeAllOf(value)])
  )
  if (allOf === undefined) return rest
  const parts = Array.isArray(allOf) ? allOf.filter(isFields) : []
  const fields = [rest, ...parts].flatMap((part) => Object.keys(part))
  return new Set(fields).size === fields.length ? Object.assign({}, rest, ...parts) : { ...rest, allOf }
}
