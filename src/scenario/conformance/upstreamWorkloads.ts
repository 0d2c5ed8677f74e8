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

/** Without a workload in `then`, the recording is of a Deployment. */
export const workloadOfRecording = ({ steps }: Pick<UpstreamRecording, "steps">): UpstreamWorkload =>
  upstreamWorkloads.find(({ workloadField }) => steps.some(({ then }) => workloadField in then)) ??
  recordedDeployments
