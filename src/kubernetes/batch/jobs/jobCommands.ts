import type { LookAgain, ObjectIdentity } from "../../apps/sharedCommands.ts"
import type { JobPodDraft } from "./jobPods.ts"
import type { JobStatus } from "./jobTypes.ts"

export type JobCommand =
  | { readonly type: "adoptPod" | "releasePod"; readonly child: ObjectIdentity }
  | { readonly type: "createJobPods"; readonly pods: ReadonlyArray<JobPodDraft> }
  /** `counts`: whether they count as failed. If not, their finalizer goes first. */
  | {
      readonly type: "deleteJobPods"
      readonly children: ReadonlyArray<ObjectIdentity>
      readonly counts: boolean
    }
  /** Takes the finalizer away from Pods that are counted. */
  | { readonly type: "releaseJobPods"; readonly children: ReadonlyArray<ObjectIdentity> }
  | { readonly type: "reportJob"; readonly status: JobStatus }
  | { readonly type: "deleteJob" }
  | LookAgain
