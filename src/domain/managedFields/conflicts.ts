import { identityOf, type Ownership } from "./entries.ts"
import { pathText, pathsOf } from "./pathElements.ts"
import type { FieldSet } from "./fieldSet.ts"

/**
 * A field that a configuration sets to another value than the one it has, and that someone else owns.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go.
 */
export interface FieldConflict {
  readonly manager: string
  readonly operation: "Apply" | "Update"
  readonly apiVersion: string
  readonly subresource?: string
  /** When the other owner last wrote. The message leaves it out, since owners are told apart without it. */
  readonly time?: string
  /** `.spec.template.spec.containers[name="app"].image` */
  readonly path: string
}

export const conflictsWith = (owner: Ownership, fields: FieldSet): ReadonlyArray<FieldConflict> => {
  const { manager, operation, apiVersion, subresource, time } = owner
  return pathsOf(fields).map((path) => ({
    manager,
    operation,
    apiVersion,
    ...(subresource === undefined ? {} : { subresource }),
    ...(time === undefined ? {} : { time }),
    path: pathText(path)
  }))
}

/** `Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas` */
export const conflictMessage = (conflicts: ReadonlyArray<FieldConflict>): string => {
  const [only] = conflicts
  if (conflicts.length === 1 && only !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(only)}: ${only.path}`
  }
  const owners = Map.groupBy(conflicts, identityOf)
  const lines = [...owners.keys()].toSorted().flatMap((identity) => {
    const [first, ...others] = owners.get(identity) ?? []
    if (first === undefined) return []
    return [`conflicts with ${ownerText(first)}:`, ...[first, ...others].map(({ path }) => `- ${path}`)]
  })
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`
}

interface ConflictCause {
  readonly reason: "FieldManagerConflict"
  readonly message: string
  readonly field: string
}

export const conflictCauses = (conflicts: ReadonlyArray<FieldConflict>): ReadonlyArray<ConflictCause> =>
  conflicts.map((conflict) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${ownerText(conflict)}`,
    field: conflict.path
  }))

const ownerText = ({ manager, operation, apiVersion, subresource }: FieldConflict): string => {
  const name = JSON.stringify(manager)
  const via = subresource === undefined ? "" : ` with subresource ${JSON.stringify(subresource)}`
  return operation === "Update" ? `${name}${via} using ${apiVersion}` : `${name}${via}`
}
