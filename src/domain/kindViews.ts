import { apiVersionOf, storedKindOf } from "./kinds.ts"
import { isFields, type Fields } from "./fields.ts"
import type { Kind } from "./kinds.ts"
import type { Draft } from "./objects.ts"

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

/** What is stored, in the words of a kind that is served; the very same where that is the kind it is stored as. */
export const shownAs = (kind: Kind, object: Fields): Fields => {
  const view = viewFor(kind)
  return view === undefined || object["apiVersion"] === view.apiVersion
    ? object
    : { ...view.show(object), apiVersion: view.apiVersion }
}

/** A draft of a kind that is served, as it is stored. */
export const storedAs = (kind: Kind, draft: Draft): Draft => {
  const view = viewFor(kind)
  // Both forms have kind and metadata in common; the rest is what the translation is about.
  return view === undefined
    ? draft
    : ({ ...view.store({ ...draft }), apiVersion: apiVersionOf(storedKindOf(kind)) } as Draft)
}
