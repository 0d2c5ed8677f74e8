import { conditionOf } from "../meta/conditions.ts"
import { controllerReference } from "../meta/ownerReferences.ts"
import { annotationOf, revisionAnnotation, revisionOf } from "../apps/revisions/revisions.ts"
import { currentRecord, isMarkedComplete, templateHashOf } from "./steeringObservation.ts"
import { isTerminating } from "../meta/deletion.ts"
import { recordEvent, identityOf } from "../apps/sharedCommands.ts"
import { hasApprovalGate } from "./podApproval.ts"
import { hasSteps } from "./stepPlan.ts"
import { recordOf } from "./steeringRecord.ts"
import { unapprovedPodsOfCompleteRevisions } from "./rolloutSteps.ts"
import { hookLabel, revisionHashLabel } from "./steeringNames.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { Labels } from "../meta/objects.ts"
import type { HookJobDraft, SteeringCommands } from "./steeringCommands.ts"
import type { StepSettings } from "./steeringSettings.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

const generatedLabels: ReadonlySet<string> = new Set([
  "controller-uid",
  "job-name",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name"
])

const withoutGeneratedLabels = (labels: Labels = {}): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !generatedLabels.has(name)))

const jobNameLengthMax = 63

/** The name is the same after a restart of the controller, which finds the Job by it. */
export const hookJobName = (
  { deployment, newReplicaSet }: SteeringObservation,
  hook: string,
  step: number
): string => {
  const revision = newReplicaSet === undefined ? "" : (annotationOf(newReplicaSet, revisionAnnotation) ?? "")
  const suffix = `-${newReplicaSet === undefined ? "" : templateHashOf(newReplicaSet)}-${revision}-${step + 1}`
  return `${`${deployment.metadata.name}-${hook}`.slice(0, jobNameLengthMax - suffix.length)}${suffix}`
}

export const hookTemplateJobNames = ({ hooks = {} }: Pick<StepSettings, "hooks">): ReadonlyArray<string> =>
  Object.values(hooks).flatMap((hook) => ("job" in hook ? [hook.job] : []))

/** The new ReplicaSet owns the Job, which is deleted with its revision. */
export const hookJobDraft = (
  seen: SteeringObservation,
  {
    template,
    name,
    hook,
    timeoutMillis
  }: {
    readonly template: Job
    readonly name: string
    readonly hook: string
    readonly timeoutMillis: number
  }
): HookJobDraft | undefined => {
  const { newReplicaSet, deployment } = seen
  if (newReplicaSet === undefined) return undefined
  const {
    selector: _selector,
    manualSelector: _manual,
    // A Job that is deleted once it has ended would be started again.
    ttlSecondsAfterFinished: _ttl,
    activeDeadlineSeconds,
    ...spec
  } = template.spec
  const labels = { [hookLabel]: hook, [revisionHashLabel]: templateHashOf(newReplicaSet) }
  const seconds = Math.max(1, Math.ceil(timeoutMillis / 1000))
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? "default",
      labels: { ...withoutGeneratedLabels(template.metadata.labels), ...labels },
      ownerReferences: [controllerReference(newReplicaSet)]
    },
    spec: {
      ...spec,
      suspend: false,
      activeDeadlineSeconds: Math.min(activeDeadlineSeconds ?? seconds, seconds),
      template: {
        ...spec.template,
        metadata: {
          ...spec.template.metadata,
          labels: { ...withoutGeneratedLabels(spec.template.metadata?.labels), ...labels }
        }
      }
    }
  }
}

/** The revision and step for which a controller, maybe a replaced one, started a hook's Job. */
const positionOf = ({ metadata }: Job): { readonly revision: bigint; readonly step: number } | undefined => {
  const [, revision, stepNumber] = /-(\d+)-(\d+)$/u.exec(metadata.name) ?? []
  return metadata.labels?.[hookLabel] === undefined || revision === undefined
    ? undefined
    : { revision: BigInt(revision), step: Number(stepNumber) - 1 }
}

interface ObsoleteHookJob {
  readonly job: Job
  readonly why: string
}

export const obsoleteHookJobs = (seen: SteeringObservation): ReadonlyArray<ObsoleteHookJob> =>
  seen.hookJobs.length === 0 || recordOf(seen.deployment) === undefined
    ? []
    : seen.hookJobs.flatMap((job) => {
        const why = whyObsolete(seen, job)
        return why === undefined || hasRefusedDeletion(seen, job) ? [] : [{ job, why }]
      })

/** Pods of a complete revision come first: no undeletable Job holds them up. */
export const mayDeleteHookJobs = (seen: SteeringObservation): boolean =>
  obsoleteHookJobs(seen).length > 0 &&
  !(
    seen.strategy !== undefined &&
    hasApprovalGate(seen.deployment.spec.template) &&
    unapprovedPodsOfCompleteRevisions(seen).length > 0
  )

const hasRefusedDeletion = ({ deployment }: SteeringObservation, { metadata }: Job): boolean =>
  recordOf(deployment)?.leftJobs?.includes(metadata.name) === true

/** The rollout was superseded, given up or promoted, or the hook was removed from the strategy. */
const whyObsolete = (seen: SteeringObservation, job: Job): string | undefined => {
  const position = positionOf(job)
  if (position === undefined || isJobOver(job)) return undefined
  if (seen.strategy === undefined) return "which no step of the strategy runs"
  const revision = seen.newReplicaSet && revisionOf(seen.newReplicaSet)
  if (revision === undefined) return undefined
  if (position.revision > revision) return undefined
  const { step = 0, aborted } = currentRecord(seen) ?? {}
  const isOver = aborted !== undefined || isMarkedComplete(seen)
  if (position.revision < revision || isOver || position.step < step) return "whose step is over"
  // A Job of a later step shows that `seen` has a stale record.
  return position.step > step || isHookOf(seen, job, step) ? undefined : "which no step of the strategy runs"
}

const isHookOf = (seen: SteeringObservation, { metadata }: Job, index: number): boolean => {
  const settings = seen.strategy?.settings
  if (!hasSteps(settings)) return false
  const step = settings.steps[index]
  if (step === undefined || !("run" in step)) return false
  const hook = settings.hooks?.[step.run]
  return hook !== undefined && "job" in hook && hookJobName(seen, step.run, index) === metadata.name
}

const isJobOver = (job: Job): boolean =>
  isTerminating(job) || isJobComplete(job) || jobFailure(job) !== undefined

export const deleteHookJobs = (seen: SteeringObservation): SteeringCommands =>
  obsoleteHookJobs(seen).flatMap(({ job, why }): SteeringCommands => [
    { type: "deleteJobs", children: [identityOf(job)] },
    recordEvent("Normal", "HookStopped", `Deleted Job ${job.metadata.name}, ${why}`)
  ])

export const undeletableHookJobNames = (seen: SteeringObservation): ReadonlyArray<string> =>
  seen.hookJobs
    .filter((job) => hasRefusedDeletion(seen, job) && !isJobOver(job))
    .map(({ metadata }) => metadata.name)

export const isJobComplete = ({ status }: Job): boolean =>
  conditionOf(status.conditions, "Complete")?.status === "True"

export const jobFailure = ({ metadata, status }: Job): string | undefined => {
  const failed = conditionOf(status.conditions, "Failed")
  return failed?.status === "True"
    ? `Job ${metadata.name} failed: ${failed.reason ?? ""}: ${failed.message ?? ""}`
    : undefined
}
