import { TaggedError } from "effect/Data"
import { problemText } from "./manifest.ts"
import type { Applied } from "./applyManifests.ts"
import type { ManifestProblem } from "./manifest.ts"

/**
 * What is wrong with manifests, all of it. Nothing was applied then, but for what is said to have been: by a cluster
 * that is not ours, or one that changed at that moment.
 */
export class ManifestsRefused extends TaggedError("ManifestsRefused")<{
  readonly problems: ReadonlyArray<ManifestProblem>
  /** What was written before the refusal and is still there; left out where that is nothing. */
  readonly applied?: ReadonlyArray<Applied>
}> {
  override get message(): string {
    return [...this.problems.map(problemText), ...appliedLines(this.applied ?? [])].join("\n")
  }
}

/** Told as kubectl tells it: `deployment.apps/web configured`. */
const appliedLines = (applied: ReadonlyArray<Applied>): ReadonlyArray<string> => {
  if (applied.length === 0) return []
  const each = applied.map(({ outcome, object, document: { kind } }) => {
    const type = [kind.singular, kind.group].filter((it) => it !== "").join(".")
    return `  ${type}/${object.metadata.name} ${outcome}`
  })
  return ["applied before that, and still there:", ...each]
}
