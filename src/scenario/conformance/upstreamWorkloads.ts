import { recordedDaemonSets } from "./daemonSets/recordedDaemonSets.ts"
import { recordedDeployments } from "./deployments/recordedDeployments.ts"
import { recordedJobs } from "./jobs/recordedJobs.ts"
import { recordedStatefulSets } from "./statefulSets/recordedStatefulSets.ts"
import type { UpstreamWorkload, UpstreamRecording } from "./upstreamWorkload.ts"

const upstreamWorkloads: ReadonlyArray<UpstreamWorkload> = [
  recordedDeployments,
  recordedStatefulSets,
  recordedDaemonSets,
  recordedJobs
]

/** By the field of a state that holds the workload, such as `job`; a recording without any is about a Deployment. */
export const workloadOfRecording = ({ steps }: Pick<UpstreamRecording, "steps">): UpstreamWorkload =>
  upstreamWorkloads.find(({ workloadField }) => steps.some(({ then }) => workloadField in then)) ??
  recordedDeployments
