import type * as Scheduling from "kubernetes-types/scheduling/v1.js"
import { systemPriorityClasses, userPriorityMax } from "../../pods/priorityClasses.ts"
import type { Draft } from "../../meta/objects.ts"
import { forbiddenField, immutableField, noErrors, type FieldErrors } from "../../validation/fieldErrors.ts"
import { validatePreemptionPolicy } from "../pods/validatePodSpec.ts"
import type { ShallowPartial } from "../../validation/partialTypes.ts"

type PriorityClassDraft = Draft & ShallowPartial<Pick<Scheduling.PriorityClass, "value" | "preemptionPolicy">>

const systemPrefix = "system-"

/** Source: pkg/apis/scheduling/validation/validation.go. */
export const validatePriorityClass = ({
  metadata,
  value = 0,
  preemptionPolicy
}: PriorityClassDraft): FieldErrors => [
  ...nameAndValueErrors(metadata.name ?? "", value),
  ...validatePreemptionPolicy(preemptionPolicy, "preemptionPolicy")
]

const nameAndValueErrors = (name: string, value: number): FieldErrors => {
  if (!name.startsWith(systemPrefix)) {
    const why = `maximum allowed value of a user defined priority is ${userPriorityMax}`
    return value > userPriorityMax ? [forbiddenField("value", why)] : noErrors
  }
  const systemValue = systemPriorityClasses.get(name)
  if (systemValue === value) return noErrors
  const why =
    systemValue === undefined
      ? `${name} is not a known system priority class`
      : `value of ${name} PriorityClass must be ${systemValue}`
  const rule = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${why}`
  return [forbiddenField("metadata.name", rule)]
}

export const validatePriorityClassUpdate = (
  priorityClass: PriorityClassDraft,
  old: PriorityClassDraft
): FieldErrors => [
  ...((priorityClass.value ?? 0) === (old.value ?? 0)
    ? noErrors
    : [forbiddenField("value", "may not be changed in an update.")]),
  ...(priorityClass.preemptionPolicy === old.preemptionPolicy
    ? noErrors
    : [immutableField("preemptionPolicy", priorityClass.preemptionPolicy)])
]
