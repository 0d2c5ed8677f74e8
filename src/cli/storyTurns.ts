import * as Effect from "effect/Effect"
import { badInput } from "./badInput.ts"
import { recordedOf } from "./playedAgain.ts"
import { shareOut } from "./threads.ts"
import { repeatCommand } from "../reports/storyReport.ts"
import { recordingsMax } from "../reports/reportPage.ts"
import type { BadInput } from "./badInput.ts"
import type { Recorded } from "../reports/reportPage.ts"
import type { Shrunk, StoryReport } from "../reports/storyReport.ts"
import type { StoryAnswer, StoryTurn } from "./storyErrand.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"
import type { Told } from "./readStories.ts"

const share = (options: Omit<Parameters<typeof shareOut<"stories">>[0], "errand">) =>
  Effect.mapError(shareOut({ ...options, errand: "stories" }), ({ message }) => badInput(message))

/** A play takes long enough that a few of them are worth a thread. */
const playsForThread = 8

/** To record one takes longer than to play it. */
const recordingsForThread = 2

/** Every story with every seed; `tell` hears of a story when its last seed is there, in order. */
export const playAll = Effect.fnUntraced(function* (
  told: ReadonlyArray<Told>,
  tell: (runs: ReadonlyArray<StoryRun>, index: number) => void
): Effect.fn.Return<ReadonlyArray<ReadonlyArray<StoryRun>>, BadInput> {
  const turns: ReadonlyArray<StoryTurn> = told.flatMap(({ seeds }, story) =>
    seeds.map((seed, index) => ({ story, seed, isWhole: index === 0 }))
  )
  const runs = told.map((): Array<StoryRun> => [])
  yield* share({
    sent: told.map(({ source }) => source),
    turns,
    turnsForThread: playsForThread,
    tell: (answer: StoryAnswer, index) => {
      const turn = turns[index]
      const own = turn === undefined ? undefined : runs[turn.story]
      if (turn === undefined || own === undefined || !("run" in answer)) return
      own.push(answer.run)
      if (own.length === told[turn.story]?.seeds.length) tell(own, turn.story)
    }
  })
  return runs
})

/** Of each story that failed, the least that fails as its first seed that did. */
export const shrinkAll = Effect.fnUntraced(function* (
  told: ReadonlyArray<Told>,
  runs: ReadonlyArray<ReadonlyArray<StoryRun>>
): Effect.fn.Return<ReadonlyMap<number, Shrunk>, BadInput> {
  const turns = runs.flatMap((own, story) => {
    const failed = own.find(({ outcome }) => outcome !== "passed")
    // Of one that was to fail and did not, nothing would be left.
    return failed === undefined || failed.failures[0]?.type === "expectation" ? [] : [{ story, failed }]
  })
  const answers = yield* share({
    sent: told.map(({ source }) => source),
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

/** Plays once more what reports show, and records it. */
export const recordAll = Effect.fnUntraced(function* (
  told: ReadonlyArray<Told>,
  reports: ReadonlyArray<StoryReport>
): Effect.fn.Return<ReadonlyMap<StoryReport, Recorded>, BadInput> {
  const wanted = reports.flatMap((report, story) =>
    report.shown
      .slice(0, recordingsMax)
      .map((run) => ({ report, run, turn: { story, recordedSeed: run.seed } }))
  )
  const answers = yield* share({
    sent: told.map(({ source }) => source),
    turns: wanted.map(({ turn }) => turn),
    turnsForThread: recordingsForThread
  })
  return new Map(
    reports.map((report) => {
      const runs = wanted.flatMap(({ report: of, run: { seed, digest } }, index) => {
        const answer = answers[index]
        if (of !== report || answer === undefined || !("recorded" in answer)) return []
        const recorded = answer.digest === digest ? answer.recorded : undefined
        return [{ seed, title: `seed ${seed}`, recorded }]
      })
      const { recordings, leftOut } = recordedOf(runs, { whose: `${report.story}: `, advice })
      return [report, { recordings, leftOut: [...leftOut, ...beyond(report)] }] as const
    })
  )
})

const advice =
  " The same seed comes to the same unless the story has code of its own that depends on something else."

/** What a report shows and nobody can watch in it. */
const beyond = ({ file, shown }: StoryReport): ReadonlyArray<string> => {
  const [first, ...more] = shown.slice(recordingsMax).map(({ seed }) => seed)
  if (first === undefined) return []
  const seeds = more.length === 0 ? `Seed ${first} is` : `Seeds ${[first, ...more].join(", ")} are`
  return [
    `${seeds} not recorded here; ${repeatCommand(file, first)} --report html is a page with its recording.`
  ]
}
