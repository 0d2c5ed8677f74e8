import { conditionOf, type StatusCondition } from "../../../meta/conditions.ts"
import { invalidField, noErrors, type FieldErrors } from "../../../validation/fieldErrors.ts"
import {
  isUnchanged,
  validateUnchangedFields,
  validateUnchanged
} from "../../../validation/immutableFields.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { validateJobSpec, type JobDraft } from "./validateJob.ts"
import type { JobSpecDraft } from "./validateJobPolicies.ts"
import type { Container, PodSpec } from "kubernetes-types/core/v1.js"

interface StoredJob extends JobDraft {
  readonly status?: {
    readonly startTime?: string
    readonly active?: number
    readonly conditions?: ReadonlyArray<StatusCondition>
  }
}

const immutableFields = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy"
] as const

/**
 * Source: pkg/apis/batch/validation/validation.go (ValidateJobSpecUpdate),
 * pkg/registry/batch/job/strategy.go.
 */
export const validateJobUpdate = (job: JobDraft, stored: JobDraft): FieldErrors => {
  const { spec = {} } = job
  const { spec: old = {} } = stored
  return [
    ...validateJobSpec(spec),
    ...validateCompletions(spec, old),
    ...validateUnchanged(spec.selector, old.selector, "spec.selector"),
    ...validateTemplateChange(spec, stored),
    ...validateUnchangedFields(spec, old, { path: "spec", fields: immutableFields })
  ]
}

/** Only an Indexed Job with equal parallelism and completions can change its size. */
const validateCompletions = (spec: JobSpecDraft, old: JobSpecDraft): FieldErrors => {
  const { completions, parallelism } = spec
  const path = "spec.completions"
  if (spec.completionMode !== "Indexed") return validateUnchanged(completions, old.completions, path)
  return completions === old.completions || completions === undefined || completions === parallelism
    ? noErrors
    : [invalidField(path, completions, "can only be modified in tandem with spec.parallelism")]
}

type TemplateDraft = NonNullable<JobSpecDraft["template"]>
type PodSpecOfJob = DeepPartial<PodSpec>

const validateTemplateChange = (spec: JobSpecDraft, stored: StoredJob): FieldErrors => {
  const { template = {} } = spec
  const { template: old = {} } = stored.spec ?? {}
  if (!isSuspendedWithoutPods(stored)) return validateUnchanged(template, old, "spec.template")
  const allowed = withResourcesOf(withSchedulingOf(old, template).spec ?? {}, template.spec ?? {})
  return validateUnchanged(template.spec ?? {}, allowed, "spec.template.spec")
}

/**
 * A suspended Job without Pods may change the resources and scheduling directives of its template.
 */
const isSuspendedWithoutPods = ({ spec = {}, status = {} }: StoredJob): boolean =>
  spec.suspend === true &&
  (status.active ?? 0) === 0 &&
  (status.startTime === undefined || conditionOf(status.conditions, "Suspended")?.status === "True")

const schedulingFields = ["nodeSelector", "tolerations", "schedulingGates"] as const

const withSchedulingOf = (old: TemplateDraft, template: TemplateDraft): TemplateDraft => {
  const [spec, before] = [template.spec ?? {}, old.spec ?? {}]
  const directives = Object.fromEntries(schedulingFields.map((field) => [field, spec[field]]))
  const affinity = { ...before.affinity, nodeAffinity: spec.affinity?.nodeAffinity }
  const hasNoPart = Object.values(affinity).every((part) => part === undefined)
  // An affinity without parts is missing, but empty if the new template has an affinity.
  const keptAffinity = hasNoPart ? spec.affinity && {} : affinity
  return { ...old, spec: { ...before, ...directives, affinity: keptAffinity } }
}

/** Only containers of the same names take the new resources. */
const withResourcesOf = (before: PodSpecOfJob, spec: PodSpecOfJob): PodSpecOfJob => ({
  ...before,
  containers: containersWithResourcesOf(before.containers, spec.containers),
  initContainers: containersWithResourcesOf(before.initContainers, spec.initContainers)
})

type Containers = ReadonlyArray<DeepPartial<Container>> | undefined

const containersWithResourcesOf = (before: Containers, containers: Containers): Containers =>
  before?.map((container, index) => {
    const updated = containers?.[index]
    const isSame = containers?.length === before.length && updated?.name === container.name
    return isSame && !isUnchanged(updated?.resources, container.resources)
      ? { ...container, resources: updated?.resources }
      : container
  })
