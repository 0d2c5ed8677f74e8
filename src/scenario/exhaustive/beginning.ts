import { chapterIdOf, failuresOf, taleOf } from "./moves.ts"
import { OutOfScope } from "./step.ts"
import { dequal } from "dequal/lite"
import { deepFreeze } from "../../domain/freeze.ts"
import { stayingAnnotations } from "../../domain/revisions.ts"
import type { Deployment } from "../../domain/objects.ts"
import type { Packed } from "./brood.ts"
import type { Chapters } from "./chapters.ts"
import type { Moves, Tale } from "./moves.ts"

/** One state of a small world. */
export interface World {
  readonly first: Packed
  readonly second: Packed
  readonly tale: Tale
}

/** No rollout of a handful of Pods takes as many steps when everything goes well. */
const stepsMax = 10_000

/**
 * Brings up what runs before, without a failure, until nothing is left to do, and then asks for what is next. A pause
 * comes once all that it would hold up is there. Where nothing ran before it is only asked for.
 */
export const beginning = (options: {
  readonly from: Deployment | undefined
  readonly next: Deployment
  readonly chapters: Chapters
  readonly moves: Moves
}): World => {
  const { chapters, moves } = options
  const next = deepFreeze(options.next)
  if (options.from === undefined) {
    const asked = withGeneration(next, 1)
    return { first: 0, second: 0, tale: taleOf(chapters.of(asked, []), 0) }
  }
  const from = deepFreeze(options.from)
  const isPaused = from.spec.paused === true
  const begun = withGeneration(isPaused ? unpaused(from) : from, 1)
  const running = settle({ first: 0, second: 0, tale: taleOf(chapters.of(begun, []), 0) }, moves)
  const settled = isPaused ? settle(applied(running, from, chapters), moves) : running
  return applied(settled, next, chapters)
}

/** The same world once somebody has applied this to the Deployment of it. */
const applied = (world: World, written: Deployment, chapters: Chapters): World => {
  const { deployment, replicaSets } = chapters.at(chapterIdOf(world.tale))
  const { generation = 1 } = deployment.metadata
  const asked = withGeneration(written, dequal(deployment.spec, written.spec) ? generation : generation + 1)
  const changed: Deployment = {
    ...asked,
    metadata: {
      ...asked.metadata,
      uid: deployment.metadata.uid,
      annotations: { ...asked.metadata.annotations, ...stayingAnnotations(deployment.metadata.annotations) }
    },
    status: deployment.status
  }
  return { ...world, tale: taleOf(chapters.of(changed, replicaSets), 0) }
}

const withGeneration = (deployment: Deployment, generation: number): Deployment => ({
  ...deployment,
  metadata: { ...deployment.metadata, generation },
  status: {}
})

const unpaused = (deployment: Deployment): Deployment => {
  const { paused: _paused, ...spec } = deployment.spec
  return { ...deployment, spec }
}

/** Takes the last of what may happen by itself, which is all that a turn comes to, until there is none. */
const settle = (world: World, moves: Moves): World => {
  let now = world
  for (let steps = 0; steps < stepsMax; steps += 1) {
    let after: World | undefined
    moves.from(now.first, now.second, now.tale, {
      reach: (first, second, tale) => {
        if (failuresOf(tale) === 0) after = { first, second, tale }
      },
      broken: () => {}
    })
    if (after === undefined) return now
    now = after
  }
  throw new OutOfScope("what runs before never settles")
}
