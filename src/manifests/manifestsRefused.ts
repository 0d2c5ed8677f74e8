import { TaggedError } from "effect/Data"
import { problemText } from "./manifest.ts"
import type { ManifestProblem } from "./manifest.ts"

/** What is wrong with manifests, all of it. */
export class ManifestsRefused extends TaggedError("ManifestsRefused")<{
  readonly problems: ReadonlyArray<ManifestProblem>
}> {
  override get message(): string {
    return this.problems.map(problemText).join("\n")
  }
}
