import { apiVersionOf, storedKindOf } from "./kinds.ts"
import { toAutoscalingV1, fromAutoscalingV1 } from "../autoscaling/autoscalingV1.ts"
import type { Fields } from "./fields.ts"
import { toServedVersion, toStoredVersion } from "../customResources/versionConversion.ts"
import type { Kind } from "./kinds.ts"
import type { Draft, KubeObject } from "./objects.ts"

/** Converts between the stored version and another served one. Source: pkg/apis/events/v1/conversion.go. */
interface KindConversion {
  readonly apiVersion: string
  readonly toServed: (object: Fields) => Fields
  readonly toStored: (draft: Fields) => Fields
}

const renameFields = (object: Fields, names: Readonly<Record<string, string>>): Fields =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [names[field] ?? field, value]))

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
  toServed: (object) => ({ eventTime: null, ...renameFields(object, eventNames) }),
  toStored: (draft) => renameFields(draft, invertNames(eventNames))
}

const autoscalers: KindConversion = {
  apiVersion: "autoscaling/v1",
  toServed: toAutoscalingV1,
  toStored: fromAutoscalingV1
}

const conversions: ReadonlyMap<string, KindConversion> = new Map(
  [events, autoscalers].map((conversion) => [conversion.apiVersion, conversion] as const)
)

const conversionOf = ({ storedAs, group, version }: Kind): KindConversion | undefined =>
  storedAs === undefined ? undefined : conversions.get(`${group}/${version}`)

export const convertToServed = (kind: Kind, stored: Fields): Fields => {
  if (kind.custom !== undefined) return { ...toServedVersion(kind, stored as object as KubeObject) }
  const conversion = conversionOf(kind)
  return conversion === undefined || stored["apiVersion"] === conversion.apiVersion
    ? stored
    : { ...conversion.toServed(stored), apiVersion: conversion.apiVersion }
}

export const convertToStored = (kind: Kind, draft: Draft): Draft => {
  if (kind.custom !== undefined) return toStoredVersion(kind, draft)
  const conversion = conversionOf(kind)
  return conversion === undefined
    ? draft
    : ({ ...conversion.toStored({ ...draft }), apiVersion: apiVersionOf(storedKindOf(kind)) } as Draft)
}
