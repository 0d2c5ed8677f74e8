import * as Schema from "effect/Schema"
import { GlobSchema } from "../../behaviours/behaviourSchema.ts"
import {
  countSchema,
  literalsSchema,
  stringRecordSchema,
  optionalField,
  DurationSchema,
  requiredField
} from "../../behaviours/fieldSchemas.ts"
import { controllerNames } from "../../runtime/reconciler/controllerTurnOrder.ts"
import type { ControllerName } from "../../runtime/reconciler/controllerTurnOrder.ts"

/** Go's notation: `250ms`, `1m30s`. */
export type FaultDuration = string

export const durationFieldNames = ["for", "by", "ready", "unready"] as const

/** `status`: a controller's write of the sub-resource; a client's counts as `update` or `patch`. */
export type WriteVerb = "create" | "update" | "patch" | "delete" | "status"

/** Which reads are stale: those that a cache may answer (`resourceVersion=0`; the default), or all. */
export type ReadScope = "cached" | "all"

export type Party = ControllerName | "controllers" | "clients"

/** All Pods that match, or `count` of them drawn by the seed. */
export interface PodChoice {
  readonly namespace?: string
  /** A workload in `namespace`, by default in `default`. */
  readonly deployment?: string
  readonly statefulSet?: string
  readonly daemonSet?: string
  readonly job?: string
  /** Pods of the workload's current template (new), or the others (old). */
  readonly revision?: "new" | "old"
  readonly labels?: Readonly<Record<string, string>>
  /** A glob. */
  readonly name?: string
  readonly node?: string
  readonly count?: number
}

const ControllerSchema = literalsSchema(controllerNames).annotate({ identifier: "Controller" })

const PartySchema = literalsSchema([...controllerNames, "controllers", "clients"]).annotate({
  identifier: "Party"
})

const PodChoiceSchema = Schema.Struct({
  namespace: optionalField(Schema.String, "Pods in this namespace."),
  deployment: optionalField(Schema.String, "Pods of the Deployment with this name."),
  statefulSet: optionalField(Schema.String, "Pods of the StatefulSet with this name."),
  daemonSet: optionalField(Schema.String, "Pods of the DaemonSet with this name."),
  job: optionalField(Schema.String, "Pods of the Job with this name."),
  revision: optionalField(
    literalsSchema(["new", "old"]),
    "With a deployment, statefulSet or daemonSet: only Pods of its current template (new), or only the others (old)."
  ),
  labels: optionalField(stringRecordSchema, "Pods with all these labels."),
  name: optionalField(GlobSchema, "Pods with a name that matches this glob."),
  node: optionalField(Schema.String, "Pods on this node."),
  count: optionalField(countSchema({ min: 1 }), "The number of Pods, chosen by the seed; all by default.")
}).annotate({
  identifier: "PodChoice",
  description: "The Pods that the fault affects. All given fields must match."
})

export const podsField = requiredField(PodChoiceSchema, "The Pods that the fault affects.")
export const nodeField = requiredField(Schema.String, "The name of the node: node-1, node-2 and so on.")
export const controllerField = requiredField(ControllerSchema, "The controller that the fault affects.")
export const partyField = requiredField(
  PartySchema,
  "What the fault affects: one controller, all controllers, or all API clients."
)
export const readsField = optionalField(
  literalsSchema(["cached", "all"]),
  "For clients: only reads that a cache may answer (cached: resourceVersion=0), or all reads; cached by default."
)

export const faultSchema = <const N extends string, const F extends Schema.Struct.Fields>(
  name: N,
  description: string,
  fields: F
) =>
  Schema.Struct({
    fault: requiredField(Schema.Literal(name), description),
    ...fields,
    for: optionalField(DurationSchema, "The duration of the fault; by default it lasts until the story ends.")
  }).annotate({ title: name, description })

export type FaultSchemas<Types> = {
  readonly [N in keyof Types]: Schema.Schema<Types[N] & { readonly for?: FaultDuration }> & {
    readonly fields: Readonly<Record<keyof Types[N] | "for", Schema.Top>>
  }
}
