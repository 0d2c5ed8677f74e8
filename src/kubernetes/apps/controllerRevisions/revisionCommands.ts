import type { ControllerRevisionDraft } from "./controllerRevisions.ts"
import type { ObjectIdentity } from "../sharedCommands.ts"

export type RevisionCommand =
  | { readonly type: "adoptRevision"; readonly child: ObjectIdentity }
  | { readonly type: "deleteRevision"; readonly child: ObjectIdentity }
  | { readonly type: "createRevision"; readonly revision: ControllerRevisionDraft }
  | { readonly type: "renumberRevision"; readonly child: ObjectIdentity; readonly revision: number }
