import type { LookAgain, ObjectIdentity } from "../sharedCommands.ts"
import type { RevisionCommand } from "../controllerRevisions/revisionCommands.ts"
import type { DaemonPodDraft } from "./daemonPods.ts"
import type { DaemonSetStatus } from "./daemonSetTypes.ts"

export type DaemonSetCommand =
  | RevisionCommand
  | { readonly type: "adoptPod" | "releasePod"; readonly child: ObjectIdentity }
  | { readonly type: "createDaemonPods"; readonly pods: ReadonlyArray<DaemonPodDraft> }
  | { readonly type: "deleteDaemonPods"; readonly children: ReadonlyArray<ObjectIdentity> }
  | {
      readonly type: "deleteFinishedPod"
      readonly child: ObjectIdentity
      readonly nodeName: string
      readonly phase: string
    }
  | { readonly type: "reportDaemonSet"; readonly status: DaemonSetStatus }
  | LookAgain
