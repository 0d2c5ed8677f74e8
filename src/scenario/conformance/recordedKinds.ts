import { recordedDaemonSets } from "./daemonSets/recordedDaemonSets.ts"
import { recordedDeployments } from "./deployments/recordedDeployments.ts"
import { recordedJobs } from "./jobs/recordedJobs.ts"
import { recordedStatefulSets } from "./statefulSets/recordedStatefulSets.ts"
import type { UpstreamWorkload, UpstreamRecording } from "./recordedKind.ts"

const recordedKinds: ReadonlyArray<UpstreamWorkload> = [
  recordedDeployments,
  recordedStatefulSets,
  recordedDaemonSets,
  recordedJobs
]

/** By the field of a state that holds the workload, such as `job`; a recording without any is about a Deployment. */
export const recordedKindOf = ({ steps }: Pick<UpstreamRecording, "steps">): UpstreamWorkload =>
  recordedKinds.find(({ key }) => steps.some(({ then }) => key in then)) ?? recordedDeployments
