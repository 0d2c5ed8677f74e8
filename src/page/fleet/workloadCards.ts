import { imagesText } from "../../kubernetes/pods/containers/images.ts"
import {
  autoscalerFigures,
  cronJobFigures,
  jobFigures,
  servingFigures,
  toRolloutVerdict
} from "../../explain/health/workloadVerdict.ts"
import { podRevisionOf } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { autoscalerHealth } from "../../explain/health/autoscalerHealth.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { cronJobHealth, jobHealth } from "../../explain/health/jobHealth.ts"
import { daemonSetHealth, statefulSetHealth } from "../../explain/health/podSetHealth.ts"
import { healthText } from "../../explain/health/healthText.ts"
import { isAddressKind } from "../pageAddress.ts"
import { jobGroup, noPods, replicaSetGroup, revisionGroups } from "./podGroups.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { PodGroup } from "./podGroups.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { WorkloadHealth } from "../../explain/health/healthLeads.ts"
import type { WorkloadVerdict } from "../../explain/health/workloadVerdict.ts"

export interface WorkloadCard extends WorkloadVerdict {
  readonly workload: KubeObject
  /** The newest first. */
  readonly groups: ReadonlyArray<PodGroup>
  /** Revisions without Pods. */
  readonly inactiveGroups: ReadonlyArray<PodGroup>
  readonly images: string
}

type PodMap = ReadonlyMap<string, Pod>

export interface CardObjects {
  readonly podsOf: (uid: string) => PodMap
  readonly warningsOf: (uid: string) => ReadonlyArray<NormalizedEvent>
  readonly nodes: ReadonlyMap<string, Node>
}

export const deploymentCard = (
  deployment: Deployment,
  /** Newest first. */
  replicaSets: ReadonlyArray<ReplicaSet>,
  { podsOf, nodes }: CardObjects,
  /** Why new Pods can never be placed. */
  deadlock: string | undefined
): WorkloadCard => {
  const groups = replicaSets.map((it) => replicaSetGroup(it, podsOf(it.metadata.uid)))
  const pods = groups.flatMap((group) => [...group.pods.values()])
  const hasPods = (index: number): boolean =>
    (replicaSets[index]?.spec.replicas ?? 0) > 0 || (groups[index]?.pods.size ?? 0) > 0
  return {
    ...toRolloutVerdict({ deployment, replicaSets, pods, nodes, deadlock }),
    workload: deployment,
    // The newest one is shown even before its first Pod.
    groups: groups.filter((_group, index) => index === 0 || hasPods(index)),
    inactiveGroups: groups.filter((_group, index) => index > 0 && !hasPods(index)),
    images: imagesText(deployment)
  }
}

type StatefulSetOrDaemonSet = StatefulSet | DaemonSet

export const statefulOrDaemonSetCard = (
  workload: StatefulSetOrDaemonSet,
  /** Newest first. */
  revisions: ReadonlyArray<ControllerRevision>,
  { podsOf, warningsOf, nodes }: CardObjects
): WorkloadCard => {
  const { uid } = workload.metadata
  const [newest] = revisions
  const objects = {
    pods: [...podsOf(uid).values()],
    events: warningsOf(uid),
    nodes,
    newRevision: newest === undefined ? undefined : podRevisionOf(workload.kind, newest)
  }
  return {
    ...(isDaemonSet(workload) ? daemonSetHealth(workload, objects) : statefulSetHealth(workload, objects)),
    workload,
    figures: servingFigures(workload, objects.pods),
    groups: revisionGroups(workload, revisions, podsOf(uid)),
    // A ControllerRevision without Pods has neither a size nor a page.
    inactiveGroups: [],
    images: imagesText(workload)
  }
}

const isDaemonSet = (workload: StatefulSetOrDaemonSet): workload is DaemonSet => workload.kind === "DaemonSet"

const healthOfJob = (job: Job, { podsOf, warningsOf, nodes }: CardObjects): WorkloadHealth => {
  const { uid } = job.metadata
  return jobHealth(job, { pods: [...podsOf(uid).values()], events: warningsOf(uid), nodes })
}

export const jobCard = (job: Job, objects: CardObjects): WorkloadCard => ({
  ...healthOfJob(job, objects),
  workload: job,
  figures: jobFigures(job),
  groups: [jobGroup(job, objects.podsOf(job.metadata.uid))],
  inactiveGroups: [],
  images: imagesText(job)
})

export const cronJobCard = (
  cronJob: CronJob,
  jobs: ReadonlyArray<Job>,
  objects: CardObjects
): WorkloadCard => {
  const { metadata, spec } = cronJob
  const health = new Map(jobs.map((job) => [job, healthOfJob(job, objects)]))
  const cachedHealthOf = (job: Job): WorkloadHealth => health.get(job) ?? healthOfJob(job, objects)
  // Health depends on whether the schedule is ever due, whatever the time is now.
  const nowMillis = timestampMillis(metadata.creationTimestamp)
  const images = imagesText(spec.jobTemplate)
  return {
    ...cronJobHealth({ cronJob, jobs, nowMillis }, objects.warningsOf(metadata.uid), cachedHealthOf),
    workload: cronJob,
    figures: cronJobFigures(cronJob),
    groups: [...jobs]
      .sort(compareByCreation)
      .map((job) =>
        jobGroup(job, objects.podsOf(job.metadata.uid), {
          title: job.metadata.name,
          figures: healthText(cachedHealthOf(job))
        })
      )
      .reverse(),
    inactiveGroups: [],
    images
  }
}

export const autoscalerCard = (autoscaler: Autoscaler): WorkloadCard => {
  const { kind, name } = autoscaler.spec.scaleTargetRef
  const { namespace = "" } = autoscaler.metadata
  const title = `scales ${kind} ${name}`
  return {
    ...autoscalerHealth(autoscaler),
    workload: autoscaler,
    figures: autoscalerFigures(autoscaler),
    groups: [
      {
        uid: "",
        address: isAddressKind(kind) ? { kind, namespace, name } : undefined,
        title,
        revision: "",
        image: "",
        figures: "",
        pods: noPods
      }
    ],
    inactiveGroups: [],
    images: ""
  }
}
