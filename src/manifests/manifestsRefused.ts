import { TaggedError } from "effect/Data"
import { problemText } from "./manifestDocument.ts"
import type { AppliedDocument } from "./manifestDocument.ts"
import type { ManifestProblem } from "./manifestDocument.ts"

/** Nothing was applied, except for `applied`. */
export class ManifestsRefused extends TaggedError("ManifestsRefused")<{
  readonly problems: ReadonlyArray<ManifestProblem>
  /** Documents that stay applied when a remote cluster or a concurrent write interrupts the apply. */
  readonly applied?: ReadonlyArray<AppliedDocument>
}> {
  override get message(): string {
    return [...this.problems.map(problemText), ...appliedLines(this.applied ?? [])].join("\n")
  }
}

/** Lines such as `deployment.apps/web configured`. */
const appliedLines = (applied: ReadonlyArray<AppliedDocument>): ReadonlyArray<string> => {
  if (applied.length === 0) return []
  const lines = applied.map(({ outcome, object, document: { kind } }) => {
    const type = [kind.singular, kind.group].filter((part) => part !== "").join(".")
    return `  ${type}/${object.metadata.name} ${outcome}`
  })
  return ["applied before that, and still there:", ...lines]
}
