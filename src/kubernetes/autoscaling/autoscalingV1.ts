import { isFields, type Fields } from "../meta/fields.ts"

/**
 * Version 1 keeps in annotations what its fields lack. Source:
 * pkg/apis/autoscaling/v1/conversion.go, pkg/apis/autoscaling/annotations.go.
 */
const prefix = "autoscaling.alpha.kubernetes.io/"
const annotatedFields = ["metrics", "behavior", "current-metrics", "conditions"] as const

const copyFields = (value: unknown): Fields => (isFields(value) ? { ...value } : {})
const listOf = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.filter(isFields) : [])

const withoutUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

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

export const toAutoscalingV1 = (object: Fields): Fields => {
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
    spec: withoutUndefined({ ...spec, targetCPUUtilizationPercentage: utilization }),
    // Only autoscaling/v2 omits a zero in the status.
    status: withoutUndefined({
      currentReplicas: 0,
      desiredReplicas: 0,
      ...status,
      currentCPUUtilizationPercentage: currentCpu
    })
  }
}

export const fromAutoscalingV1 = (draft: Fields): Fields => {
  const { targetCPUUtilizationPercentage: utilization, ...spec } = copyFields(draft["spec"])
  const { currentCPUUtilizationPercentage: currentCpu, ...status } = copyFields(draft["status"])
  const annotated = readAnnotations(draft)
  const others = listOf(annotated.metrics).map((it) => unflatten(it, "target"))
  const metrics = [...others, ...(utilization === undefined ? [] : [cpuMetric(utilization)])]
  const readings = listOf(annotated["current-metrics"]).map((it) => unflatten(it, "current"))
  const cpuReading = {
    type: "Resource",
    resource: { name: "cpu", current: { averageUtilization: currentCpu } }
  }
  const currentMetrics = readings.length > 0 || currentCpu === undefined ? readings : [cpuReading]
  return {
    ...draft,
    ...withAnnotations(draft, {}),
    spec: withoutUndefined({
      ...spec,
      metrics: metrics.length === 0 ? undefined : metrics,
      behavior: annotated.behavior
    }),
    ...(draft["status"] === undefined
      ? {}
      : {
          status: withoutUndefined({
            ...status,
            currentMetrics: currentMetrics.length === 0 ? undefined : currentMetrics,
            conditions: annotated.conditions
          })
        })
  }
}

type AnnotatedFields = Partial<Record<(typeof annotatedFields)[number], unknown>>

/** Unreadable annotations are dropped. */
const readAnnotations = (object: Fields): AnnotatedFields => {
  const annotations = copyFields(copyFields(object["metadata"])["annotations"])
  const read = (text: unknown): unknown => {
    try {
      return typeof text === "string" ? (JSON.parse(text) as unknown) : undefined
    } catch {
      return undefined
    }
  }
  return Object.fromEntries(annotatedFields.map((name) => [name, read(annotations[`${prefix}${name}`])]))
}

/** Replaces the annotations of an earlier conversion. */
const withAnnotations = (object: Fields, values: AnnotatedFields): Fields => {
  if (object["metadata"] === undefined) return {}
  const { annotations, ...metadata } = copyFields(object["metadata"])
  const otherAnnotations = Object.entries(copyFields(annotations)).filter(
    ([name]) => !annotatedFields.some((it) => `${prefix}${it}` === name)
  )
  const added = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[`${prefix}${name}`, JSON.stringify(value)] as const]
  )
  const all = Object.fromEntries([...otherAnnotations, ...added])
  return { metadata: { ...metadata, ...(Object.keys(all).length === 0 ? {} : { annotations: all }) } }
}

type AmountsField = "target" | "current"

/** For example `targetAverageValue` for `averageValue` of `target`. */
const amountNames = (amountsField: AmountsField, source: string): Readonly<Record<string, string>> =>
  source === "object"
    ? { value: `${amountsField}Value`, averageValue: "averageValue" }
    : {
        value: `${amountsField}Value`,
        averageValue: `${amountsField}AverageValue`,
        averageUtilization: `${amountsField}AverageUtilization`
      }

const sources = ["resource", "containerResource", "pods", "object", "external"] as const

/** Inlines the fields of `target`, `current` and `metric`, as the annotations do. */
const flatten = (metric: Fields, amountsField: AmountsField): Fields => {
  const flat: Record<string, unknown> = { type: metric["type"] }
  for (const source of sources) {
    if (!isFields(metric[source])) continue
    const {
      [amountsField]: amounts,
      metric: identifier,
      describedObject,
      ...rest
    } = copyFields(metric[source])
    const { name: metricName, selector } = copyFields(identifier)
    const named = Object.entries(amountNames(amountsField, source)).map(([field, name]) => [
      name,
      copyFields(amounts)[field]
    ])
    flat[source] = withoutUndefined({
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

const unflatten = (flat: Fields, amountsField: AmountsField): Fields => {
  const metric: Record<string, unknown> = { type: flat["type"] }
  for (const source of sources) {
    if (!isFields(flat[source])) continue
    const fields = copyFields(flat[source])
    const amounts = Object.fromEntries(
      Object.entries(amountNames(amountsField, source)).map(([field, name]) => [field, fields[name]])
    )
    const { metricName, target, name, container } = fields
    metric[source] = withoutUndefined({
      name,
      container,
      describedObject: target,
      metric:
        metricName === undefined
          ? undefined
          : withoutUndefined({ name: metricName, selector: fields[selectorName(source)] }),
      [amountsField]: withoutUndefined({
        ...(amountsField === "target" ? { type: targetType(amounts) } : {}),
        ...amounts
      })
    })
  }
  return metric
}

const targetType = ({ averageUtilization, averageValue }: Fields): string =>
  averageUtilization !== undefined ? "Utilization" : averageValue !== undefined ? "AverageValue" : "Value"
