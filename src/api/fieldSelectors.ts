import { groupResourceOf, resources } from "../domain/kinds.ts"
import { badRequest } from "./statuses.ts"
import type { GroupResource, Kind } from "../domain/kinds.ts"
import type { EventObject, KubeObject } from "../domain/objects.ts"

/**
 * Selecting by fields: `metadata.name=web,status.phase!=Failed`. Each kind can be asked for a few fields only.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/fields/selector.go, pkg/apis/core/v1/conversion.go and
 * pkg/registry/core/{pod,event,node,namespace}/strategy.go (the fields of each kind).
 */
type FieldSelector = (object: KubeObject) => boolean

interface Requirement {
  readonly field: string
  readonly equals: boolean
  readonly value: string
}

/** Throws a `Refusal` for what is no selector, or asks for a field that the kind cannot be asked for. */
export const readFieldSelector = (text: string, kind: Kind): FieldSelector => {
  const requirements = splitUnescaped(text, ",")
    .filter((part) => part !== "")
    .map((part) => readRequirement(part, text))
  const resource = groupResourceOf(kind)
  const stored = storedNames[resource] ?? {}
  const fields = kind.custom?.selectable ?? fieldsByResource[resource] ?? Object.keys(stored)
  for (const { field } of requirements) {
    if (!common.has(field) && !fields.includes(field)) throw badRequest(unknownField(field, fields))
  }
  return (object) =>
    requirements.every(
      ({ field, equals, value }) => (fieldOf(object, stored[field] ?? field) === value) === equals
    )
}

const readRequirement = (part: string, whole: string): Requirement => {
  const [, field, operator, value] = /^([^!=]+)(!=|==|=)((?:\\.|[^=!,\\])*)$/.exec(part) ?? []
  if (field === undefined || value === undefined) {
    throw badRequest(`invalid selector: '${whole}'; can't understand '${part}'`)
  }
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

const common: ReadonlySet<string> = new Set(["metadata.name", "metadata.namespace"])

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
  secrets: ["type"]
}

/** Where a view calls its fields otherwise than what is stored. Source: pkg/apis/events/v1/conversion.go. */
const storedNames: Readonly<Record<GroupResource, Readonly<Record<string, string>>>> = {
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

/** The text of a field as a selector compares it; what is missing is the empty text, or zero, or false. */
const fieldOf = (object: KubeObject, field: string): string => {
  if (field === "source") {
    const { source, reportingComponent } = object as EventObject
    return source?.component ?? reportingComponent ?? ""
  }
  let value: unknown = object
  for (const part of field.split(".")) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, part) : undefined
  }
  if (value === undefined || value === null) return missing[field] ?? ""
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : ""
}

const missing: Readonly<Record<string, string>> = {
  "spec.unschedulable": "false",
  "spec.hostNetwork": "false",
  "status.replicas": "0"
}
