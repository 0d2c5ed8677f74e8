import { countBar } from "../terminal/countBar.ts"
import { byNamespace, countsByState, nestRows, podsOf, choosePodRows, withGlyph } from "./podRows.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { kindAndNameOf } from "../terminal/eventLines.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PodState } from "./podState.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { TreeBlock, TreeRow, TreeView } from "./podRows.ts"
import type { WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"

export const workloadBlocks = (view: TreeView): ReadonlyArray<TreeBlock> => [
  ...[...view.all(resources.statefulSets)].sort(byNamespace).map((it) => statefulSetBlock(view, it)),
  ...[...view.all(resources.daemonSets)].sort(byNamespace).map((it) => daemonSetBlock(view, it)),
  ...[...view.all(resources.cronJobs)].sort(byNamespace).map((it) => cronJobBlock(view, it)),
  ...[...view.all(resources.jobs)]
    .filter((it) => controllerOf(it)?.kind !== "CronJob")
    .sort(byNamespace)
    .map((it) => jobBlock(view, it))
]

const statefulSetBlock = (view: TreeView, statefulSet: StatefulSet): TreeBlock => {
  const { readyReplicas = 0, updatedReplicas = 0 } = statefulSet.status
  const note = `${readyReplicas}/${statefulSet.spec.replicas} ready, ${updatedReplicas} updated`
  return workloadBlock(view, {
    resource: resources.statefulSets,
    kind: "StatefulSet",
    workload: statefulSet,
    note,
    shortNote: countBar(readyReplicas, statefulSet.spec.replicas)
  })
}

const daemonSetBlock = (view: TreeView, daemonSet: DaemonSet): TreeBlock => {
  const { numberAvailable = 0, desiredNumberScheduled, updatedNumberScheduled = 0 } = daemonSet.status
  const note = `${numberAvailable}/${desiredNumberScheduled} available, ${updatedNumberScheduled} updated`
  const shortNote = countBar(numberAvailable, desiredNumberScheduled)
  return workloadBlock(view, {
    resource: resources.daemonSets,
    kind: "DaemonSet",
    workload: daemonSet,
    note,
    shortNote
  })
}

interface WorkloadRow {
  readonly resource: WorkloadResource
  readonly kind: string
  readonly workload: KubeObject
  readonly note: string
  readonly shortNote: string
}

const workloadBlock = (view: TreeView, row: WorkloadRow): TreeBlock => {
  const { resource, kind, workload, note, shortNote } = row
  const pods = view.arePodsUnreadable === true ? [] : podsOf(view, workload)
  const makePodRows = choosePodRows({ podCount: pods.length })
  const stateCounts = makePodRows === undefined ? countsByState(pods) : ""
  const head: TreeRow = {
    name: `⟳ ${kindAndNameOf({ kind, ...workload.metadata })}`,
    status: workloadState(resource, workload),
    createdAt: workload.metadata.creationTimestamp,
    note: `${note}${stateCounts}`,
    shortNote
  }
  const isComplete = workloadStatus(resource, workload).state === "complete"
  return { rows: [head, ...nestRows(makePodRows?.(pods) ?? [])], isComplete }
}

const jobBlock = (view: TreeView, job: Job): TreeBlock => {
  const { succeeded = 0, failed = 0 } = job.status
  const completionsWanted = job.spec.completions ?? job.spec.parallelism
  const note = `${succeeded}/${completionsWanted} completions${failed === 0 ? "" : `, ${failed} failed`}`
  const shortNote = countBar(succeeded, completionsWanted)
  return workloadBlock(view, { resource: resources.jobs, kind: "Job", workload: job, note, shortNote })
}

const cronJobBlock = (view: TreeView, cronJob: CronJob): TreeBlock => {
  const { schedule, timeZone, suspend } = cronJob.spec
  const active = cronJob.status.active?.length ?? 0
  const jobs = [...view.controlled(resources.jobs, cronJob.metadata.uid)].sort(compareByCreation)
  const head: TreeRow = {
    name: `⟳ ${kindAndNameOf({ kind: "CronJob", ...cronJob.metadata })}`,
    status: suspend === true ? suspendedState("Suspended") : withGlyph("Scheduled", "good"),
    createdAt: cronJob.metadata.creationTimestamp,
    note: `${schedule}${timeZone === undefined ? "" : ` ${timeZone}`}, ${active} active`
  }
  const blocks = jobs.map((job) => jobBlock(view, job))
  const rows = blocks.flatMap(({ rows: [first, ...restOfRows] }, index) => {
    if (first === undefined) return []
    const isLast = index === blocks.length - 1
    const rowsBelow = restOfRows.map((row) => ({ ...row, name: `${isLast ? "   " : "│  "}${row.name}` }))
    return [{ ...first, name: `${isLast ? "└──" : "├──"}${first.name}` }, ...rowsBelow]
  })
  return { rows: [head, ...rows], isComplete: blocks.every(({ isComplete }) => isComplete) }
}

const suspendedState = (word: string) => ({ word, mood: "wait", glyph: "‖" }) as const

const workloadState = (
  resource: WorkloadResource,
  workload: KubeObject
): PodState & { readonly glyph: string } => {
  if (isTerminating(workload)) return withGlyph("Terminating", "gone")
  const { state } = workloadStatus(resource, workload)
  if (state === "failed") return withGlyph("Failed", "bad")
  if (state === "complete") return withGlyph("Complete", "good")
  const isSuspended = resource === resources.jobs && (workload as Job).spec.suspend === true
  return isSuspended ? suspendedState("Suspended") : withGlyph("Progressing", "wait")
}
