import { fieldsOrEmpty, textOrEmpty, type Fields } from "../meta/fields.ts"
import { isSemanticallyEqual } from "../meta/semanticEquality.ts"
import { withField } from "../validation/structuralSharing.ts"

/**
 * Source: strategy.go in
 * pkg/registry/{batch/job,apps/daemonset,apps/statefulset,storage/csidriver,resource/resourceslice},
 * pkg/api/persistentvolumeclaim/util.go, pkg/features/kube_features.go.
 */

const nestedFields = (object: object, field: string): Fields =>
  fieldsOrEmpty((object as Readonly<Record<string, unknown>>)[field])

const jobNameLabels = ["job-name", "batch.kubernetes.io/job-name"]
const controllerUidLabel = "batch.kubernetes.io/controller-uid"
const controllerUidLabels = ["controller-uid", controllerUidLabel]

/**
 * A Job with `manualSelector` stays unchanged. Validation refuses labels that contradict the
 * selector.
 */
export const withGeneratedSelector = <O extends object>(job: O): O => {
  const spec = nestedFields(job, "spec")
  if (spec["manualSelector"] === true) return job
  const { name, uid } = nestedFields(job, "metadata")
  const template = fieldsOrEmpty(spec["template"])
  const metadata = fieldsOrEmpty(template["metadata"])
  const selector = fieldsOrEmpty(spec["selector"])
  const labels = {
    ...Object.fromEntries(jobNameLabels.map((label) => [label, name])),
    ...Object.fromEntries(controllerUidLabels.map((label) => [label, uid])),
    ...fieldsOrEmpty(metadata["labels"])
  }
  const matchLabels = { [controllerUidLabel]: uid, ...fieldsOrEmpty(selector["matchLabels"]) }
  return {
    ...job,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...metadata, labels } }
    }
  }
}

const templateGenerationAnnotation = "deprecated.daemonset.template.generation"

const templateGenerationOf = (daemonSet: object): number => {
  const annotations = fieldsOrEmpty(nestedFields(daemonSet, "metadata")["annotations"])
  const text = textOrEmpty(annotations[templateGenerationAnnotation])
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0
}

/** An annotation numbers the template; the number rises when the template changes. */
export const withTemplateGeneration = <O extends object>(daemonSet: O, old?: object): O => {
  const metadata = nestedFields(daemonSet, "metadata")
  const isChanged =
    old !== undefined &&
    !isSemanticallyEqual(nestedFields(old, "spec")["template"], nestedFields(daemonSet, "spec")["template"])
  const number = Math.max(1, templateGenerationOf(old ?? daemonSet)) + (isChanged ? 1 : 0)
  const annotations = withField(
    fieldsOrEmpty(metadata["annotations"]),
    templateGenerationAnnotation,
    String(number)
  )
  return annotations === metadata["annotations"]
    ? daemonSet
    : { ...daemonSet, metadata: { ...metadata, annotations } }
}

/** Copies either field to the other: old drivers read `dataSource`, newer drivers `dataSourceRef`. */
export const withBothDataSources = <O extends object>(claim: O): O => {
  const spec = nestedFields(claim, "spec")
  const { dataSource, dataSourceRef } = spec
  if ((dataSource === undefined) === (dataSourceRef === undefined)) return claim
  const { apiGroup, kind, name, namespace = "" } = fieldsOrEmpty(dataSource ?? dataSourceRef)
  if (namespace !== "") return claim
  const reference = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name }
  return {
    ...claim,
    spec: {
      ...spec,
      ...(dataSource === undefined ? { dataSource: reference } : { dataSourceRef: reference })
    }
  }
}

const withoutFields = (fields: Fields, names: ReadonlySet<string>): Fields => {
  if (!Object.keys(fields).some((name) => names.has(name))) return fields
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)))
}

/** Fields that the API server drops: the feature gates in the constants' names are off by default in 1.36. */
const volumeLimitScalingFields: ReadonlySet<string> = new Set(["preventPodSchedulingIfMissing"])
const draNodeAllocatableResourcesFields: ReadonlySet<string> = new Set(["nodeAllocatableResourceMappings"])
const draListTypeAttributesFields: ReadonlySet<string> = new Set(["bools", "ints", "strings", "versions"])

const maxUnavailableStatefulSetFields: ReadonlySet<string> = new Set(["maxUnavailable"])

/** Keeps `maxUnavailable` if `old` has one. */
export const withoutGatedMaxUnavailable = <O extends object>(statefulSet: O, old: object = {}): O => {
  const updateStrategyOf = (object: object): Fields =>
    fieldsOrEmpty(nestedFields(object, "spec")["updateStrategy"])
  const strategy = updateStrategyOf(statefulSet)
  const rollingUpdate = fieldsOrEmpty(strategy["rollingUpdate"])
  const remaining = withoutFields(rollingUpdate, maxUnavailableStatefulSetFields)
  const isInUse = fieldsOrEmpty(updateStrategyOf(old)["rollingUpdate"])["maxUnavailable"] !== undefined
  if (remaining === rollingUpdate || isInUse) return statefulSet
  const spec = {
    ...nestedFields(statefulSet, "spec"),
    updateStrategy: { ...strategy, rollingUpdate: remaining }
  }
  return { ...statefulSet, spec }
}

export const withoutGatedDriverFields = <O extends object>(driver: O): O => {
  const spec = nestedFields(driver, "spec")
  const remaining = withoutFields(spec, volumeLimitScalingFields)
  return remaining === spec ? driver : { ...driver, spec: remaining }
}

export const withoutGatedDeviceFields = <O extends object>(slice: O): O => {
  const spec = nestedFields(slice, "spec")
  const { devices } = spec
  if (!Array.isArray(devices)) return slice
  const remainingDevices = devices.map((device: unknown) => {
    const fields = withoutFields(fieldsOrEmpty(device), draNodeAllocatableResourcesFields)
    const { attributes } = fields
    if (attributes === undefined) return fields
    const values = Object.entries(fieldsOrEmpty(attributes)).map(
      ([name, value]) => [name, withoutFields(fieldsOrEmpty(value), draListTypeAttributesFields)] as const
    )
    return { ...fields, attributes: Object.fromEntries(values) }
  })
  return { ...slice, spec: { ...spec, devices: remainingDevices } }
}
