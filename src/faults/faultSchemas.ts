import * as Schema from "effect/Schema"
import { DelaySchema, optionalField, DurationSchema, GlobSchema } from "../behaviours/behaviourSchema.ts"
import {
  numberAbove,
  countInRange,
  requiredField,
  literalsSchema,
  stringRecord
} from "../behaviours/fieldSchemas.ts"
import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"
import { controllerNames } from "./fault.ts"
import type { FaultName } from "./fault.ts"

const Controller = literalsSchema(controllerNames).annotate({ identifier: "Controller" })
const Party = literalsSchema([...controllerNames, "controllers", "clients"]).annotate({ identifier: "Party" })

const PodChoice = Schema.Struct({
  namespace: optionalField(Schema.String, "Those in this namespace."),
  deployment: optionalField(Schema.String, "Those of this Deployment, by its name."),
  revision: optionalField(
    literalsSchema(["new", "old"]),
    "With a deployment: only those of its present template, or only the others."
  ),
  labels: optionalField(stringRecord, "Those with all these labels."),
  name: optionalField(GlobSchema, "Those whose name fits this glob."),
  node: optionalField(Schema.String, "Those on this node."),
  count: optionalField(countInRange(1), "So many of them, drawn from the seed; all where it is left out.")
}).annotate({ identifier: "PodChoice", description: "Which Pods it meets; all that is given must hold." })

const durationField = {
  for: optionalField(DurationSchema, "How long it lasts; until the story's end where it is left out.")
}

const fault = <const N extends FaultName, const F extends Schema.Struct.Fields>(
  name: N,
  description: string,
  fields: F
) =>
  Schema.Struct({
    fault: requiredField(Schema.Literal(name), description),
    ...fields,
    ...durationField
  }).annotate({
    title: name,
    description
  })

const pods = requiredField(PodChoice, "Which Pods it meets.")
const node = requiredField(Schema.String, "The node's name: node-1, node-2 and so on.")
const controller = requiredField(Controller, "Which controller.")
const of = requiredField(
  Party,
  "Whom it meets: one controller, all controllers, or every client from outside."
)
const reads = optionalField(
  literalsSchema(["cached", "all"]),
  "Of clients: only reads that a cache may answer (resourceVersion=0), or all. cached where it is left out."
)

export const faultSchemas = {
  crash: fault(
    "crash",
    "Containers end now with an exit code; with `for`, every run that begins meanwhile too.",
    {
      pods,
      exitCode: optionalField(countInRange(0, 255), "1 where it is left out, 137 for OOMKilled."),
      reason: optionalField(literalsSchema(["Error", "OOMKilled"]), "Why the container ended.")
    }
  ),
  fail: fault("fail", "The whole Pod ends as Failed, as when its node evicts it.", {
    pods,
    reason: optionalField(Schema.String, "The reason in the Pod's status.")
  }),
  kill: fault("kill", "Deleted through the API, as `kubectl delete pod` does.", {
    pods,
    gracePeriodSeconds: optionalField(countInRange(0), "The Pod's own where it is left out.")
  }),
  flap: fault("flap", "Readiness comes and goes.", {
    pods,
    ready: requiredField(DurationSchema, "How long it is ready each time."),
    unready: requiredField(DurationSchema, "How long it is not ready each time.")
  }),
  hang: fault("hang", "Answers no probe any more.", { pods }),
  slowStart: fault("slowStart", "Pods made meanwhile take so much longer until they answer.", {
    pods,
    by: requiredField(DelaySchema, "How much longer.")
  }),
  pullFails: fault("pullFails", "An image that cannot be pulled.", {
    image: requiredField(GlobSchema, "A glob; * stands for any text."),
    error: optionalField(Schema.String, "What the registry says.")
  }),
  nodeLost: fault(
    "nodeLost",
    "The node falls silent; its Pods go on unseen, and are given up after a while.",
    {
      node
    }
  ),
  nodeDrained: fault("nodeDrained", "Cordoned, and its Pods evicted, as `kubectl drain` does.", { node }),
  nodeCordoned: fault("nodeCordoned", "Takes no new Pods, as after `kubectl cordon`.", { node }),
  nodeFull: fault("nodeFull", "Takes no Pod more than it has.", { node }),
  quotaExhausted: fault("quotaExhausted", "A ResourceQuota appears that is used up.", {
    namespace: optionalField(Schema.String, "default where it is left out."),
    hard: optionalField(
      stringRecord,
      "What the quota allows; no Pod more than there are where it is left out."
    )
  }),
  controllerStopped: fault(
    "controllerStopped",
    "The controller does nothing, and looks at everything anew when it is back.",
    { controller }
  ),
  controllerSlow: fault("controllerSlow", "The controller takes so long over each object.", {
    controller,
    by: requiredField(DurationSchema, "How long over each object.")
  }),
  controllerRestarted: fault(
    "controllerRestarted",
    "The controller is killed in the middle of its commands, the rest of which is lost, and starts again.",
    {
      controller,
      afterWrites: optionalField(
        countInRange(0),
        "After so many more of its writes; 0, at once, where it is left out."
      )
    }
  ),
  writesRefused: fault("writesRefused", "Writes to the API are refused.", {
    of,
    code: requiredField(
      literalsSchema([409, 429, 500, 504]),
      "409 Conflict, 429 too many requests, 500, or 504: carried out all the same, and the answer is lost."
    ),
    resource: optionalField(Schema.String, "Only of this resource: pods, deployments.apps."),
    verb: optionalField(
      literalsSchema(["create", "update", "patch", "delete", "status"]),
      "Only of this kind."
    ),
    times: optionalField(
      countInRange(1),
      "So many refusals; one that is asked again counts again. All where it is left out."
    )
  }),
  writesSlow: fault("writesSlow", "Every write takes so much longer.", {
    of,
    by: requiredField(DurationSchema, "How much longer.")
  }),
  watchLate: fault("watchLate", "Every change is heard of so much later.", {
    of,
    by: requiredField(DurationSchema, "How much later."),
    reads
  }),
  watchDropped: fault(
    "watchDropped",
    "Watches break: what happens meanwhile is seen as its outcome alone, when the list is read again at the end.",
    { of }
  ),
  watchRepeated: fault("watchRepeated", "Every change is told twice.", { of }),
  staleReads: fault(
    "staleReads",
    "Reads and lists from a cache answer with what was so when the fault began.",
    { of, reads }
  ),
  clockJump: fault(
    "clockJump",
    "The machine slept: time is so much later at once, and everything due is late.",
    {
      by: requiredField(DurationSchema, "How much later.")
    }
  )
} as const satisfies { readonly [N in FaultName]: Schema.Top }

export const faultSchemaNames: ReadonlyArray<string> = Object.keys(faultSchemas)

export const isFaultName = (name: unknown): name is FaultName =>
  typeof name === "string" && Object.hasOwn(faultSchemas, name)

export const faultNameHint = (name: unknown): string => {
  const nearestName = typeof name === "string" ? nearestWord(name, faultSchemaNames) : undefined
  return nearestName === undefined
    ? `there are ${faultSchemaNames.join(", ")}`
    : `did you mean ${nearestName}?`
}

export const weightField = {
  weight: optionalField(numberAbove(0), "How likely beside the others; 1 where it is left out.")
}
