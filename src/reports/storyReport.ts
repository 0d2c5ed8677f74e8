import { counted } from "../domain/counted.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"

/** What came of one story with all its seeds. Reports are made of this alone, so that the same gives the same bytes. */
export interface StoryReport {
  readonly story: string
  readonly description: string | undefined
  /** The file as it was named on the command line. */
  readonly file: string
  /** The version of this program. */
  readonly version: string
  readonly seeds: { readonly first: number; readonly last: number; readonly count: number }
  readonly outcome: StoryRun["outcome"]
  /** Every seed, in order. */
  readonly runs: ReadonlyArray<SeedLine>
  /** Some of them whole: the first that failed and a few more of those, or the first seed where none has. */
  readonly shown: ReadonlyArray<StoryRun>
  readonly shrunk: Shrunk | undefined
}

/** What is said of every seed. */
export type SeedLine = Pick<StoryRun, "seed" | "outcome" | "failures" | "untold" | "endMillis" | "digest">

/** The least of a story that still fails in the same way. */
export interface Shrunk {
  readonly seed: number
  readonly yaml: string
  /** Whether it can be run as it stands: what TypeScript has of predicates, YAML can only name. */
  readonly isRunnable: boolean
  /** How many steps and faults it has, and how many there were. */
  readonly parts: number
  readonly partsBefore: number
  /** How often it was played to find it. */
  readonly plays: number
  /** How many writes there were in those. */
  readonly writes: number
  /** Whether nothing more can be left out; otherwise the number of plays, or of writes, was used up. */
  readonly isLeast: boolean
}

/** How a story was shrunk, in a sentence. */
export const shrunkText = ({ isRunnable, parts, partsBefore, plays, writes, isLeast }: Shrunk): string =>
  `${parts} of ${partsBefore} steps and faults are left, found in ${counted(plays, "play")}` +
  (isLeast
    ? "."
    : ` with ${counted(writes, "write")}; there the search stopped, so that it may not be the least.`) +
  (isRunnable ? "" : " It has a predicate of TypeScript in it, which YAML can only name.")

const shownMax = 5

/** Puts together what came of all seeds, which are given in their order. */
export const storyReport = (
  about: Pick<StoryReport, "story" | "description" | "file" | "version">,
  runs: ReadonlyArray<StoryRun>,
  shrunk?: Shrunk
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
    shown: failed.length > 0 ? failed.slice(0, shownMax) : runs.slice(0, 1),
    shrunk
  }
}

/** A story has passed when it has with every seed. */
const outcomeOf = (runs: ReadonlyArray<StoryRun>): StoryRun["outcome"] => {
  const has = (outcome: StoryRun["outcome"]): boolean => runs.some((run) => run.outcome === outcome)
  return has("failed") ? "failed" : has("unsettled") ? "unsettled" : "passed"
}

/**
 * A run that passed is told by a line: all that happened in it is left behind in the thread that played it, so that
 * many seeds take little memory.
 */
export const withoutDetail = (run: StoryRun): StoryRun => ({
  ...run,
  steps: [],
  faults: [],
  deployments: [],
  services: [],
  events: []
})

/** The command that plays one seed again. */
export const repeatCommand = (file: string, seed: number): string =>
  `charthouse run ${/^[\w./@%+:=-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`} --seed ${seed}`
