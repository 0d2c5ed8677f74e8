import { imagesText } from "../../kubernetes/pods/containers/images.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { autoscalerNews } from "./autoscalerNews.ts"
import { cronJobNews } from "./cronJobNews.ts"
import { makeProblemCollector } from "./problemCollector.ts"
import { preciseDurationText } from "../terminal/preciseDurationText.ts"
import { resources } from "../../kubernetes/meta/resources.ts"
import { noNodeFitsSentences } from "../../explain/workloads/explainDaemonSet.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { WorkloadNews } from "./workloadNews.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"

type FollowedWorkload = StatefulSet | DaemonSet | Job

const workloadTrackerResources: ReadonlyArray<string> = [
  resources.statefulSets,
  resources.daemonSets,
  resources.jobs,
  resources.controllerRevisions,
  resources.cronJobs,
  resources.autoscalers
]

export const isWorkloadTrackerResource = (resource: string): boolean =>
  workloadTrackerResources.includes(resource)

interface FollowedRollout {
  workload: FollowedWorkload
  phase: "progressing" | "complete" | "failed"
  beganMillis: number
  isTemplateReported: boolean
  imagesBefore: string | undefined
}

/** Tracks autoscalers, and all workloads but Deployments. */
export const makeWorkloadTracker = (options: {
  readonly view: ClusterView["Service"]
  readonly onNews: (news: WorkloadNews) => void
  readonly isSilenced: (uid: string) => boolean
  /** Whether a manifest file is being applied: the run reports its writes by itself. */
  readonly isApplying: () => boolean
  readonly nowMillis: () => number
}): { readonly onChange: (change: Change, atMillis: number) => void } => {
  const { view, onNews, isSilenced, isApplying, nowMillis } = options
  const rollouts = new Map<string, FollowedRollout>()

  const publish = (
    workload: KubeObject,
    news: Pick<WorkloadNews, "atMillis" | "reason" | "message"> & Partial<Pick<WorkloadNews, "troubles">>
  ): void => {
    if (!isSilenced(workload.metadata.uid)) onNews({ workload, troubles: [], ...news })
  }

  const reportTemplate = (rollout: FollowedRollout, atMillis: number, revisionPrefix = ""): void => {
    rollout.isTemplateReported = true
    const images = imagesText(rollout.workload)
    const unchangedText = images === rollout.imagesBefore ? " as before" : ""
    const message = `${revisionPrefix}${images}${unchangedText}`
    publish(rollout.workload, { atMillis, reason: "Progressing", message })
  }

  const handleSpec = (before: FollowedWorkload, after: FollowedWorkload, atMillis: number): void => {
    const knownRollout = rollouts.get(after.metadata.uid)
    const [sizeBefore, size] = [sizeOf(before), sizeOf(after)]
    const isNewTemplate = !isSameTemplate(before.spec.template, after.spec.template)
    if (!isApplying()) {
      if (sizeBefore !== size)
        publish(after, { atMillis, reason: "Scaled", message: `from ${sizeBefore} to ${size}` })
      const name = JSON.stringify(after.metadata.name)
      const [wasSuspended, isSuspended] = [isSuspendedJob(before), isSuspendedJob(after)]
      if (isSuspended && !wasSuspended)
        publish(after, { atMillis, reason: "Paused", message: `job ${name} is suspended` })
      if (wasSuspended && !isSuspended)
        publish(after, { atMillis, reason: "Resumed", message: `job ${name} goes on` })
    }
    const beginsRollout = isNewTemplate || (sizeBefore !== size && knownRollout?.phase === "complete")
    if (beginsRollout && after.kind !== "Job")
      rollouts.set(after.metadata.uid, {
        ...beginRollout(after, atMillis),
        isTemplateReported: !isNewTemplate,
        imagesBefore: imagesText(before)
      })
  }

  const handleEnd = (resource: WorkloadResource, rollout: FollowedRollout, atMillis: number): void => {
    const { workload } = rollout
    const { state, message } = workloadStatus(resource, workload)
    if (state === "waiting" || state === rollout.phase) return
    rollout.phase = state
    const span = preciseDurationText(atMillis - rollout.beganMillis)
    if (state === "complete")
      return publish(workload, {
        atMillis,
        reason: "Complete",
        message: `${withoutDots(message)} in ${span}`,
        troubles: noNodeFitsSentences(view, workload)
      })
    const troubles = makeProblemCollector()
    for (const pod of view.controlled(resources.pods, workload.metadata.uid))
      troubles.observePod({ before: undefined, after: pod })
    publish(workload, {
      atMillis,
      reason: "Failed",
      message: `${message} after ${span}`,
      troubles: troubles.sentences()
    })
  }

  const handleDeletion = (object: KubeObject, atMillis: number): void => {
    const { uid, name } = object.metadata
    rollouts.delete(uid)
    const message = `${object.kind.toLowerCase()} ${JSON.stringify(name)} has been deleted`
    // A CronJob deletes its old Jobs.
    if (controllerOf(object) === undefined) publish(object, { atMillis, reason: "Deleted", message })
  }

  /** For CronJobs and autoscalers, which have no rollout. */
  const handleWithoutRollout = ({ resource, object, old }: Change, atMillis: number): void => {
    const news =
      resource === resources.cronJobs
        ? cronJobNews(old as CronJob | undefined, object as CronJob, nowMillis())
        : autoscalerNews(old as Autoscaler | undefined, object as Autoscaler)
    if (!isApplying()) for (const item of news) publish(object, { atMillis, ...item })
  }

  const handleWorkload = ({ resource, object, old }: Change, atMillis: number): void => {
    const workload = object as FollowedWorkload
    const { uid, generation } = workload.metadata
    if (old !== undefined && old.metadata.generation !== generation)
      handleSpec(old as FollowedWorkload, workload, atMillis)
    const rollout = rollouts.get(uid) ?? beginRollout(workload, atMillis)
    // A workload from before the first tracked change rolls out no new template.
    if (old !== undefined && !rollouts.has(uid)) rollout.isTemplateReported = true
    rollouts.set(uid, rollout)
    rollout.workload = workload
    if (isApplying()) rollout.isTemplateReported = true
    // The template of another workload is reported when its ControllerRevision is created.
    if (!rollout.isTemplateReported && workload.kind === "Job") reportTemplate(rollout, atMillis)
    handleEnd(resource as WorkloadResource, rollout, atMillis)
  }

  /** A ControllerRevision gets a higher number when its template is rolled out again. */
  const handleRevision = ({ type, object, old }: Change, atMillis: number): void => {
    const { revision } = object as ControllerRevision
    const isNew = type !== "DELETED" && (old as ControllerRevision | undefined)?.revision !== revision
    const rollout = rollouts.get(controllerOf(object)?.uid ?? "")
    if (isNew && rollout?.isTemplateReported === false)
      reportTemplate(rollout, atMillis, `revision ${revision}: `)
  }

  return {
    onChange: (change, atMillis) => {
      const { resource, type, object } = change
      if (resource === resources.controllerRevisions) return handleRevision(change, atMillis)
      if (type === "DELETED") return handleDeletion(object, atMillis)
      const hasNoRollout = resource === resources.cronJobs || resource === resources.autoscalers
      return hasNoRollout ? handleWithoutRollout(change, atMillis) : handleWorkload(change, atMillis)
    }
  }
}

const beginRollout = (workload: FollowedWorkload, atMillis: number): FollowedRollout => ({
  workload,
  phase: "progressing",
  beganMillis: atMillis,
  isTemplateReported: false,
  imagesBefore: undefined
})

/** Undefined for a DaemonSet, whose size is the number of nodes. */
const sizeOf = (workload: FollowedWorkload): number | undefined => {
  if (workload.kind === "Job") return (workload as Job).spec.parallelism
  return workload.kind === "StatefulSet" ? (workload as StatefulSet).spec.replicas : undefined
}

const isSuspendedJob = (workload: FollowedWorkload): boolean =>
  workload.kind === "Job" && (workload as Job).spec.suspend === true

/** kubectl ends the message of a complete StatefulSet with dots. */
const withoutDots = (message: string): string => message.replace(/\.+$/u, "")
