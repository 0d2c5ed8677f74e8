import { TaggedError } from "effect/Data"
import { problemText } from "./manifestDocument.ts"
import type { AppliedDocument } from "./manifestDocument.ts"
import type { ManifestProblem } from "./manifestDocument.ts"

/** All problems of the manifests. Nothing was applied, except for `applied`. */
export class ManifestsRefused extends TaggedError("ManifestsRefused")<{
  readonly problems: ReadonlyArray<ManifestProblem>
  /** Documents that stay applied: a remote cluster or a concurrent write interrupted the apply after them. */
  readonly applied?: ReadonlyArray<AppliedDocument>
}> {
  override get message(): string {
    return [...this.problems.map(problemText), ...appliedLines(this.applied ?? [])].join("\n")
  }
}

/** One line per document as kubectl prints it: `deployment.apps/web configured`. */
const appliedLines = (applied: ReadonlyArray<AppliedDocument>): ReadonlyArray<string> => {
  if (applied.length === 0) return []
  const lines = applied.map(({ outcome, object, document: { kind } }) => {
    const type = [kind.singular, kind.group].filter((part) => part !== "").join(".")
    return `  ${type}/${object.metadata.name} ${outcome}`
  })
  return ["applied before that, and still there:", ...lines]
}
