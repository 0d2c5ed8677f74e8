import type * as Core from "kubernetes-types/core/v1.js"
import { isSidecar } from "../../pods/containers/containerRoles.ts"
import { isEqualIgnoringEmpty } from "../../validation/structuralSharing.ts"
import { qosClassOf } from "./qosClass.ts"
import { validateVolumesAndContainers, type PodSpecDraft } from "./validatePodSpec.ts"
import {
  forbiddenField,
  invalidField,
  noErrors,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"

/** Source: pkg/registry/core/pod/strategy.go (dropNonResizeUpdates). */
export const withResizedResources = (spec: PodSpecDraft, before: PodSpecDraft): PodSpecDraft => ({
  ...before,
  containers: withResourcesOf(before.containers, spec.containers),
  ...(before.initContainers === undefined
    ? {}
    : { initContainers: withResourcesOf(before.initContainers, spec.initContainers) })
})

const withResourcesOf = (
  before: Array<Core.Container> = [],
  containers: Array<Core.Container> = []
): Array<Core.Container> =>
  before.map((container) => {
    const next = containers.find(({ name }) => name === container.name)
    if (next === undefined) return container
    const { resources: _resources, resizePolicy: _policy, ...others } = container
    const { resources, resizePolicy } = next
    return {
      ...others,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy })
    }
  })

/** Source: pkg/apis/core/validation/validation.go (ValidatePodResize). */
export const validateResize = (spec: PodSpecDraft, before: PodSpecDraft): FieldErrors => {
  const errors: Array<FieldError> = [...validateVolumesAndContainers(spec, "spec", "pod")]
  const qosClass = qosClassOf(before)
  if (qosClassOf(spec) !== qosClass) {
    const detail = "Pod QOS Class may not change as a result of resizing"
    errors.push(invalidField("spec", qosClass, detail))
  }
  const initPairs = pairsOf(spec.initContainers, before.initContainers)
  const appPairs = pairsOf(spec.containers, before.containers)
  for (const [index, [next, old]] of initPairs.entries())
    if (isSidecar(old))
      errors.push(...validateNoAmountRemoved(next, old, `spec.initContainers[${index}].resources`))
  for (const [index, [next, old]] of appPairs.entries())
    errors.push(...validateNoAmountRemoved(next, old, `spec.containers[${index}].resources`))
  for (const [next, old] of appPairs) {
    if (!isEqualIgnoringEmpty(withMutableAmountsOf(next, old), old))
      errors.push(forbiddenField("spec", "only cpu and memory resources are mutable"))
  }
  for (const [next, old] of initPairs) {
    if (!isSidecar(old)) {
      if (!isEqualIgnoringEmpty(next, old))
        errors.push(forbiddenField("spec", "resources for non-sidecar init containers are immutable"))
    } else if (!isEqualIgnoringEmpty(withMutableAmountsOf(next, old), old))
      errors.push(forbiddenField("spec", "only cpu and memory resources for sidecar containers are mutable"))
  }
  return errors
}

type ContainerPair = readonly [next: Core.Container, old: Core.Container]

const pairsOf = (
  containers: Array<Core.Container> = [],
  before: Array<Core.Container> = []
): ReadonlyArray<ContainerPair> => before.map((old, index) => [containers[index] ?? old, old])

const validateNoAmountRemoved = (next: Core.Container, old: Core.Container, path: string): FieldErrors =>
  (["requests", "limits"] as const).flatMap((field) => {
    const [amounts, amountsBefore] = [next.resources?.[field] ?? {}, old.resources?.[field] ?? {}]
    return Object.keys(amountsBefore).every((name) => name in amounts)
      ? noErrors
      : [forbiddenField(`${path}.${field}`, `resource ${field} cannot be removed`)]
  })

const withMutableAmountsOf = (container: Core.Container, old: Core.Container): Core.Container => {
  const amountsOf = (field: "requests" | "limits") => {
    const before = old.resources?.[field]
    if (before === undefined) return {}
    const { cpu: _cpu, memory: _memory, ...others } = container.resources?.[field] ?? {}
    const kept = Object.entries(before).filter(([name]) => name === "cpu" || name === "memory")
    return { [field]: { ...others, ...Object.fromEntries(kept) } }
  }
  return { ...container, resources: { ...amountsOf("limits"), ...amountsOf("requests") } }
}
