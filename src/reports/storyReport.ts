import { countText } from "../kubernetes/meta/text/countText.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"

export interface StoryReport {
  readonly story: string
  readonly description: string | undefined
  readonly file: string
  readonly version: string
  readonly seeds: { readonly first: number; readonly last: number; readonly count: number }
  readonly outcome: StoryRun["outcome"]
  readonly runs: ReadonlyArray<SeedSummary>
  /** The first few failed runs, or the first run if all passed. */
  readonly shownRuns: ReadonlyArray<StoryRun>
  readonly shrunk: ShrunkStory | undefined
}

/** `digest`: a hash of all changes. `untold`: the number of failures that `failures` omits. */
export type SeedSummary = Pick<StoryRun, "seed" | "outcome" | "failures" | "untold" | "endMillis" | "digest">

/** The smallest story found that fails in the same way. */
export interface ShrunkStory {
  readonly seed: number
  readonly yaml: string
  /** False if the story has a TypeScript predicate, which YAML can only name. */
  readonly isRunnable: boolean
  /** Number of steps and faults. */
  readonly parts: number
  readonly partsBefore: number
  /** Plays of the search, and their writes to the store. */
  readonly plays: number
  readonly writes: number
  /** False if the search reached its limit of plays or writes. */
  readonly isSmallest: boolean
}

export const shrinkSummaryText = ({
  isRunnable,
  parts,
  partsBefore,
  plays,
  writes,
  isSmallest
}: ShrunkStory): string =>
  `${parts} of ${partsBefore} steps and faults are left, found in ${countText(plays, "play")}` +
  (isSmallest
    ? "."
    : ` with ${countText(writes, "write")}; there the search stopped, so that it may not be the least.`) +
  (isRunnable ? "" : " It has a predicate of TypeScript in it, which YAML can only name.")

const shownRunsMax = 5

/** `runs` are in the order of the seeds. */
export const storyReport = (
  about: Pick<StoryReport, "story" | "description" | "file" | "version">,
  runs: ReadonlyArray<StoryRun>,
  shrunk?: ShrunkStory
): StoryReport => {
  const failed = runs.filter(({ outcome }) => outcome !== "passed")
  return {
    ...about,
    seeds: { first: runs[0]?.seed ?? 0, last: runs.at(-1)?.seed ?? 0, count: runs.length },
    outcome: outcomeOf(runs),
    runs: runs.map(({ seed, outcome, failures, untold, endMillis, digest }) => ({
      seed,
      outcome,
      failures,
      untold,
      endMillis,
      digest
    })),
    shownRuns: failed.length > 0 ? failed.slice(0, shownRunsMax) : runs.slice(0, 1),
    shrunk
  }
}

const outcomeOf = (runs: ReadonlyArray<StoryRun>): StoryRun["outcome"] => {
  const has = (outcome: StoryRun["outcome"]): boolean => runs.some((run) => run.outcome === outcome)
  return has("failed") ? "failed" : has("unsettled") ? "unsettled" : "passed"
}

/** Called in the thread that played the run, to save memory. */
export const withoutRunDetails = (run: StoryRun): StoryRun => ({
  ...run,
  steps: [],
  faults: [],
  deployments: [],
  services: [],
  events: []
})

export const repeatCommand = (file: string, seed: number): string =>
  `charthouse run ${/^[\w./@%+:=-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`} --seed ${seed}`
