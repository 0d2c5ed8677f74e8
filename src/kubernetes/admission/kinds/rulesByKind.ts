import type { Draft } from "../../meta/objects.ts"
import type { FieldErrors } from "../../validation/fieldErrors.ts"
import { validateCronJob, validateCronJobUpdate } from "./batch/validateCronJob.ts"
import { validateJob } from "./batch/validateJob.ts"
import { validateJobUpdate } from "./batch/validateJobUpdate.ts"

/** What a new object and a changed one of a kind must be. */
interface KindRules {
  readonly create: (object: Draft) => FieldErrors
  readonly update: (object: Draft, old: Draft) => FieldErrors
}

/** The rules of the kinds that are stored and that no controller here plays, by group and kind. */
export const rulesByKind: Readonly<Record<string, KindRules>> = {
  "batch/Job": { create: validateJob, update: validateJobUpdate },
  "batch/CronJob": { create: validateCronJob, update: validateCronJobUpdate }
}
