import type * as Batch from "kubernetes-types/batch/v1.js"
import { parseCronSchedule, timeZoneProblem } from "../../../batch/cronSchedule.ts"
import type { Draft } from "../../../meta/objects.ts"
import {
  invalidField,
  noErrors,
  requiredValue,
  unsupportedValue,
  validateNonNegative,
  validateOptionalOneOf,
  type FieldErrors
} from "../../../validation/fieldErrors.ts"
import type { DeepPartial } from "../../../validation/partialTypes.ts"
import { printableSelector } from "../../../validation/validateLabels.ts"
import { validateJobFields } from "./validateJob.ts"

interface CronJobDraft extends Draft {
  readonly spec?: CronJobSpec
}

type CronJobSpec = DeepPartial<Batch.CronJobSpec>

/** Source: pkg/apis/batch/validation/validation.go (validateCronJobSpec). */
export const validateCronJob = ({ spec = {} }: CronJobDraft): FieldErrors => validateSpec(spec)

export const validateCronJobUpdate = ({ spec = {} }: CronJobDraft, old: CronJobDraft): FieldErrors =>
  validateSpec(spec, old.spec ?? {})

const concurrencyPolicies = ["Allow", "Forbid", "Replace"]

/** A stored time zone is not validated again: the list of zones may have changed. */
const validateSpec = (spec: CronJobSpec, old?: CronJobSpec): FieldErrors => [
  ...validateSchedule(spec, { mayKeepZone: old?.schedule?.includes("TZ") ?? false }),
  ...validateNonNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds),
  ...(old === undefined || old.timeZone !== spec.timeZone ? validateTimeZone(spec.timeZone) : noErrors),
  ...validateOptionalOneOf(
    spec.concurrencyPolicy || undefined,
    concurrencyPolicies,
    "spec.concurrencyPolicy"
  ),
  ...validateJobTemplate(spec.jobTemplate?.spec ?? {}),
  ...validateNonNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit),
  ...validateNonNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit)
]

const validateSchedule = (
  { schedule = "", timeZone }: CronJobSpec,
  { mayKeepZone }: { readonly mayKeepZone: boolean }
): FieldErrors => {
  const path = "spec.schedule"
  if (schedule === "") return [requiredValue(path)]
  const parsed = parseCronSchedule(schedule)
  const hasZone = schedule.includes("TZ")
  return [
    ...(parsed.ok ? noErrors : [invalidField(path, schedule, parsed.problem)]),
    ...(hasZone && mayKeepZone && timeZone !== undefined
      ? [invalidField(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")]
      : noErrors),
    ...(hasZone && !mayKeepZone
      ? [invalidField(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")]
      : noErrors)
  ]
}

const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/

const validateTimeZone = (timeZone: string | undefined): FieldErrors => {
  const path = "spec.timeZone"
  if (timeZone === undefined) return noErrors
  if (timeZone === "") return [invalidField(path, timeZone, "timeZone must be nil or non-empty string")]
  const isName = timeZone
    .split("/")
    .every((part) => part !== "." && part !== ".." && !part.startsWith("-") && zonePart.test(part))
  if (!isName) return [invalidField(path, timeZone, `unknown time zone ${timeZone}`)]
  const rule = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
  const problem = timeZoneProblem(timeZone)
  return [
    ...(timeZone.toLowerCase() === "local" ? [invalidField(path, timeZone, rule)] : noErrors),
    ...(problem === undefined ? noErrors : [invalidField(path, timeZone, problem)])
  ]
}

const validateJobTemplate = (spec: DeepPartial<Batch.JobSpec>): FieldErrors => {
  const path = "spec.jobTemplate.spec"
  const { selector, manualSelector } = spec
  return [
    ...validateJobFields(spec, path),
    ...(selector === undefined
      ? noErrors
      : [invalidField(`${path}.selector`, printableSelector(selector), "`selector` will be auto-generated")]),
    ...(manualSelector === true
      ? [unsupportedValue(`${path}.manualSelector`, manualSelector, ["nil", "false"])]
      : noErrors)
  ]
}
