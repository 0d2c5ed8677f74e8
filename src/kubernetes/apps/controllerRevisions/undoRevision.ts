import { hasTemplate, sortRevisions } from "./controllerRevisions.ts"
import type { ControllerRevision, RevisedOwner } from "./controllerRevisions.ts"

/**
 * `kubectl rollout undo` of a StatefulSet or DaemonSet: the revision before the present one. `why`: kubectl's error
 * message. `isPresent`: the owner has its template already.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (StatefulSetRollbacker, DaemonSetRollbacker,
 * findHistory).
 */
export const undoRevision = (
  { spec }: Pick<RevisedOwner, "spec">,
  revisions: ReadonlyArray<ControllerRevision>
): { readonly revision: ControllerRevision; readonly isPresent: boolean } | { readonly why: string } => {
  const previous = sortRevisions(revisions).at(-2)
  return previous === undefined
    ? { why: "error: no last revision to roll back to" }
    : { revision: previous, isPresent: hasTemplate(previous, spec.template) }
}
