import { recordedDaemonSets } from "./daemonSets/recordedDaemonSets.ts"
import { recordedDeployments } from "./deployments/recordedDeployments.ts"
import { recordedJobs } from "./jobs/recordedJobs.ts"
import { recordedStatefulSets } from "./statefulSets/recordedStatefulSets.ts"
import type { RecordedKind, UpstreamRecording } from "./recordedKind.ts"

const recordedKinds: ReadonlyArray<RecordedKind> = [
  recordedDeployments,
  recordedStatefulSets,
  recordedDaemonSets,
  recordedJobs
]

/** By the field with the workload; a recording without any is about a Deployment. */
export const recordedKindOf = ({ steps }: Pick<UpstreamRecording, "steps">): RecordedKind =>
  recordedKinds.find(({ key }) => steps.some(({ then }) => key in then)) ?? recordedDeployments
