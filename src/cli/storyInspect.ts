import * as Effect from "effect/Effect"
import { attended } from "./openStage.ts"
import { badInput } from "./badInput.ts"
import { openInspection } from "./inspectFlag.ts"
import { openStory } from "../scenario/stories/openStory.ts"
import type { BadInput } from "./badInput.ts"
import type * as Scope from "effect/Scope"
import type { Cluster } from "../cluster.ts"
import type { StoryRun } from "../scenario/stories/storyRun.ts"
import type { Told } from "./readStories.ts"

/** Who looks at a story's statecharts, and where. */
export interface StoryInspect {
  readonly port: number
  /** Everybody where it is left out. */
  readonly only: string | undefined
}

/** Opens the inspector for a story that is about to be opened, and gives what that has to be told. */
export const inspectStory = Effect.fnUntraced(function* ({
  port,
  only
}: StoryInspect): Effect.fn.Return<
  Pick<NonNullable<Parameters<typeof openStory>[1]>, "inspect" | "opened">,
  BadInput,
  Scope.Scope
> {
  const { inspect, begin } = yield* openInspection(port, only)
  // What a story has at its start is not there before it begins.
  return { inspect, opened: (cluster: Cluster["Service"]) => begin(cluster, { files: [] }) }
})

/**
 * Plays one story with one seed in this process, where its statecharts can be looked at; many are played on threads,
 * and faster than anybody looks. On a terminal it waits for whoever opens the inspector's page, until the scope ends.
 */
export const playInspected = Effect.fnUntraced(function* (
  told: ReadonlyArray<Told>,
  inspect: StoryInspect
): Effect.fn.Return<
  { readonly runs: ReadonlyArray<ReadonlyArray<StoryRun>>; readonly linger: Effect.Effect<void> },
  BadInput,
  Scope.Scope
> {
  const [one, another] = told
  const [seed, ...seeds] = one?.seeds ?? []
  if (one === undefined || another !== undefined || seeds.length > 0) {
    return yield* badInput("--inspect shows one story with one seed: say which")
  }
  const inspected = yield* inspectStory(inspect)
  const { linger } = yield* attended(true)
  const { run } = yield* Effect.orDie(
    openStory(one.story, { ...inspected, ...(seed === undefined ? {} : { seed }) })
  )
  return { runs: [[run]], linger }
})
