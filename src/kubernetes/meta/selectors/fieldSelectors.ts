import { groupResourceOf, resources } from "../kinds.ts"
import type { GroupResource, Kind } from "../kinds.ts"
import type { EventObject, KubeObject } from "../objects.ts"

/**
 * Field selectors such as `metadata.name=web,status.phase!=Failed`. Each kind supports only a few fields.
 * Source: staging/src/k8s.io/apimachinery/pkg/fields/selector.go, pkg/apis/core/v1/conversion.go and
 * pkg/registry/core/{pod,event,node,namespace}/strategy.go (the fields of each kind).
 */
export type FieldSelector = (object: KubeObject) => boolean

type FieldSelectorText =
  | { readonly ok: true; readonly selector: FieldSelector }
  | { readonly ok: false; readonly problem: string }

interface Requirement {
  readonly field: string
  readonly equals: boolean
  readonly value: string
}

export const parseFieldSelector = (text: string, kind: Kind): FieldSelectorText => {
  const requirements: Array<Requirement> = []
  for (const part of splitUnescaped(text, ",").filter((it) => it !== "")) {
    const requirement = readRequirement(part)
    if (requirement === undefined) {
      return { ok: false, problem: `invalid selector: '${text}'; can't understand '${part}'` }
    }
    requirements.push(requirement)
  }
  const resource = groupResourceOf(kind)
  const stored = storedNames[resource] ?? {}
  const fields = kind.custom?.selectableFields ?? fieldsByResource[resource] ?? Object.keys(stored)
  for (const { field } of requirements) {
    if (!commonFields.has(field) && !fields.includes(field)) {
      return { ok: false, problem: unknownField(field, fields) }
    }
  }
  const selector: FieldSelector = (object) =>
    requirements.every(
      ({ field, equals, value }) => (fieldText(object, stored[field] ?? field) === value) === equals
    )
  return { ok: true, selector }
}

const readRequirement = (part: string): Requirement | undefined => {
  const [, field, operator, value] = /^([^!=]+)(!=|==|=)((?:\\.|[^=!,\\])*)$/.exec(part) ?? []
  if (field === undefined || value === undefined) return undefined
  return { field: field.trim(), equals: operator !== "!=", value: value.replaceAll(/\\([\\,=])/g, "$1") }
}

const splitUnescaped = (text: string, separator: string): ReadonlyArray<string> => {
  const parts = [""]
  for (let index = 0; index < text.length; index += 1) {
    const last = parts.length - 1
    if (text[index] === separator) {
      parts.push("")
      continue
    }
    const isEscape = text[index] === "\\" && index + 1 < text.length
    const piece = text.slice(index, index + (isEscape ? 2 : 1))
    parts[last] = `${parts[last] ?? ""}${piece}`
    if (isEscape) index += 1
  }
  return parts
}

const commonFields: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"])

const fieldsByResource: Readonly<Record<GroupResource, ReadonlyArray<string>>> = {
  [resources.pods]: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName"
  ],
  [resources.events]: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type"
  ],
  [resources.nodes]: ["spec.unschedulable"],
  [resources.namespaces]: ["status.phase"],
  [resources.replicaSets]: ["status.replicas"],
  [resources.certificateRequests]: ["spec.signerName"],
  "jobs.batch": ["status.successful"],
  "resourceslices.resource.k8s.io": ["spec.driver", "spec.nodeName"],
  replicationcontrollers: ["status.replicas"],
  secrets: ["type"]
}

/**
 * Selectable fields that have another name in stored objects, such as those of a kind that presents other objects.
 * Source: pkg/apis/events/v1/conversion.go, pkg/registry/batch/job/strategy.go (JobToSelectableFields).
 */
const storedNames: Readonly<Record<GroupResource, Readonly<Record<string, string>>>> = {
  "jobs.batch": { "status.successful": "status.succeeded" },
  "events.events.k8s.io": {
    reason: "reason",
    type: "type",
    reportingController: "reportingComponent",
    ...Object.fromEntries(
      ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((field) => [
        `regarding.${field}`,
        `involvedObject.${field}`
      ])
    )
  }
}

const unknownField = (field: string, fields: ReadonlyArray<string>): string =>
  fields.length > 0
    ? `field label not supported: ${field}`
    : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`

/** The value of a field as text; a missing one is "", or the zero value of its type. */
const fieldText = (object: KubeObject, field: string): string => {
  if (field === "source") {
    const { source, reportingComponent } = object as EventObject
    return source?.component ?? reportingComponent ?? ""
  }
  let value: unknown = object
  for (const part of field.split(".")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined
  }
  if (value === undefined || value === null) return zeroValues[field] ?? ""
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : ""
}

/** Zero values of fields that are no text. */
const zeroValues: Readonly<Record<string, string>> = {
  "spec.unschedulable": "false",
  "spec.hostNetwork": "false",
  "status.replicas": "0",
  "status.succeeded": "0"
}
