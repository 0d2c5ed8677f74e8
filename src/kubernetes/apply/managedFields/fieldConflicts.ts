import type { Ownership } from "./ownerships.ts"
import { pathElementsText, fieldPathsOf } from "./pathElements.ts"
import type { FieldSet } from "./fieldSet.ts"

/**
 * A field owned by another manager that a configuration would change.
 * Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go.
 */
export interface FieldConflict {
  readonly owner: Ownership
  /** `.spec.template.spec.containers[name="app"].image` */
  readonly path: string
}

export const fieldConflicts = (owner: Ownership, fields: FieldSet): ReadonlyArray<FieldConflict> =>
  fieldPathsOf(fields).map((path) => ({ owner, path: pathElementsText(path) }))

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

/** Unlike Kubernetes, without the time: the other parts identify an owner. */
const ownerText = ({ manager, operation, apiVersion, subresource }: Ownership): string => {
  const name = JSON.stringify(manager)
  const via = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`
  return operation === "Update" ? `${name}${via} using ${apiVersion}` : `${name}${via}`
}
