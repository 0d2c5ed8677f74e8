import * as Effect from "effect/Effect"
import { badInput } from "../input/badInput.ts"
import { reportRecordingsOf } from "../pages/reportRecordings.ts"
import { runOnThreads } from "../threads/threads.ts"
import { repeatCommand } from "../../reports/storyReport.ts"
import { recordingsMax } from "../../reports/reportPage.ts"
import type { BadInput } from "../input/badInput.ts"
import type { ReportRecordings } from "../../reports/reportPage.ts"
import type { ShrunkStory, StoryReport } from "../../reports/storyReport.ts"
import type { StoryJobResult, StoryJob } from "../threads/storyTask.ts"
import type { ThreadRunOptions } from "../threads/threads.ts"
import type { StoryRun } from "../../scenario/stories/storyRun.ts"
import type { SeededStory } from "./readStories.ts"

const runStoryJobs = (options: Omit<ThreadRunOptions<"stories">, "task">) =>
  Effect.mapError(runOnThreads({ ...options, task: "stories" }), ({ message }) => badInput(message))

/** Starting a thread takes about as long as this many runs. */
const playsPerThread = 8

/** A recording takes longer than a play. */
const recordingsPerThread = 2

/** `onStoryEnd` receives each story's complete runs, in order. */
export const playStories = Effect.fnUntraced(function* (
  stories: ReadonlyArray<SeededStory>,
  onStoryEnd: (runs: ReadonlyArray<StoryRun>, index: number) => void
): Effect.fn.Return<ReadonlyArray<ReadonlyArray<StoryRun>>, BadInput> {
  // `story` is an index. Only the first seed's run needs all its details.
  const jobs: ReadonlyArray<StoryJob> = stories.flatMap(({ seeds }, story) =>
    seeds.map((seed, index) => ({ story, seed, keepsDetails: index === 0 }))
  )
  const runs = stories.map((): Array<StoryRun> => [])
  yield* runStoryJobs({
    input: stories.map(({ source }) => source),
    jobs,
    jobsPerThread: playsPerThread,
    onResult: (result: StoryJobResult, index) => {
      const job = jobs[index]
      const storyRuns = job === undefined ? undefined : runs[job.story]
      if (job === undefined || storyRuns === undefined || !("run" in result)) return
      storyRuns.push(result.run)
      if (storyRuns.length === stories[job.story]?.seeds.length) onStoryEnd(storyRuns, job.story)
    }
  })
  return runs
})

/** Finds the smallest story that fails as the first failed seed did. */
export const shrinkStories = Effect.fnUntraced(function* (
  stories: ReadonlyArray<SeededStory>,
  runs: ReadonlyArray<ReadonlyArray<StoryRun>>
): Effect.fn.Return<ReadonlyMap<number, ShrunkStory>, BadInput> {
  const jobs = runs.flatMap((storyRuns, story) => {
    const failed = storyRuns.find(({ outcome }) => outcome !== "passed")
    // A story that did not fail as expected would shrink to nothing.
    return failed === undefined || failed.failures[0]?.type === "expectation" ? [] : [{ story, failed }]
  })
  const results = yield* runStoryJobs({
    input: stories.map(({ source }) => source),
    jobs,
    jobsPerThread: 1
  })
  return new Map(
    results.flatMap((result, index) => {
      const job = jobs[index]
      return job !== undefined && "shrunk" in result ? [[job.story, result.shrunk] as const] : []
    })
  )
})

export const recordStories = Effect.fnUntraced(function* (
  stories: ReadonlyArray<SeededStory>,
  reports: ReadonlyArray<StoryReport>
): Effect.fn.Return<ReadonlyMap<StoryReport, ReportRecordings>, BadInput> {
  // A report shows its first failed runs, or the first run if all passed.
  const runsToRecord = reports.flatMap((report, story) =>
    report.shownRuns
      .slice(0, recordingsMax)
      .map((run) => ({ report, run, job: { story, recordedSeed: run.seed } }))
  )
  const results = yield* runStoryJobs({
    input: stories.map(({ source }) => source),
    jobs: runsToRecord.map(({ job }) => job),
    jobsPerThread: recordingsPerThread
  })
  return new Map(
    reports.map((report) => {
      const runs = runsToRecord.flatMap(({ report: reportOfRun, run: { seed, digest } }, index) => {
        const result = results[index]
        if (reportOfRun !== report || result === undefined || !("recorded" in result)) return []
        // Equal digests: the replay went as the first run did.
        const matchingRecording = result.digest === digest ? result.recorded : undefined
        return [{ seed, title: `seed ${seed}`, recorded: matchingRecording }]
      })
      const { recordings, leftOutTexts } = reportRecordingsOf(runs, { prefix: `${report.story}: `, advice })
      return [report, { recordings, leftOutTexts: [...leftOutTexts, ...notRecordedTexts(report)] }] as const
    })
  )
})

const advice = " The same seed gives the same run unless code of the story itself depends on something else."

const notRecordedTexts = ({ file, shownRuns }: StoryReport): ReadonlyArray<string> => {
  const [firstSeed, ...otherSeeds] = shownRuns.slice(recordingsMax).map(({ seed }) => seed)
  if (firstSeed === undefined) return []
  const seeds =
    otherSeeds.length === 0 ? `Seed ${firstSeed} is` : `Seeds ${[firstSeed, ...otherSeeds].join(", ")} are`
  return [
    `${seeds} not recorded here; ${repeatCommand(file, firstSeed)} --report html is a page with its recording.`
  ]
}
