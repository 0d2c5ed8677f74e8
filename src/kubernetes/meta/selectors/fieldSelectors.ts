import { groupResourceOf, resources } from "../kinds.ts"
import { goQuote } from "../text/goQuote.ts"
import type { GroupResource, Kind } from "../kinds.ts"
import type { EventObject, KubeObject } from "../objects.ts"

/**
 * Each kind supports only a few fields. Source: fields/selector.go; AddFieldLabelConversionFunc in the
 * conversion.go of each group; pkg/registry/core (strategy.go of each kind).
 */
export type FieldSelector = (object: KubeObject) => boolean

type ParsedFieldSelector =
  | { readonly ok: true; readonly selector: FieldSelector }
  | { readonly ok: false; readonly problem: string }

interface Requirement {
  readonly field: string
  readonly equals: boolean
  readonly value: string
}

export const parseFieldSelector = (text: string, kind: Kind): ParsedFieldSelector => {
  const requirements: Array<Requirement> = []
  // Kubernetes sorts the parts and reports the first problem.
  const parts = splitUnescaped(text, ",").filter((it) => it !== "")
  for (const part of parts.sort()) {
    const [, field, operator, value = ""] = requirementPattern.exec(part) ?? []
    if (field === undefined) {
      return { ok: false, problem: `invalid selector: '${text}'; can't understand '${part}'` }
    }
    const problem = valueProblem(value)
    if (problem !== undefined) return { ok: false, problem: `invalid field selector: ${problem}` }
    requirements.push({ field, equals: operator !== "!=", value: value.replaceAll(/\\([\\,=])/g, "$1") })
  }
  const resource = groupResourceOf(kind)
  const storedFieldNames = storedNames[resource] ?? {}
  const supportsField = supportedFieldsOf(kind)
  for (const { field } of requirements) {
    if (!supportsField(field)) return { ok: false, problem: unknownFieldMessage(field, kind) }
  }
  const selector: FieldSelector = (object) =>
    requirements.every(
      ({ field, equals, value }) => (fieldText(object, storedFieldNames[field] ?? field) === value) === equals
    )
  return { ok: true, selector }
}

const requirementPattern = /^(.*?)(!=|==|=)(.*)$/s

const escapedPattern = /^(?:\\[\\,=]|[^\\,=])*(\\.?|[,=])?/su

const valueProblem = (value: string): string | undefined => {
  const [, invalid] = escapedPattern.exec(value) ?? []
  if (invalid === undefined) return undefined
  return invalid.startsWith("\\")
    ? `invalid escape sequence: ${invalid}`
    : `unescaped character in value: ${invalid.codePointAt(0)}`
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

/** Kinds without fields of their own support name and namespace, even if they are not namespaced. */
const supportedFieldsOf = (kind: Kind): ((field: string) => boolean) => {
  const fields = selectableFieldsOf(kind)
  const hasNamespace = fields === undefined || kind.namespaced
  return (field) =>
    field === "metadata.name" ||
    (hasNamespace && field === "metadata.namespace") ||
    (fields?.includes(field) ?? false)
}

const selectableFieldsOf = (kind: Kind): ReadonlyArray<string> | undefined =>
  kind.custom?.selectableFields ?? fieldsByResource[groupResourceOf(kind)]

const regardingFields = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath"
].map((field) => [`regarding.${field}`, `involvedObject.${field}`] as const)

const fieldsByResource: Readonly<Record<GroupResource, ReadonlyArray<string>>> = {
  [resources.pods]: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    // The former name of spec.nodeName.
    "spec.host",
    "status.phase",
    "status.podIP",
    // This field never matches, since its value is a list.
    "status.podIPs",
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
  // No StatefulSet has this field.
  [resources.statefulSets]: ["status.successful"],
  [resources.certificateRequests]: ["spec.signerName"],
  [resources.services]: ["spec.clusterIP", "spec.type"],
  "events.events.k8s.io": [
    "reason",
    "type",
    "reportingController",
    ...regardingFields.map(([field]) => field)
  ],
  "jobs.batch": ["status.successful"],
  "resourceslices.resource.k8s.io": ["spec.driver", "spec.nodeName"],
  replicationcontrollers: ["status.replicas"],
  secrets: ["type"]
}

/**
 * Selectable fields with another name in stored objects. Source: pkg/apis/events/v1/conversion.go,
 * job/strategy.go (JobToSelectableFields).
 */
const storedNames: Readonly<Record<GroupResource, Readonly<Record<string, string>>>> = {
  [resources.pods]: { "spec.host": "spec.nodeName" },
  "jobs.batch": { "status.successful": "status.succeeded" },
  "events.events.k8s.io": {
    reportingController: "reportingComponent",
    ...Object.fromEntries(regardingFields)
  }
}

const unknownFieldMessage = (field: string, kind: Kind): string => {
  const resource = groupResourceOf(kind)
  if (resource === "jobs.batch") return `field label ${goQuote(field)} not supported for Job`
  if (resource === resources.statefulSets) return `field label not supported for appsv1.StatefulSet: ${field}`
  if (resource === "resourceslices.resource.k8s.io")
    return `field label not supported for ${kind.group}/${kind.version}, Kind=${kind.kind}: ${field}`
  return selectableFieldsOf(kind) === undefined
    ? `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${field}`
}

/** A missing field gives "", or the zero value of its type. */
const fieldText = (object: KubeObject, field: string): string => {
  if (field === "source") {
    const { source, reportingComponent } = object as EventObject
    return source?.component || (reportingComponent ?? "")
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

const zeroValues: Readonly<Record<string, string>> = {
  "spec.unschedulable": "false",
  "spec.hostNetwork": "false",
  "status.replicas": "0",
  "status.succeeded": "0"
}
