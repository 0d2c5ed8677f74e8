import type { JsonSchema } from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import { behaviourApiVersion } from "../../../behaviours/behaviour.ts"
import { optionalField, DurationSchema } from "../../../behaviours/behaviourSchema.ts"
import { isFields } from "../../../kubernetes/meta/fields.ts"
import { faultSchemas, weightField } from "../../../faults/faultSchemas.ts"
import { countInRange, safeInteger, requiredField, stringRecord } from "../../../behaviours/fieldSchemas.ts"

export const storyApiVersion = behaviourApiVersion

const Condition = Schema.String.annotate({
  identifier: "Condition",
  description:
    "[SUBJECT] MEASURE OPERATOR VALUE, or [SUBJECT] is [not] STATE, with `and` between several. Without a subject it is " +
    "said of every Deployment. available >= 80%; deployment/web updated = 3; service/web lost = 0; " +
    "deployment/web is complete; node/node-1 is ready."
})

const ObjectName = Schema.String.annotate({
  identifier: "ObjectName",
  description: "KIND/NAME or KIND/NAMESPACE/NAME: deployment/web, deployment/shop/web, node/node-1."
})

const NonEmptyText = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "", { message: "must not be empty" })
)

const timingFields = {
  at: optionalField(DurationSchema, "When: time since the story began."),
  after: optionalField(DurationSchema, "When: time since the step before."),
  when: optionalField(Condition, "When: as soon as this holds."),
  within: optionalField(DurationSchema, "How long that may take; 1h where it is left out.")
}

const refusalField = {
  expectRefused: optionalField(Schema.String, "It must be refused, in words of which these are a part.")
}

const actionSchema = <const F extends Schema.Struct.Fields>(title: string, fields: F) =>
  Schema.Struct({ ...fields, ...timingFields }).annotate({ title })

export const storyActionSchemas = {
  apply: actionSchema("apply", {
    apply: requiredField(Schema.Unknown, "As `kubectl apply`: files, objects, or a list of them."),
    ...refusalField
  }),
  patch: actionSchema("patch", {
    patch: requiredField(ObjectName, "As `kubectl patch`: whom."),
    with: requiredField(
      Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]).annotate({
        message: "must be a map, or a list of JSON patch operations"
      }),
      "A strategic merge patch, or a list of JSON patch operations."
    ),
    ...refusalField
  }),
  scale: actionSchema("scale", {
    scale: requiredField(ObjectName, "As `kubectl scale`: whom."),
    to: requiredField(countInRange(0), "How many replicas."),
    ...refusalField
  }),
  setImage: actionSchema("setImage", {
    setImage: requiredField(ObjectName, "As `kubectl set image`: of whom."),
    images: requiredField(stringRecord, "Images by container; * is every container."),
    ...refusalField
  }),
  pause: actionSchema("pause", {
    pause: requiredField(ObjectName, "As `kubectl rollout pause`."),
    ...refusalField
  }),
  resume: actionSchema("resume", {
    resume: requiredField(ObjectName, "As `kubectl rollout resume`."),
    ...refusalField
  }),
  undo: actionSchema("undo", {
    undo: requiredField(ObjectName, "As `kubectl rollout undo`."),
    toRevision: optionalField(countInRange(1), "Which revision; the one before where it is left out."),
    ...refusalField
  }),
  delete: actionSchema("delete", {
    delete: requiredField(ObjectName, "As `kubectl delete`."),
    ...refusalField
  }),
  waitFor: actionSchema("waitFor", {
    waitFor: requiredField(
      Condition,
      "Waits; fails where it does not come true `within` (1h where it is left out)."
    )
  }),
  expect: actionSchema("expect", { expect: requiredField(Condition, "Must hold at this moment.") }),
  advance: actionSchema("advance", { advance: requiredField(DurationSchema, "Lets so much time pass.") })
} as const

export const storyActionNames: ReadonlyArray<string> = [...Object.keys(storyActionSchemas), "fault"]

export const isStoryAction = (name: string): name is keyof typeof storyActionSchemas =>
  Object.hasOwn(storyActionSchemas, name)

const withFields = (extraFields: Schema.Struct.Fields) =>
  Object.fromEntries(
    Object.entries(faultSchemas).map(([name, schema]) => [
      name,
      Schema.Struct({ ...schema.fields, ...extraFields }).annotate({ title: name })
    ])
  )

/** Schemas of faults in steps, in `faults`, and in `weather`. */
export const stepFaultSchemas = withFields(timingFields)
export const timedFaultSchemas = withFields({
  at: requiredField(DurationSchema, "When: time since the story began.")
})
export const randomFaultSchemas = withFields(weightField)

