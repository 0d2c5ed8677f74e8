import * as Effect from "effect/Effect"
import { waitForViewer } from "../rendering/openRenderedCluster.ts"
import { badInput } from "../input/badInput.ts"
import { openInspection } from "../rendering/openInspection.ts"
import { openStory } from "../../scenario/stories/playing/openStory.ts"
import type { BadInput } from "../input/badInput.ts"
import type * as Scope from "effect/Scope"
import type { OpenStoryOptions } from "../../scenario/stories/playing/openStory.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { StoryRun } from "../../scenario/stories/storyRun.ts"
import type { SeededStory } from "./readStories.ts"

export interface StoryInspectOptions {
  readonly port: number
  readonly selectedObjects: string | undefined
}

export const inspectStory = Effect.fnUntraced(function* ({
  port,
  selectedObjects
}: StoryInspectOptions): Effect.fn.Return<
  Pick<OpenStoryOptions, "inspect" | "onOpen">,
  BadInput,
  Scope.Scope
> {
  const { inspect, attachTo } = yield* openInspection(port, selectedObjects)
  // A story has no input files: selected objects of later steps are printed as not existing yet.
  return { inspect, onOpen: (cluster: Cluster["Service"]) => attachTo(cluster, { files: [] }) }
})

/** On a terminal, waits until the inspector's page is open. */
export const playInspectedStory = Effect.fnUntraced(function* (
  stories: ReadonlyArray<SeededStory>,
  inspect: StoryInspectOptions
): Effect.fn.Return<
  { readonly runs: ReadonlyArray<ReadonlyArray<StoryRun>>; readonly keepInspectorOpen: Effect.Effect<void> },
  BadInput,
  Scope.Scope
> {
  const [firstStory, secondStory] = stories
  const [seed, ...otherSeeds] = firstStory?.seeds ?? []
  if (firstStory === undefined || secondStory !== undefined || otherSeeds.length > 0) {
    return yield* badInput("--inspect shows one story with one seed: say which")
  }
  const inspectOptions = yield* inspectStory(inspect)
  const { keepInspectorOpen } = yield* waitForViewer()
  const { run } = yield* Effect.orDie(
    openStory(firstStory.story, { ...inspectOptions, ...(seed === undefined ? {} : { seed }) })
  )
  return { runs: [[run]], keepInspectorOpen }
})
