import { conditionOf } from "../meta/conditions.ts"
import { controllerReference } from "../meta/ownerReferences.ts"
import { annotationOf, revisionAnnotation } from "../apps/revisions/revisions.ts"
import { templateHashOf } from "./steeringObservation.ts"
import { hookLabel, revisionHashLabel } from "./steeringNames.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { Labels } from "../meta/objects.ts"
import type { HookJobDraft } from "./steeringCommands.ts"
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
    // A copy that is deleted once it has ended would be started again.
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

export const isJobComplete = ({ status }: Job): boolean =>
  conditionOf(status.conditions, "Complete")?.status === "True"

export const jobFailure = ({ metadata, status }: Job): string | undefined => {
  const failed = conditionOf(status.conditions, "Failed")
  return failed?.status === "True"
    ? `Job ${metadata.name} failed: ${failed.reason ?? ""}: ${failed.message ?? ""}`
    : undefined
}
