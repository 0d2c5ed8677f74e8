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
import type { StoryRun } from "../../scenario/stories/storyRun.ts"
import type { SeededStory } from "./readStories.ts"

const runStoryJobs = (options: Omit<Parameters<typeof runOnThreads<"stories">>[0], "errand">) =>
  Effect.mapError(runOnThreads({ ...options, errand: "stories" }), ({ message }) => badInput(message))

/** With fewer runs, starting a thread takes longer. */
const playsForThread = 8

const recordingsForThread = 2

/** Plays every story with every seed. `onStoryEnd` receives each story's runs, in order, when they are complete. */
export const playStories = Effect.fnUntraced(function* (
  stories: ReadonlyArray<SeededStory>,
  onStoryEnd: (runs: ReadonlyArray<StoryRun>, index: number) => void
): Effect.fn.Return<ReadonlyArray<ReadonlyArray<StoryRun>>, BadInput> {
  const turns: ReadonlyArray<StoryJob> = stories.flatMap(({ seeds }, story) =>
    seeds.map((seed, index) => ({ story, seed, isWhole: index === 0 }))
  )
  const runs = stories.map((): Array<StoryRun> => [])
  yield* runStoryJobs({
    sent: stories.map(({ source }) => source),
    turns,
    turnsForThread: playsForThread,
    tell: (answer: StoryJobResult, index) => {
      const turn = turns[index]
      const storyRuns = turn === undefined ? undefined : runs[turn.story]
      if (turn === undefined || storyRuns === undefined || !("run" in answer)) return
      storyRuns.push(answer.run)
      if (storyRuns.length === stories[turn.story]?.seeds.length) onStoryEnd(storyRuns, turn.story)
    }
  })
  return runs
})

/** Shrinks each failed story to the smallest one that fails as its first failed seed. */
export const shrinkStories = Effect.fnUntraced(function* (
  stories: ReadonlyArray<SeededStory>,
  runs: ReadonlyArray<ReadonlyArray<StoryRun>>
): Effect.fn.Return<ReadonlyMap<number, ShrunkStory>, BadInput> {
  const turns = runs.flatMap((storyRuns, story) => {
    const failed = storyRuns.find(({ outcome }) => outcome !== "passed")
    // A story that did not fail as expected would shrink to nothing.
    return failed === undefined || failed.failures[0]?.type === "expectation" ? [] : [{ story, failed }]
  })
  const answers = yield* runStoryJobs({
    sent: stories.map(({ source }) => source),
    turns,
    turnsForThread: 1
  })
  return new Map(
    answers.flatMap((answer, index) => {
      const turn = turns[index]
      return turn !== undefined && "shrunk" in answer ? [[turn.story, answer.shrunk] as const] : []
    })
  )
})

export const recordStories = Effect.fnUntraced(function* (
  stories: ReadonlyArray<SeededStory>,
  reports: ReadonlyArray<StoryReport>
): Effect.fn.Return<ReadonlyMap<StoryReport, ReportRecordings>, BadInput> {
  const runsToRecord = reports.flatMap((report, story) =>
    report.shown
      .slice(0, recordingsMax)
      .map((run) => ({ report, run, turn: { story, recordedSeed: run.seed } }))
  )
  const answers = yield* runStoryJobs({
    sent: stories.map(({ source }) => source),
    turns: runsToRecord.map(({ turn }) => turn),
    turnsForThread: recordingsForThread
  })
  return new Map(
    reports.map((report) => {
      const runs = runsToRecord.flatMap(({ report: of, run: { seed, digest } }, index) => {
        const answer = answers[index]
        if (of !== report || answer === undefined || !("recorded" in answer)) return []
        const recorded = answer.digest === digest ? answer.recorded : undefined
        return [{ seed, title: `seed ${seed}`, recorded }]
      })
      const { recordings, leftOut } = reportRecordingsOf(runs, { whose: `${report.story}: `, advice })
      return [report, { recordings, leftOut: [...leftOut, ...notRecordedTexts(report)] }] as const
    })
  )
})

const advice =
  " The same seed comes to the same unless the story has code of its own that depends on something else."

const notRecordedTexts = ({ file, shown }: StoryReport): ReadonlyArray<string> => {
  const [first, ...more] = shown.slice(recordingsMax).map(({ seed }) => seed)
  if (first === undefined) return []
  const seeds = more.length === 0 ? `Seed ${first} is` : `Seeds ${[first, ...more].join(", ")} are`
  return [
    `${seeds} not recorded here; ${repeatCommand(file, first)} --report html is a page with its recording.`
  ]
}
