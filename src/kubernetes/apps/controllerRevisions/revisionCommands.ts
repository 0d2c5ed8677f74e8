import type { ControllerRevisionDraft } from "./controllerRevisions.ts"
import type { ObjectIdentity } from "../sharedCommands.ts"

/** Commands about the revisions of a StatefulSet or a DaemonSet. */
export type RevisionCommand =
  | { readonly type: "adoptRevision"; readonly child: ObjectIdentity }
  | { readonly type: "deleteRevision"; readonly child: ObjectIdentity }
  | { readonly type: "createRevision"; readonly revision: ControllerRevisionDraft }
  | { readonly type: "renumberRevision"; readonly child: ObjectIdentity; readonly revision: number }
