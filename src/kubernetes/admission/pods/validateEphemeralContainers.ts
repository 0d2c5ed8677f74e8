import type * as Core from "kubernetes-types/core/v1.js"
import { isEqualIgnoringEmpty } from "../../validation/structuralSharing.ts"
import { validateContainer } from "./validateContainers.ts"
import { podResourceClaimNames } from "./validatePodResourceClaims.ts"
import { validateVolumes } from "./volumes/validateVolumes.ts"
import {
  duplicateValue,
  forbiddenField,
  noErrors,
  valueNotFound,
  type FieldError,
  type FieldErrors
} from "../../validation/fieldErrors.ts"
import type { PodSpecDraft } from "./validatePodSpec.ts"

/**
 * Source: pkg/apis/core/validation/validation.go (validateEphemeralContainers,
 * ValidatePodEphemeralContainersUpdate).
 */
export const validateEphemeralUpdate = (spec: PodSpecDraft, before: PodSpecDraft): FieldErrors => [
  ...validateEphemeralContainers(spec),
  ...(before.ephemeralContainers ?? []).flatMap((container) => validateUnchangedContainer(spec, container))
]

export const forbidEphemeralContainers = ({ ephemeralContainers = [] }: PodSpecDraft): FieldErrors =>
  ephemeralContainers.length === 0 ? noErrors : [forbiddenField(containersPath, "cannot be set on create")]

const containersPath = "spec.ephemeralContainers"

/** Unlike Kubernetes, the difference is JSON, not a diff of Go structs. */
const validateUnchangedContainer = (
  { ephemeralContainers = [] }: PodSpecDraft,
  container: Core.EphemeralContainer
): FieldErrors => {
  const name = JSON.stringify(container.name)
  const next = ephemeralContainers.find((it) => it.name === container.name)
  if (next === undefined)
    return [forbiddenField(containersPath, `existing ephemeral containers ${name} may not be removed\n`)]
  if (isEqualIgnoringEmpty(next, container)) return noErrors
  const difference = `- ${JSON.stringify(container)}\n+ ${JSON.stringify(next)}`
  return [
    forbiddenField(containersPath, `existing ephemeral containers ${name} may not be changed\n${difference}`)
  ]
}

const validateEphemeralContainers = (spec: PodSpecDraft): FieldErrors => {
  const otherNames = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name)
  const names = new Set(otherNames)
  const { names: volumeNames } = validateVolumes(spec.volumes ?? [], "spec.volumes")
  // Ephemeral containers have no lifecycle hooks, which the grace period would limit.
  const podContext = {
    volumeNames,
    claimNames: podResourceClaimNames(spec),
    scope: "pod",
    graceSeconds: undefined
  } as const
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const field = `${containersPath}[${index}]`
    const { name, targetContainerName: target = "" } = container
    const isTaken = names.has(name)
    names.add(name)
    return [
      ...validateContainer(container, { ...podContext, path: field }),
      ...(isTaken ? [duplicateValue(`${field}.name`, name)] : noErrors),
      ...(target === "" || otherNames.includes(target)
        ? noErrors
        : [valueNotFound(`${field}.targetContainerName`, target)]),
      ...forbidFields(container, field)
    ]
  })
}

const cannotBeSet = "cannot be set for an Ephemeral Container"

/** Fields that an ephemeral container must not have, in the order of upstream's struct. */
const forbiddenFields = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle"
] as const

const pointerFields: ReadonlySet<string> = new Set([
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle"
])

const forbidFields = (container: Core.EphemeralContainer, field: string): FieldErrors => {
  const errors: Array<FieldError> = []
  const values = new Map<string, unknown>(Object.entries(container))
  for (const name of forbiddenFields) {
    const value = values.get(name)
    // Kubernetes refuses an empty object, too, where its field is a pointer.
    if (pointerFields.has(name) ? value !== undefined : !isEmpty(value))
      errors.push(forbiddenField(`${field}.${name}`, cannotBeSet))
  }
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    for (const name of ["subPath", "subPathExpr"] as const) {
      if (!isEmpty(mount[name]))
        errors.push(forbiddenField(`${field}.volumeMounts[${index}].${name}`, cannotBeSet))
    }
  }
  return errors
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0)
