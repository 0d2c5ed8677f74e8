import type { Violation } from "./violations.ts"

const reportedMax = 20

/**
 * Returns a filter for reported violations: it passes the first twenty, and later ones only if they are the first of
 * their kind, so that repetitions cannot hide the violation of another rule. A kind is a rule or an invariant, and the
 * caller's `subkind`: expected and unexpected violations are of different kinds.
 */
export const makeViolationFilter = (): ((
  violation: Pick<Violation, "rule" | "invariant">,
  subkind?: string
) => boolean) => {
  const kinds = new Set<string>()
  let count = 0
  return ({ rule, invariant }, subkind = "") => {
    const kind = `${rule} ${invariant ?? ""} ${subkind}`
    const isFirst = !kinds.has(kind)
    kinds.add(kind)
    count += 1
    return isFirst || count <= reportedMax
  }
}
