import type { LookAgain, ObjectIdentity } from "../../apps/sharedCommands.ts"
import type { JobPodDraft } from "./jobPods.ts"
import type { JobStatus } from "./jobTypes.ts"

export type JobCommand =
  | { readonly type: "adoptPod" | "releasePod"; readonly child: ObjectIdentity }
  | { readonly type: "createJobPods"; readonly pods: ReadonlyArray<JobPodDraft> }
  /** With `countAsFailed: false`, the Pods first lose their tracking finalizer. */
  | {
      readonly type: "deleteJobPods"
      readonly children: ReadonlyArray<ObjectIdentity>
      readonly countAsFailed: boolean
    }
  | { readonly type: "releaseJobPods"; readonly children: ReadonlyArray<ObjectIdentity> }
  | { readonly type: "reportJob"; readonly status: JobStatus }
  | { readonly type: "deleteJob" }
  | LookAgain
