import { findWorkload } from "../workloads.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { Workload, WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"
import type { WorkloadReference } from "../workloads.ts"

/** `paused`: a paused Deployment, or a Job that is suspended or may run no Pod at a time. */
export type RolloutState = "waiting" | "complete" | "failed" | "paused"

export const rolloutState = (
  view: Pick<ClusterView["Service"], "get">,
  reference: Pick<WorkloadReference, "resource" | "key">
): RolloutState => {
  const { resource } = reference
  const workload = findWorkload(view, reference)
  if (workload === undefined) return "waiting"
  const { state } = workloadStatus(resource, workload)
  return state === "waiting" && isPaused(resource, workload) ? "paused" : state
}

const isPaused = (resource: WorkloadResource, workload: Workload): boolean => {
  if (resource === resources.jobs) {
    const { suspend, parallelism, completions } = (workload as Job).spec
    return suspend === true || (parallelism === 0 && completions !== 0)
  }
  if (resource !== resources.deployments) return false
  const { metadata, spec, status } = workload as Deployment
  return spec.paused === true && (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
}

/** A failed Job stays failed, but a Deployment may complete after its deadline. */
export const isRolloutOver = (resource: WorkloadResource, state: RolloutState): boolean =>
  state === "complete" || state === "paused" || (state === "failed" && resource === resources.jobs)

export const hasDeadline = ({ resource }: Pick<WorkloadReference, "resource">): boolean =>
  resource === resources.deployments