/** Parts that are decoded separately, so that their problems are reported only once. */
interface PartSchemas {
  readonly step: Schema.Top
  readonly timed: Schema.Top
  readonly fault: Schema.Top
  readonly behaviour: Schema.Top
}

const specOf = ({ step, timed, fault, behaviour }: PartSchemas) =>
  Schema.Struct({
    description: optionalField(Schema.String, "What the story is about."),
    seed: optionalField(safeInteger, "What all chance is drawn from; 1 where it is left out."),
    nodes: optionalField(
      Schema.Union([
        countInRange(0, 5000),
        Schema.Struct({
          count: optionalField(countInRange(0, 5000), "3 where it is left out."),
          pods: optionalField(countInRange(0), "How many Pods one takes; 110 where it is left out."),
          cpu: optionalField(Schema.String, "A quantity of cores."),
          memory: optionalField(Schema.String, "A quantity of bytes."),
          labels: optionalField(stringRecord, "Labels of every node."),
          lostAfterSeconds: optionalField(
            countInRange(1),
            "Without a heartbeat for so long, a node counts as lost."
          )
        })
      ]).annotate({
        message: "must be how many nodes there are, or a map of count, pods, cpu, memory, labels"
      }),
      "How many nodes there are (3 where it is left out), or what each can take."
    ),
    behaviour: optionalField(
      behaviour,
      "How Pods live that none of the behaviours matches: a name, or a behaviour."
    ),
    behaviours: optionalField(
      Schema.Union([behaviour, Schema.Array(behaviour)]),
      "Behaviours for the Pods they match: files, behaviours, or a list of them."
    ),
    start: optionalField(
      Schema.Unknown,
      "What is there, and has come to rest, before the story begins: files, objects, or a list of them."
    ),
    steps: requiredField(Schema.Array(step), "What happens, in order."),
    faults: optionalField(Schema.Array(timed), "Faults at times of their own, whatever the steps wait for."),
    weather: optionalField(
      Schema.Struct({
        every: requiredField(DurationSchema, "One fault about so often."),
        from: optionalField(DurationSchema, "None begins before."),
        until: requiredField(DurationSchema, "None begins after."),
        faults: requiredField(Schema.Array(fault), "Which faults there may be.")
      }),
      "Faults drawn from the seed."
    ),
    invariants: optionalField(
      Schema.Array(Condition),
      "What must hold at every instant from the story's beginning on."
    ),
    expectFailure: optionalField(
      NonEmptyText,
      "It must fail, in words of which these are a part: then it has passed, and otherwise it has failed."
    ),
    limit: optionalField(
      Schema.Struct({
        time: optionalField(DurationSchema, "1h where it is left out."),
        steps: optionalField(
          countInRange(1),
          "Writes, of all together, counted when an instant is over; 100000 where it is left out."
        )
      }),
      "A story that has not come to rest by then has failed."
    )
  })

const documentOf = (parts: PartSchemas) =>
  Schema.Struct({
    apiVersion: Schema.Literal(storyApiVersion),
    kind: Schema.Literal("Scenario"),
    metadata: Schema.Struct({
      name: NonEmptyText,
      labels: Schema.optionalKey(stringRecord),
      annotations: Schema.optionalKey(stringRecord)
    }),
    spec: specOf(parts)
  }).annotate({ title: "Scenario", description: "What happens to a cluster, from its beginning to its end." })

const anyValue = Schema.Unknown

/** A story without its steps, faults, behaviours and manifests. */
export const StoryOutline = documentOf({
  step: anyValue,
  timed: anyValue,
  fault: anyValue,
  behaviour: anyValue
})

/** The JSON Schema of a story, for editors; reading checks more. */
export const storyJsonSchema = (): JsonSchema => {
  const Behaviour = Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Unknown)])
  const document = documentOf({
    step: Schema.Union([...Object.values(storyActionSchemas), ...Object.values(stepFaultSchemas)]),
    timed: Schema.Union(Object.values(timedFaultSchemas)),
    fault: Schema.Union(Object.values(randomFaultSchemas)),
    behaviour: Behaviour.annotate({
      identifier: "Behaviour",
      description: `A name, a file, or a behaviour: its name beside the fields of a behaviour's spec.`
    })
  })
  const { definitions, schema } = Schema.toJsonSchemaDocument(document, { onExcessProperty: "error" })
  const merged = { ...schema, $defs: definitions }
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...(mergeAllOf(merged) as JsonSchema) }
}

/** Merges `allOf`, because editors show only descriptions beside a type. */
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
