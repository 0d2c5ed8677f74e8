import type { LookAgain, ObjectIdentity } from "../../apps/sharedCommands.ts"
import type { JobPodDraft } from "./jobPods.ts"
import type { JobStatus } from "./jobTypes.ts"

export type JobCommand =
  | { readonly type: "adoptPod" | "releasePod"; readonly child: ObjectIdentity }
  | { readonly type: "createJobPods"; readonly pods: ReadonlyArray<JobPodDraft> }
  /** Pods that do not count as failed lose their finalizer first. */
  | {
      readonly type: "deleteJobPods"
      readonly children: ReadonlyArray<ObjectIdentity>
      readonly countAsFailed: boolean
    }
  /** Takes the finalizer away from Pods that are counted. */
  | { readonly type: "releaseJobPods"; readonly children: ReadonlyArray<ObjectIdentity> }
  | { readonly type: "reportJob"; readonly status: JobStatus }
  | { readonly type: "deleteJob" }
  | LookAgain
