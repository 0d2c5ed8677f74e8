import type { LookAgain, ObjectIdentity } from "../sharedCommands.ts"
import type { RevisionCommand } from "../controllerRevisions/revisionCommands.ts"
import type { Pod } from "../../meta/objects.ts"
import type { ClaimDraft, ReplicaDraft } from "./replicaIdentity.ts"
import type { ClaimOwners } from "./statefulSetObservation.ts"
import type { StatefulSetStatus } from "./statefulSetTypes.ts"

export type StatefulSetCommand =
  | RevisionCommand
  | { readonly type: "adoptPod" | "releasePod"; readonly child: ObjectIdentity }
  /** Creates the PersistentVolumeClaims first. */
  | {
      readonly type: "createReplica"
      readonly pod: ReplicaDraft
      readonly claims: ReadonlyArray<ClaimDraft>
    }
  | {
      readonly type: "createClaims"
      readonly podName: string
      readonly claims: ReadonlyArray<ClaimDraft>
    }
  /** Creates missing claims before it updates the Pod. */
  | { readonly type: "repairReplica"; readonly pod: Pod; readonly claims: ReadonlyArray<ClaimDraft> }
  | { readonly type: "deleteReplica"; readonly child: ObjectIdentity }
  /** Changes a claim's owner references. */
  | { readonly type: "reownClaim"; readonly owners: ClaimOwners }
  | { readonly type: "reportStatefulSet"; readonly status: StatefulSetStatus }
  | LookAgain
