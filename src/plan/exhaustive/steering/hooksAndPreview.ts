import { hookTemplateJobNames } from "../../../kubernetes/steering/hookJobs.ts"
import { hookLabel } from "../../../kubernetes/steering/steeringNames.ts"
import { hasSteps } from "../../../kubernetes/steering/stepPlan.ts"
import { templateHashLabel } from "../../../kubernetes/apps/revisions/podTemplates.ts"
import type { BlueGreenSettings } from "../../../kubernetes/steering/steeringSettings.ts"
import type { HookJobPhase, SteeredState } from "./steeredState.ts"
import type { Job } from "../../../kubernetes/batch/jobs/jobTypes.ts"
import type { ObjectIdentity } from "../../../kubernetes/apps/sharedCommands.ts"
import type { Labels } from "../../../kubernetes/meta/objects.ts"
import type { Service } from "../../../kubernetes/core/endpoints.ts"
import type { SteeringAnswer, SteeringQuestion } from "../../../kubernetes/steering/steeringQuestions.ts"
import type {
  SteeringObservation,
  SteeringSettings
} from "../../../kubernetes/steering/steeringObservation.ts"

/** `jobs`: those that the strategy names; `hookJobs`: the copies that hooks have started. */
export const hookAndPreviewObjects = (
  { hookJobs, previewedHash }: SteeredState,
  { settings }: SteeringSettings
): Pick<SteeringObservation, "services" | "jobs" | "hookJobs"> => {
  const preview = hasSteps(settings) ? (settings as BlueGreenSettings).preview : undefined
  return {
    services: preview === undefined ? [] : [previewService(preview, previewedHash)],
    jobs: hasSteps(settings) ? hookTemplateJobNames(settings).map((name) => jobOf(name, "running")) : [],
    hookJobs: Object.entries(hookJobs).map(([name, phase]) => jobOf(name, phase, { [hookLabel]: "" }))
  }
}

const previewService = (name: string, hash: string | undefined): Service =>
  ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: {
      publishNotReadyAddresses: true,
      selector: hash === undefined ? {} : { [templateHashLabel]: hash }
    }
  }) as unknown as Service

const jobConditions = { running: [], complete: ["Complete"], failed: ["Failed"] } as const

const jobOf = (name: string, phase: HookJobPhase, labels: Labels = {}): Job =>
  ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, labels },
    spec: { template: { spec: { containers: [] } } },
    status: { conditions: jobConditions[phase].map((type) => ({ type, status: "True" })) }
  }) as unknown as Job

export const withHookJob = (state: SteeredState, name: string, phase: HookJobPhase): SteeredState => ({
  ...state,
  hookJobs: { ...state.hookJobs, [name]: phase }
})

export const withoutHookJobs = (state: SteeredState, jobs: ReadonlyArray<ObjectIdentity>): SteeredState => {
  const deleted = new Set(jobs.map(({ name }) => name))
  const remainingJobs = Object.entries(state.hookJobs).filter(([name]) => !deleted.has(name))
  return { ...state, hookJobs: Object.fromEntries(remainingJobs) }
}

/** An answer within the limits of the question; with `mayFail` also the failure to get one. */
export const possibleAnswers = (
  { limits: { equals, min, max } }: SteeringQuestion,
  mayFail: boolean
): ReadonlyArray<SteeringAnswer> => [
  { value: equals ?? min ?? max ?? 0 },
  ...(mayFail ? [{ failure: "no answer" }] : [])
]
