import { recordsTemplate, sortRevisions, templateOfRevision } from "./controllerRevisions.ts"
import type { ControllerRevision, RevisionOwner } from "./controllerRevisions.ts"

/**
 * `kubectl rollout undo`, by default to the revision before the present one. The refusal is kubectl's
 * error message. Source: polymorphichelpers/rollback.go.
 */
export const undoRevision = (
  { spec }: Pick<RevisionOwner, "spec">,
  revisions: ReadonlyArray<ControllerRevision>,
  toRevision?: number
):
  | { readonly revision: ControllerRevision; readonly hasPresentTemplate: boolean }
  | { readonly refusal: string } => {
  const sorted = sortRevisions(revisions)
  const wanted =
    toRevision === undefined ? sorted.at(-2) : sorted.find(({ revision }) => revision === toRevision)
  if (wanted !== undefined)
    return { revision: wanted, hasPresentTemplate: recordsTemplate(wanted, spec.template) }
  const problem =
    toRevision === undefined
      ? "no last revision to roll back to"
      : `unable to find specified revision ${toRevision} in history`
  return { refusal: `error: ${problem}` }
}

export const withUndoneRevision = <Owner extends RevisionOwner>(
  owner: Owner,
  revisions: ReadonlyArray<ControllerRevision>,
  toRevision?: number
): { readonly updatedObject: Owner } | { readonly refusal: string } => {
  const undo = undoRevision(owner, revisions, toRevision)
  if ("refusal" in undo) return undo
  const template = templateOfRevision(undo.revision)
  return {
    updatedObject:
      undo.hasPresentTemplate || template === undefined
        ? owner
        : { ...owner, spec: { ...owner.spec, template } }
  }
}
