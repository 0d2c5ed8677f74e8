import { isTerminating } from "../kubernetes/meta/deletion.ts"
import { matchesSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import {
  planTemplateRecord,
  sortRevisions
} from "../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import { ignoreGoneOrReplaced, keyInNamespaceOf } from "./controllerServices.ts"
import { performRequest } from "../runtime/reconciler/controller.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type * as Effect from "effect/Effect"
import type { ClusterView } from "../store/objectStore.ts"
import type { RevisionOwner } from "../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { StatefulSetObservation } from "../kubernetes/apps/statefulSets/statefulSetObservation.ts"
import type { Command } from "../kubernetes/apps/commands.ts"
import type { CommandRefused } from "../runtime/reconciler/controller.ts"
import type { ControllerServices } from "./controllerServices.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { RevisionCommand } from "../kubernetes/apps/controllerRevisions/revisionCommands.ts"

type RevisionWrite = Exclude<RevisionCommand, { readonly type: "adoptRevision" }>

const revisionWrites: ReadonlySet<string> = new Set([
  "createRevision",
  "renumberRevision",
  "deleteRevision"
] satisfies ReadonlyArray<RevisionWrite["type"]>)

/** Other commands adopt Revisions, together with Pods. */
export const isRevisionCommand = (command: Command): command is RevisionWrite =>
  revisionWrites.has(command.type)

/** Source: pkg/controller/history/controller_history.go (CreateControllerRevision, UpdateControllerRevision). */
export const performRevisionCommand = (
  { store }: ControllerServices,
  owner: KubeObject,
  command: RevisionWrite
): Effect.Effect<unknown, CommandRefused> => {
  switch (command.type) {
    case "createRevision":
      // If the name has been taken, the next look sees that.
      return performRequest(command.type, store.create(command.revision))
    case "renumberRevision": {
      const { name, uid } = command.child
      const ref = { resource: resources.controllerRevisions, key: keyInNamespaceOf(owner, name) }
      const write = store.modify(ref, (object) => ({ ...object, revision: command.revision }), { uid })
      return performRequest(command.type, ignoreGoneOrReplaced(write))
    }
    case "deleteRevision": {
      const { name, uid } = command.child
      const ref = { resource: resources.controllerRevisions, key: keyInNamespaceOf(owner, name) }
      return performRequest(command.type, ignoreGoneOrReplaced(store.delete(ref, { preconditions: { uid } })))
    }
  }
}

export const observeRevisions = (
  view: ClusterView["Service"],
  owner: RevisionOwner
): Pick<StatefulSetObservation, "revisions" | "orphanedRevisions" | "templateRecord"> => {
  const { uid, namespace = "" } = owner.metadata
  const isSelected = ({ metadata }: KubeObject): boolean =>
    matchesSelector(owner.spec.selector, metadata.labels)
  const revisions = sortRevisions(view.controlled(resources.controllerRevisions, uid).filter(isSelected))
  return {
    revisions,
    orphanedRevisions: isTerminating(owner)
      ? []
      : view.orphans(resources.controllerRevisions, namespace).filter(isSelected),
    templateRecord: planTemplateRecord(owner, revisions, (name) =>
      view.get(resources.controllerRevisions, keyInNamespaceOf(owner, name))
    )
  }
}
