import { isFields } from "../../meta/fields.ts"
import { fieldSetDifference, fieldSetIntersection, type FieldSet } from "./fieldSet.ts"
import { kubectlAppliedFields, isKubectlManager } from "./lastApplied.ts"
import { pathElementsText, fieldPathsOf } from "./pathElements.ts"
import { compareTexts } from "../../meta/text/compareTexts.ts"
import { goQuote } from "../../meta/text/goQuote.ts"
import type { Kind } from "../../meta/kinds.ts"
import type { Ownership, Ownerships } from "./ownerships.ts"

/** Source: apimachinery/pkg/util/managedfields/internal/conflict.go. */
export interface FieldConflict {
  readonly owner: Ownership
  /** For example `.spec.template.spec.containers[name="app"].image`. */
  readonly path: string
}

export const findConflicts = (
  otherOwners: Ownerships,
  changed: FieldSet,
  {
    kind,
    live,
    manager
  }: { readonly kind: Kind; readonly live: object | undefined; readonly manager: string }
): ReadonlyArray<FieldConflict> => {
  const conflicts = conflictsOn(otherOwners, changed)
  if (conflicts.length === 0 || !isKubectlManager(manager)) return conflicts
  // kubectl may take over what it applied on the client's side.
  const inherited = kubectlAppliedFields(kind, isFields(live) ? live : {})
  return conflictsOn(otherOwners, fieldSetDifference(changed, inherited))
}

const conflictsOn = (otherOwners: Ownerships, fields: FieldSet): ReadonlyArray<FieldConflict> =>
  [...otherOwners]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .flatMap(([, owner]) =>
      fieldPathsOf(fieldSetIntersection(owner.fields, fields)).map((path) => ({
        owner,
        path: pathElementsText(path)
      }))
    )

export const conflictMessage = (conflicts: ReadonlyArray<FieldConflict>): string => {
  if (conflicts.length === 1) {
    const texts = conflicts.map(({ owner, path }) => `${ownerText(owner)}: ${path}`)
    return `Apply failed with 1 conflict: conflict with ${texts.join("")}`
  }
  const owners = Map.groupBy(conflicts, ({ owner }) => ownerText(owner))
  const lines = [...owners].flatMap(([owner, ownersConflicts]) => [
    `conflicts with ${owner}:`,
    ...ownersConflicts.map(({ path }) => `- ${path}`)
  ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`
}

interface ConflictCause {
  readonly reason: "FieldManagerConflict"
  readonly message: string
  readonly field: string
}

export const conflictCauses = (conflicts: ReadonlyArray<FieldConflict>): ReadonlyArray<ConflictCause> =>
  conflicts.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${ownerText(owner)}`,
    field: path
  }))

/** Unlike Kubernetes, the text omits the time of the owner's write. */
const ownerText = ({ manager, operation, apiVersion, subresource }: Ownership): string => {
  const name = goQuote(manager)
  const via = subresource === "" ? "" : ` with subresource ${goQuote(subresource)}`
  return operation === "Update" ? `${name}${via} using ${apiVersion}` : `${name}${via}`
}
