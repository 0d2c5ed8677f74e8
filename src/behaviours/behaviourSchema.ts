import type { JsonSchema } from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import { behaviourApiVersion, type BehaviourDocument, type Distribution } from "./behaviour.ts"
import {
  QuantitySchema,
  DurationSchema,
  jsonSchemaLooserThanCheck,
  optionalField,
  requiredField,
  wholeNumberSchema
} from "./fieldSchemas.ts"
import { builtInBehaviours } from "./builtInBehaviours.ts"
import {
  distributionContradictions,
  exitContradictions,
  flapContradictions,
  matchContradictions,
  specContradictions
} from "./contradictions.ts"
import { ValueOverTimeSchema, LoadSchema } from "./load/loadSchema.ts"

const isOneDistribution = (distribution: object): distribution is Distribution =>
  Object.keys(distribution).length === 1

const Distribution = Schema.Struct({
  uniform: Schema.optionalKey(
    Schema.Tuple([DurationSchema, DurationSchema]).annotate({
      description: "Uniform between the first and the second, both included."
    })
  ),
  normal: Schema.optionalKey(
    Schema.Struct({ mean: DurationSchema, deviation: DurationSchema }).annotate({
      description: "A normal distribution, cut off at zero."
    })
  ),
  exponential: Schema.optionalKey(Schema.Struct({ mean: DurationSchema }))
}).pipe(
  Schema.refine(isOneDistribution, {
    message: "must be exactly one of uniform, normal and exponential",
    toJsonSchema: () => ({ minProperties: 1, maxProperties: 1 })
  }),
  Schema.check(Schema.makeFilter(distributionContradictions))
)

export const DelaySchema = Schema.Union([DurationSchema, Distribution]).annotate({
  identifier: "Delay",
  description: "A fixed time, or a distribution from which each pod draws its own.",
  message:
    'must be a duration with its unit, such as "250ms", "1.5s" or "1h30m" (a bare number has none), ' +
    "or one of the distributions uniform, normal and exponential"
})

const countOrForever = (min: number) => {
  const message = `must be a whole number from ${min} on, or forever`
  return Schema.Union([
    wholeNumberSchema({ min, max: Number.MAX_SAFE_INTEGER, message }),
    Schema.Literal("forever")
  ]).annotate({ message })
}

const Pull = Schema.Struct({
  delay: optionalField(DelaySchema, "The duration of one pull of the image."),
  failures: optionalField(
    countOrForever(0),
    "The number of pulls that fail before one succeeds; 0 by default."
  ),
  error: optionalField(Schema.String, "The error message of the registry when a pull fails.")
}).annotate({ identifier: "Pull", description: "The pull of the image." })

const ExitCode = wholeNumberSchema({ min: 0, max: 255, message: "must be an exit code, 0 to 255" })

const Exit = Schema.Struct({
  after: requiredField(DelaySchema, "The time from running until the run ends."),
  code: optionalField(ExitCode, "The exit code; by default the one that belongs to the reason."),
  reason: optionalField(
    Schema.Literals(["Completed", "Error", "OOMKilled"]).annotate({
      message: "must be Completed, Error or OOMKilled"
    }),
    "The reason; by default the one that belongs to the code."
  ),
  times: optionalField(
    countOrForever(1),
    "The number of runs that end this way before one lasts; forever by default."
  )
})
  .check(Schema.makeFilter(exitContradictions))
  .annotate({ identifier: "Exit", description: "The container exits by itself." })

const Flap = Schema.Struct({
  ready: requiredField(DelaySchema, "The time for which it is ready each time."),
  unready: requiredField(DelaySchema, "The time for which it is unready each time."),
  times: optionalField(countOrForever(1), "The number of times that readiness is lost; forever by default.")
})
  .check(Schema.makeFilter(flapContradictions))
  .annotate({ identifier: "Flap", description: "The container changes between ready and unready." })

const Usage = Schema.Struct({
  cpu: optionalField(QuantitySchema, "CPU in cores, such as 20m; 1m by default."),
  memory: optionalField(QuantitySchema, "Memory in bytes, such as 64Mi; 16Mi by default.")
}).annotate({ identifier: "Usage", description: "What the container uses while it runs." })

