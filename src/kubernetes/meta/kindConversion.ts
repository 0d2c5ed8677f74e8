import { apiVersionOf, storedKindOf } from "./kinds.ts"
import { isFields, type Fields } from "./fields.ts"
import { toServedVersion, toStoredVersion } from "../customResources/versionConversion.ts"
import type { Kind } from "./kinds.ts"
import type { Draft, KubeObject } from "./objects.ts"

/**
 * Conversion between a stored kind and a kind that presents its objects in other fields. Only the stored form is
 * kept.
 * Source: pkg/apis/events/v1/conversion.go (events.k8s.io), pkg/apis/autoscaling/v1/conversion.go.
 */
interface KindConversion {
  /** Of the kind that is not stored. */
  readonly apiVersion: string
  readonly show: (object: Fields) => Fields
  readonly store: (draft: Fields) => Fields
}

const renameFields = (object: Fields, names: Readonly<Record<string, string>>): Fields =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [names[field] ?? field, value]))

/** Fields of stored Events, and their names in events.k8s.io/v1. */
const eventNames: Readonly<Record<string, string>> = {
  involvedObject: "regarding",
  message: "note",
  reportingComponent: "reportingController",
  source: "deprecatedSource",
  firstTimestamp: "deprecatedFirstTimestamp",
  lastTimestamp: "deprecatedLastTimestamp",
  count: "deprecatedCount"
}

const invertNames = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([from, to]) => [to, from]))

const events: KindConversion = {
  apiVersion: "events.k8s.io/v1",
  show: (object) => ({ eventTime: null, ...renameFields(object, eventNames) }),
  store: (draft) => renameFields(draft, invertNames(eventNames))
}

const copyFields = (value: unknown): Fields => (isFields(value) ? { ...value } : {})

/** The target of a metric for CPU utilization; undefined for other metrics. */
const cpuTarget = (metric: unknown): unknown => {
  const { type, resource } = copyFields(metric)
  const { name, target } = copyFields(resource)
  const { type: targetType, averageUtilization } = copyFields(target)
  const isCpu = type === "Resource" && name === "cpu" && targetType === "Utilization"
  return isCpu ? averageUtilization : undefined
}

/** autoscaling/v1 knows CPU utilization only and omits other metrics. */
const autoscalers: KindConversion = {
  apiVersion: "autoscaling/v1",
  show: (object) => {
    const { metrics, behavior: _behavior, ...spec } = copyFields(object["spec"])
    const utilization = Array.isArray(metrics)
      ? metrics.map(cpuTarget).find((it) => it !== undefined)
      : undefined
    const cpuField = utilization === undefined ? {} : { targetCPUUtilizationPercentage: utilization }
    // Zero is omitted in the status of autoscaling/v2 alone.
    const status = { currentReplicas: 0, desiredReplicas: 0, ...copyFields(object["status"]) }
    return { ...object, spec: { ...spec, ...cpuField }, status }
  },
  store: (draft) => {
    const { targetCPUUtilizationPercentage: utilization, ...spec } = copyFields(draft["spec"])
    const target = { type: "Utilization", averageUtilization: utilization }
    const metrics = [{ type: "Resource", resource: { name: "cpu", target } }]
    return { ...draft, spec: utilization === undefined ? spec : { ...spec, metrics } }
  }
}

const conversions: ReadonlyMap<string, KindConversion> = new Map(
  [events, autoscalers].map((conversion) => [conversion.apiVersion, conversion] as const)
)

const conversionOf = ({ viewOf, group, version }: Kind): KindConversion | undefined =>
  viewOf === undefined ? undefined : conversions.get(`${group}/${version}`)

/** Converts a stored object to a served kind or version; the same fields if the object is stored as that. */
export const convertToServed = (kind: Kind, object: Fields): Fields => {
  if (kind.custom !== undefined) return { ...toServedVersion(kind, object as object as KubeObject) }
  const conversion = conversionOf(kind)
  return conversion === undefined || object["apiVersion"] === conversion.apiVersion
    ? object
    : { ...conversion.show(object), apiVersion: conversion.apiVersion }
}

/** Converts a draft of a served kind to the stored kind, and a custom resource to its stored version. */
export const convertToStored = (kind: Kind, draft: Draft): Draft => {
  if (kind.custom !== undefined) return toStoredVersion(kind, draft)
  const conversion = conversionOf(kind)
  return conversion === undefined
    ? draft
    : ({ ...conversion.store({ ...draft }), apiVersion: apiVersionOf(storedKindOf(kind)) } as Draft)
}
