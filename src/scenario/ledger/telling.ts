import type { Violation } from "./violations.ts"

/** As many broken rules as are told of, whatever they are. */
const toldMost = 20

/**
 * Chooses which broken rules are told of, asked for one after the other: the first twenty, and of all that come later
 * the first of its kind, so that no rule is passed over because another is broken again and again.
 */
export const tellingFirst = (): ((
  violation: Pick<Violation, "rule" | "invariant">,
  mark?: string
) => boolean) => {
  const kinds = new Set<string>()
  let count = 0
  return ({ rule, invariant }, mark = "") => {
    const kind = `${rule} ${invariant ?? ""} ${mark}`
    const isFirst = !kinds.has(kind)
    kinds.add(kind)
    count += 1
    return isFirst || count <= toldMost
  }
}
