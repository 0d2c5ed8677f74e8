import * as Effect from "effect/Effect"
import { failureTexts } from "../reports/failureText.ts"
import { formatDuration } from "../domain/durations.ts"
import { hearSignals } from "./leaving.ts"
import { inspectStory } from "./storyInspect.ts"
import { openStory } from "../scenario/stories/openStory.ts"
import { badInput, refusing } from "./badInput.ts"
import { readStories } from "./readStories.ts"
import { setStage } from "./openStage.ts"
import { resources } from "../domain/kinds.ts"
import { serveStage } from "./serveStage.ts"
import type { ExitCode } from "./exitCode.ts"
import type { StoryInspect } from "./storyInspect.ts"
import type { Serving } from "./serveStage.ts"

/** What is asked for on the command line. */
interface StoryUpOptions extends Serving {
  readonly paths: ReadonlyArray<string>
  readonly seeds: ReadonlyArray<number> | undefined
  /** How far the story is played. */
  readonly untilMillis: number
  /** Whether its statecharts are looked at. */
  readonly inspect?: StoryInspect | undefined
}

/**
 * Plays a story up to a moment and serves the cluster as it is then, with its clock standing: kubectl can look around,
 * and `charthouse clock` moves on.
 */
export const serveStories = (options: StoryUpOptions): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { untilMillis } = options
      const [told, another] = yield* readStories(options)
      if (told === undefined || another !== undefined)
        return yield* badInput("--up serves one story, and these are several")
      const { story, seeds } = told
      const [seed = 1] = seeds
      const leaving = yield* hearSignals
      const inspected = options.inspect === undefined ? {} : yield* inspectStory(options.inspect)
      const { cluster, run } = yield* Effect.orDie(
        openStory(story, { seed, untilMillis, record: true, ...inspected })
      )
      const stage = yield* setStage(cluster, {
        clock: { text: "virtual", setting: "virtual" },
        seed,
        nodes: [...cluster.view.all(resources.nodes)].length,
        output: undefined,
        startMillis: cluster.nowMillis() - run.endMillis,
        linger: Effect.void
      })
      const limit =
        run.endMillis < untilMillis ? `, and not ${formatDuration(untilMillis)}: it went no further` : ""
      const since = `${formatDuration(run.endMillis)} since it began${limit}`
      stage.print(stage.palette.dim(`# ${story.name} with seed ${seed}, ${since}`))
      const failures = failureTexts(run).flatMap((text) => text.split("\n"))
      for (const line of failures) stage.print(stage.palette.bad(line))
      return yield* serveStage(stage, { ...options, leaving, playing: Effect.void })
    })
  ).pipe(refusing)
