import { isFields, type Fields } from "../meta/fields.ts"

/**
 * HorizontalPodAutoscalers of autoscaling/v1, which knows CPU utilization alone. All else stands in annotations, so
 * that a client that reads and writes that version loses nothing.
 * Source: pkg/apis/autoscaling/v1/conversion.go, pkg/apis/autoscaling/annotations.go.
 */
const prefix = "autoscaling.alpha.kubernetes.io/"
const carried = ["metrics", "behavior", "current-metrics", "conditions"] as const

const copyFields = (value: unknown): Fields => (isFields(value) ? { ...value } : {})
const listOf = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.filter(isFields) : [])

const without = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The target of a metric for CPU utilization; undefined for other metrics. */
const cpuTarget = ({ type, resource }: Fields): unknown => {
  const { name, target } = copyFields(resource)
  const { type: targetType, averageUtilization } = copyFields(target)
  return type === "Resource" && name === "cpu" && targetType === "Utilization"
    ? averageUtilization
    : undefined
}

const cpuMetric = (utilization: unknown): Fields => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: utilization } }
})

/** As autoscaling/v1 shows a stored autoscaler. */
export const showAutoscaler = (object: Fields): Fields => {
  const { metrics, behavior, ...spec } = copyFields(object["spec"])
  const { currentMetrics, conditions, ...status } = copyFields(object["status"])
  const [specs, readings] = [listOf(metrics), listOf(currentMetrics)]
  const utilization = specs.map(cpuTarget).find((it) => it !== undefined)
  const others = specs.filter((it) => cpuTarget(it) === undefined)
  const annotations = {
    metrics: others.length === 0 ? undefined : others.map((it) => flatten(it, "target")),
    behavior,
    "current-metrics": readings.length === 0 ? undefined : readings.map((it) => flatten(it, "current")),
    conditions: listOf(conditions).length === 0 ? undefined : conditions
  }
  const currentCpu = readings
    .map(({ resource }) => copyFields(resource))
    .filter(({ name }) => name === "cpu")
    .map(({ current }) => copyFields(current)["averageUtilization"])
    .find((it) => it !== undefined)
  return {
    ...object,
    ...withAnnotations(object, annotations),
    spec: without({ ...spec, targetCPUUtilizationPercentage: utilization }),
    // Zero is omitted in the status of autoscaling/v2 alone.
    status: without({
      currentReplicas: 0,
      desiredReplicas: 0,
      ...status,
      currentCPUUtilizationPercentage: currentCpu
    })
  }
}

/** As an autoscaler of autoscaling/v1 is stored. */
export const storeAutoscaler = (draft: Fields): Fields => {
  const { targetCPUUtilizationPercentage: utilization, ...spec } = copyFields(draft["spec"])
  const { currentCPUUtilizationPercentage: currentCpu, ...status } = copyFields(draft["status"])
  const carriedValues = readAnnotations(draft)
  const others = listOf(carriedValues.metrics).map((it) => unflatten(it, "target"))
  const metrics = [...others, ...(utilization === undefined ? [] : [cpuMetric(utilization)])]
  const readings = listOf(carriedValues["current-metrics"]).map((it) => unflatten(it, "current"))
  const cpuReading = {
    type: "Resource",
    resource: { name: "cpu", current: { averageUtilization: currentCpu } }
  }
  const currentMetrics = readings.length > 0 || currentCpu === undefined ? readings : [cpuReading]
  return {
    ...draft,
    ...withAnnotations(draft, {}),
    spec: without({
      ...spec,
      metrics: metrics.length === 0 ? undefined : metrics,
      behavior: carriedValues.behavior
    }),
    ...(draft["status"] === undefined
      ? {}
      : {
          status: without({
            ...status,
            currentMetrics: currentMetrics.length === 0 ? undefined : currentMetrics,
            conditions: carriedValues.conditions
          })
        })
  }
}

type Carried = Partial<Record<(typeof carried)[number], unknown>>

/** Annotations that cannot be read are dropped. */
const readAnnotations = (object: Fields): Carried => {
  const annotations = copyFields(copyFields(object["metadata"])["annotations"])
  const read = (text: unknown): unknown => {
    try {
      return typeof text === "string" ? (JSON.parse(text) as unknown) : undefined
    } catch {
      return undefined
    }
  }
  return Object.fromEntries(carried.map((name) => [name, read(annotations[`${prefix}${name}`])]))
}

const withAnnotations = (object: Fields, values: Carried): Fields => {
  if (object["metadata"] === undefined) return {}
  const { annotations, ...metadata } = copyFields(object["metadata"])
  const kept = Object.entries(copyFields(annotations)).filter(
    ([name]) => !carried.some((it) => `${prefix}${it}` === name)
  )
  const added = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[`${prefix}${name}`, JSON.stringify(value)] as const]
  )
  const all = Object.fromEntries([...kept, ...added])
  return { metadata: { ...metadata, ...(Object.keys(all).length === 0 ? {} : { annotations: all }) } }
}

type Part = "target" | "current"

/** The names of a metric's amounts in the annotations: `targetAverageValue` for `averageValue` of its `target`. */
const amountNames = (part: Part, source: string): Readonly<Record<string, string>> =>
  source === "object"
    ? { value: `${part}Value`, averageValue: "averageValue" }
    : {
        value: `${part}Value`,
        averageValue: `${part}AverageValue`,
        averageUtilization: `${part}AverageUtilization`
      }

const sources = ["resource", "containerResource", "pods", "object", "external"] as const

/** Each source as it stood before `target`, `current` and `metric` were fields of their own. */
const flatten = (metric: Fields, part: Part): Fields => {
  const flat: Record<string, unknown> = { type: metric["type"] }
  for (const source of sources) {
    if (!isFields(metric[source])) continue
    const { [part]: amounts, metric: identifier, describedObject, ...rest } = copyFields(metric[source])
    const { name: metricName, selector } = copyFields(identifier)
    const named = Object.entries(amountNames(part, source)).map(([field, name]) => [
      name,
      copyFields(amounts)[field]
    ])
    flat[source] = without({
      ...rest,
      target: describedObject,
      metricName,
      [selectorName(source)]: selector,
      ...Object.fromEntries(named)
    })
  }
  return flat
}

const selectorName = (source: string): string => (source === "external" ? "metricSelector" : "selector")

const unflatten = (flat: Fields, part: Part): Fields => {
  const metric: Record<string, unknown> = { type: flat["type"] }
  for (const source of sources) {
    if (!isFields(flat[source])) continue
    const fields = copyFields(flat[source])
    const amounts = Object.fromEntries(
      Object.entries(amountNames(part, source)).map(([field, name]) => [field, fields[name]])
    )
    const { metricName, target, name, container } = fields
    metric[source] = without({
      name,
      container,
      describedObject: target,
      metric:
        metricName === undefined
          ? undefined
          : without({ name: metricName, selector: fields[selectorName(source)] }),
      [part]: without({ ...(part === "target" ? { type: targetType(amounts) } : {}), ...amounts })
    })
  }
  return metric
}

const targetType = ({ averageUtilization, averageValue }: Fields): string =>
  averageUtilization !== undefined ? "Utilization" : averageValue !== undefined ? "AverageValue" : "Value"
