import * as Effect from "effect/Effect"
import { failureTexts } from "../../reports/failureText.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { listenForSignals } from "../terminal/signals.ts"
import { inspectStory } from "./inspectStory.ts"
import { openStory } from "../../scenario/stories/playing/openStory.ts"
import { badInput, reportBadInput } from "../input/badInput.ts"
import { readStories } from "./readStories.ts"
import { renderCluster } from "../rendering/openRenderedCluster.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { serveRenderedCluster } from "../up/serveRenderedCluster.ts"
import { virtualClock } from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"
import type { StoryInspectOptions } from "./inspectStory.ts"
import type { ServingOptions } from "../up/serveRenderedCluster.ts"

interface ServeStoryOptions extends ServingOptions {
  readonly paths: ReadonlyArray<string>
  /** The first is played; by default the story's own. */
  readonly seeds: ReadonlyArray<number> | undefined
  /** The cluster's time at which the story stops. */
  readonly untilMillis: number
  readonly inspect?: StoryInspectOptions | undefined
}

/** The served cluster has a paused clock, which `charthouse clock` advances. */
export const serveStory = (options: ServeStoryOptions): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { untilMillis } = options
      const [storyToServe, furtherStory] = yield* readStories(options)
      if (storyToServe === undefined || furtherStory !== undefined)
        return yield* badInput("--up serves one story, and these are several")
      const { story, seeds } = storyToServe
      const [seed = 1] = seeds
      const shutdown = yield* listenForSignals
      const inspectOptions = options.inspect === undefined ? {} : yield* inspectStory(options.inspect)
      const { cluster, run } = yield* Effect.orDie(
        openStory(story, { seed, untilMillis, record: true, ...inspectOptions })
      )
      const renderedCluster = yield* renderCluster(cluster, {
        clock: virtualClock,
        seed,
        nodes: [...cluster.view.all(resources.nodes)].length,
        output: undefined,
        startMillis: cluster.nowMillis() - run.endMillis,
        keepInspectorOpen: Effect.void
      })
      const stoppedEarlyText =
        run.endMillis < untilMillis ? `, not ${formatDuration(untilMillis)}: the story ended there` : ""
      const elapsedText = `${formatDuration(run.endMillis)} since it began${stoppedEarlyText}`
      renderedCluster.print(renderedCluster.palette.dim(`# ${story.name} with seed ${seed}, ${elapsedText}`))
      const failures = failureTexts(run).flatMap((text) => text.split("\n"))
      for (const line of failures) renderedCluster.print(renderedCluster.palette.bad(line))
      return yield* serveRenderedCluster(renderedCluster, { ...options, shutdown, play: Effect.void })
    })
  ).pipe(reportBadInput)