const containerFields = {
  pull: Schema.optionalKey(Pull),
  start: optionalField(DelaySchema, "The time from the image being present until the container runs."),
  ready: optionalField(
    DelaySchema,
    "The time from running until the application answers a readiness or startup probe, a liveness probe with the same handler as the readiness probe, or a liveness probe that is the only probe."
  ),
  exit: Schema.optionalKey(Exit),
  flap: Schema.optionalKey(Flap),
  hang: optionalField(
    DelaySchema,
    "The time from running until the application stops answering its liveness probe."
  ),
  terminateCode: optionalField(
    ExitCode,
    "The exit code after SIGTERM; 0 by default, 143 for a program that does not handle the signal. After SIGKILL it is 137."
  ),
  usage: Schema.optionalKey(Usage)
}

export const GlobSchema = Schema.String.check(
  Schema.makeFilter((glob: string) => glob !== "", {
    message: "must not be empty; * stands for any text",
    toJsonSchema: () => ({ minLength: 1 })
  })
)

const Match = Schema.Struct({
  image: optionalField(
    GlobSchema,
    "A glob for the image of containers and init containers; the behaviour applies to the containers with such an image."
  ),
  name: optionalField(GlobSchema, "A glob for the Pod's name."),
  labels: optionalField(Schema.Record(Schema.String, Schema.String), "Labels that the Pod must have.")
}).check(Schema.makeFilter(matchContradictions))

/** A label, as apimachinery's `validation.IsDNS1123Label` checks it. */
const ContainerName = Schema.String.check(Schema.isPattern(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u))

const Containers = Schema.Record(ContainerName, Schema.Struct(containerFields))

const Spec = Schema.Struct({
  match: optionalField(
    Match,
    "The Pods, or with image the containers, that have this behaviour. All given fields must match."
  ),
  mover: optionalField(
    Schema.Literals(["kubelet", "you"]).annotate({ message: "must be kubelet or you" }),
    "What changes the Pod's status: its simulated kubelet, or only your own API writes."
  ),
  schedule: optionalField(DelaySchema, "The time from creation until the scheduler binds the Pod."),
  terminate: optionalField(
    DelaySchema,
    "The time from the beginning of termination until the last container has exited."
  ),
  load: optionalField(LoadSchema, "Requests that the ready Pods of the behaviour share, in each namespace."),
  metrics: optionalField(
    Schema.Record(Schema.String, ValueOverTimeSchema),
    "Custom metrics of each running Pod, by their names."
  ),
  containers: optionalField(Containers, "Other values for single containers or init containers, by name."),
  ...containerFields
}).check(Schema.makeFilter(specContradictions))

/** A subdomain, as apimachinery's `validation.IsDNS1123Subdomain` checks it. */
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u

const nameProblem = (name: string): string | undefined => {
  if (builtInBehaviours.some((behaviour) => behaviour.name === name)) {
    return `${name} is built in; another behaviour needs another name`
  }
  return name.length <= 253 && subdomainPattern.test(name)
    ? undefined
    : "must be an RFC 1123 subdomain: lower case letters, digits, '-' and '.', " +
        "with a letter or digit at both ends, at most 253 characters"
}

const Name = Schema.String.check(
  Schema.makeFilter(nameProblem, {
    toJsonSchema: jsonSchemaLooserThanCheck({ pattern: subdomainPattern.source, maxLength: 253 })
  })
)

export const BehaviourSchema: Schema.Codec<BehaviourDocument, unknown> = Schema.Struct({
  apiVersion: Schema.Literal(behaviourApiVersion).annotate({ message: `must be ${behaviourApiVersion}` }),
  kind: Schema.Literal("Behaviour").annotate({ message: "must be Behaviour" }),
  metadata: Schema.Struct({ name: Name }),
  spec: Spec
}).annotate({
  title: "Behaviour",
  description:
    "The behaviour of simulated Pods. Fields that are left out are as in the built-in behaviour `steady`."
})

/** The decoder also refuses contradictions, which no JSON Schema expresses. */
export const behaviourJsonSchema = (): JsonSchema => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(BehaviourSchema, { onExcessProperty: "error" })
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }
}
