import * as Schema from "effect/Schema"
import {
  DelaySchema,
  optionalField,
  DurationSchema,
  GlobSchema,
  requiredField
} from "../behaviours/behaviourSchema.ts"
import { numberAbove, countInRange, literalsSchema, stringRecord } from "../behaviours/fieldSchemas.ts"
import { nearestWord } from "../kubernetes/meta/text/nearestWord.ts"
import { controllerNames } from "../runtime/reconciler/controllerRanks.ts"
import type { FaultName } from "./fault.ts"

const Controller = literalsSchema(controllerNames).annotate({ identifier: "Controller" })
const Party = literalsSchema([...controllerNames, "controllers", "clients"]).annotate({ identifier: "Party" })

const PodChoice = Schema.Struct({
  namespace: optionalField(Schema.String, "Pods in this namespace."),
  deployment: optionalField(Schema.String, "Pods of the Deployment with this name."),
  revision: optionalField(
    literalsSchema(["new", "old"]),
    "With a deployment: only Pods of its current template (new), or only the others (old)."
  ),
  labels: optionalField(stringRecord, "Pods with all these labels."),
  name: optionalField(GlobSchema, "Pods with a name that matches this glob."),
  node: optionalField(Schema.String, "Pods on this node."),
  count: optionalField(countInRange(1), "The number of Pods, chosen by the seed; all by default.")
}).annotate({
  identifier: "PodChoice",
  description: "The Pods that the fault affects. All given fields must match."
})

const durationField = {
  for: optionalField(DurationSchema, "The duration of the fault; by default it lasts until the story ends.")
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

const pods = requiredField(PodChoice, "The Pods that the fault affects.")
const node = requiredField(Schema.String, "The name of the node: node-1, node-2 and so on.")
const controller = requiredField(Controller, "The controller that the fault affects.")
const of = requiredField(
  Party,
  "What the fault affects: one controller, all controllers, or all API clients."
)
const reads = optionalField(
  literalsSchema(["cached", "all"]),
  "For clients: only reads that a cache may answer (cached: resourceVersion=0), or all reads; cached by default."
)

export const faultSchemas = {
  crash: fault(
    "crash",
    "Containers exit now with an exit code; with `for`, so does every run that begins during the fault.",
    {
      pods,
      exitCode: optionalField(countInRange(0, 255), "The exit code; 1 by default, 137 for OOMKilled."),
      reason: optionalField(literalsSchema(["Error", "OOMKilled"]), "The reason in the container's status.")
    }
  ),
  fail: fault("fail", "The Pod fails, as after an eviction by its node.", {
    pods,
    reason: optionalField(Schema.String, "The reason in the Pod's status.")
  }),
  kill: fault("kill", "The Pod is deleted through the API, as `kubectl delete pod` does.", {
    pods,
    gracePeriodSeconds: optionalField(countInRange(0), "The grace period; by default the Pod's own.")
  }),
  flap: fault("flap", "The Pod changes between ready and unready.", {
    pods,
    ready: requiredField(DurationSchema, "The time for which it is ready each time."),
    unready: requiredField(DurationSchema, "The time for which it is unready each time.")
  }),
  hang: fault("hang", "The containers answer no probes any more.", { pods }),
  slowStart: fault("slowStart", "Pods that start during the fault take longer until they are ready.", {
    pods,
    by: requiredField(DelaySchema, "The additional time.")
  }),
  pullFails: fault("pullFails", "Pulls of an image fail.", {
    image: requiredField(GlobSchema, "A glob for the image; * stands for any text."),
    error: optionalField(Schema.String, "The error message of the registry.")
  }),
  nodeLost: fault(
    "nodeLost",
    "The node stops sending heartbeats. Its Pods keep running, unreported, and are evicted after their tolerations.",
    {
      node
    }
  ),
  nodeDrained: fault(
    "nodeDrained",
    "The node is cordoned and its Pods are evicted, as `kubectl drain` does.",
    { node }
  ),
  nodeCordoned: fault("nodeCordoned", "The node accepts no new Pods, as after `kubectl cordon`.", { node }),
  nodeFull: fault("nodeFull", "The node has no room for another Pod.", { node }),
  quotaExhausted: fault("quotaExhausted", "A ResourceQuota is created that is used up.", {
    namespace: optionalField(Schema.String, "The namespace of the quota; `default` by default."),
    hard: optionalField(stringRecord, "spec.hard of the quota; by default the present number of Pods.")
  }),
  controllerStopped: fault(
    "controllerStopped",
    "The controller does nothing, and reconciles every object when it is back.",
    { controller }
  ),
  controllerSlow: fault("controllerSlow", "The controller takes longer to reconcile each object.", {
    controller,
    by: requiredField(DurationSchema, "The time for each object.")
  }),
  controllerRestarted: fault(
    "controllerRestarted",
    "The controller is killed between two of its writes and restarted. The remaining writes are lost.",
    {
      controller,
      afterWrites: optionalField(
        countInRange(0),
        "The number of writes before it is killed; 0, at once, by default."
      )
    }
  ),
  writesRefused: fault("writesRefused", "Writes to the API are refused.", {
    of,
    code: requiredField(
      literalsSchema([409, 429, 500, 504]),
      "409 Conflict, 429 Too Many Requests, 500 Internal Server Error, or 504: the write is carried out, but its response is lost."
    ),
    resource: optionalField(Schema.String, "Only writes of this resource: pods, deployments.apps."),
    verb: optionalField(
      literalsSchema(["create", "update", "patch", "delete", "status"]),
      "Only writes with this verb."
    ),
    times: optionalField(countInRange(1), "The number of refusals, retries included; no limit by default.")
  }),
  writesSlow: fault("writesSlow", "Every write takes longer.", {
    of,
    by: requiredField(DurationSchema, "The additional time.")
  }),
  watchLate: fault("watchLate", "Watch events arrive later.", {
    of,
    by: requiredField(DurationSchema, "The delay."),
    reads
  }),
  watchDropped: fault(
    "watchDropped",
    "Watches break. After the fault, clients list again and observe only the resulting state.",
    { of }
  ),
  watchRepeated: fault("watchRepeated", "Every watch event arrives twice.", { of }),
  staleReads: fault(
    "staleReads",
    "Reads and lists from a cache return the state as of the beginning of the fault.",
    { of, reads }
  ),
  clockJump: fault(
    "clockJump",
    "The clock jumps, as after a machine's sleep: everything that was due is late.",
    {
      by: requiredField(DurationSchema, "The delay.")
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

/** How likely a fault is to be drawn among other random faults. */
export const weightField = {
  weight: optionalField(numberAbove(0), "The relative probability; 1 by default.")
}
