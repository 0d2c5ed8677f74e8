import { isFields, type Fields } from "../domain/fields.ts"
import { storedKindOf } from "../domain/kinds.ts"
import { inStoredVersion, inVersion } from "./customResources/versions.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"

/**
 * Kinds that show the stored objects of another kind in their own words. An object is translated when it leaves and
 * when it comes in; what is stored is of one form.
 *
 * Source: pkg/apis/events/v1/conversion.go (events.k8s.io), pkg/apis/autoscaling/v1/conversion.go.
 */
interface View {
  readonly apiVersion: string
  readonly show: (object: Fields) => Fields
  readonly store: (draft: Fields) => Fields
}

/** Renames fields; what is not named stays as it is, and what is missing stays missing. */
const renamed = (object: Fields, names: Readonly<Record<string, string>>): Fields =>
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

const reversed = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([from, to]) => [to, from]))

const events: View = {
  apiVersion: "events.k8s.io/v1",
  show: (object) => ({ eventTime: null, ...renamed(object, eventNames) }),
  store: (draft) => renamed(draft, reversed(eventNames))
}

const fieldsOf = (value: unknown): Fields => (isFields(value) ? { ...value } : {})

const cpuTarget = (metric: unknown): unknown => {
  const { type, resource } = fieldsOf(metric)
  const { name, target } = fieldsOf(resource)
  const { type: targetType, averageUtilization } = fieldsOf(target)
  const isCpu = type === "Resource" && name === "cpu" && targetType === "Utilization"
  return isCpu ? averageUtilization : undefined
}

/** The old version knows one metric only, the use of the CPU; it leaves the others unsaid. */
const autoscalers: View = {
  apiVersion: "autoscaling/v1",
  show: (object) => {
    const { metrics, behavior: _behavior, ...spec } = fieldsOf(object["spec"])
    const use = Array.isArray(metrics) ? metrics.map(cpuTarget).find((it) => it !== undefined) : undefined
    const more = use === undefined ? {} : { targetCPUUtilizationPercentage: use }
    return { ...object, spec: { ...spec, ...more } }
  },
  store: (draft) => {
    const { targetCPUUtilizationPercentage: use, ...spec } = fieldsOf(draft["spec"])
    const target = { type: "Utilization", averageUtilization: use }
    const metrics = [{ type: "Resource", resource: { name: "cpu", target } }]
    return { ...draft, spec: use === undefined ? spec : { ...spec, metrics } }
  }
}

const views: ReadonlyMap<string, View> = new Map(
  [events, autoscalers].map((view) => [view.apiVersion, view] as const)
)

const viewFor = ({ viewOf, group, version }: Kind): View | undefined =>
  viewOf === undefined ? undefined : views.get(`${group}/${version}`)

/** By stored object: what it looks like as another kind, so that it is translated and written once. */
const shown = new WeakMap<KubeObject, KubeObject>()

/** A stored object as its served kind shows it; most kinds show what is stored. */
export const asServed = (kind: Kind, object: KubeObject): KubeObject => {
  if (kind.custom !== undefined) return inVersion(kind, object)
  const view = viewFor(kind)
  if (view === undefined || object.apiVersion === view.apiVersion) return object
  const known = shown.get(object)
  if (known !== undefined) return known
  const made = Object.freeze({ ...view.show({ ...object }), apiVersion: view.apiVersion }) as KubeObject
  shown.set(object, made)
  return made
}

/** A draft of a served kind as it is stored. */
export const asStored = (kind: Kind, draft: Draft): Draft => {
  if (kind.custom !== undefined) return inStoredVersion(kind, draft)
  const view = viewFor(kind)
  if (view === undefined) return draft
  const stored = storedKindOf(kind)
  const apiVersion = stored.group === "" ? stored.version : `${stored.group}/${stored.version}`
  // Both forms have kind and metadata in common; the rest is what the translation is about.
  return { ...view.store({ ...draft }), apiVersion } as Draft
}
