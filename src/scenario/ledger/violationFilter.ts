import type { Violation } from "./violations.ts"

const reportedMax = 20

/**
 * Passes the first twenty violations, then the first of each kind: repetitions cannot hide another rule's violation. A
 * kind is a rule or invariant, with the caller's `subkind`.
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
