import { actorFrame, snapshotFrame } from "./frames.ts"
import type { FrameAbout } from "./frames.ts"
import type { Living, LivingActor } from "./living.ts"
import type { Viewer } from "./relay.ts"
import type { Snapshot } from "xstate"

/** A viewer, and which actors have been announced to it. */
export interface Viewing {
  readonly viewer: Viewer
  readonly introduced: WeakSet<LivingActor>
  readonly met: Set<string>
}

export const aboutOf = ({ ref, rootId }: LivingActor, millis: number): FrameAbout => ({
  sessionId: ref.sessionId,
  rootId,
  millis
})

/** Announces all actors, one batch each; actors that stopped before their turn are skipped. */
export function* introduceAll(viewing: Viewing, living: Living): Generator<ReadonlyArray<string>> {
  for (const actor of living.all()) yield* introduce(viewing, living, actor)
}

export function* introduce(
  viewing: Viewing,
  living: Living,
  actor: LivingActor
): Generator<ReadonlyArray<string>> {
  for (const next of unannounced(viewing, living, actor)) {
    if (!living.has(next) || viewing.introduced.has(next)) continue
    viewing.introduced.add(next)
    yield announcement(living, next)
  }
}

const unannounced = (viewing: Viewing, living: Living, actor: LivingActor): ReadonlyArray<LivingActor> => {
  const chain: Array<LivingActor> = []
  for (let next: LivingActor | undefined = actor; next !== undefined; next = living.parentOf(next)) {
    // Owner references are written by users and may be cyclic.
    if (viewing.introduced.has(next) || chain.includes(next)) break
    chain.unshift(next)
  }
  return chain
}

/** Announces a source without a chart: a client, or an actor that is not shown. */
export const introduceSource = (viewing: Viewing, source: string, millis: number): ReadonlyArray<string> => {
  if (viewing.met.has(source)) return []
  viewing.met.add(source)
  const header = { sessionId: source, rootId: source, millis }
  return [
    actorFrame(header, { name: source, parentId: undefined, logic: undefined, snapshot: activeSnapshot })
  ]
}

const activeSnapshot: Snapshot<unknown> = { status: "active", output: undefined, error: undefined }

const announcement = (living: Living, actor: LivingActor): ReadonlyArray<string> => {
  const { ref, startMillis, latest } = actor
  const frame = actorFrame(aboutOf(actor, startMillis), {
    name: living.nameOf(actor),
    parentId: living.parentOf(actor)?.ref.sessionId,
    logic: ref.logic,
    snapshot: latest?.snapshot ?? ref.getSnapshot()
  })
  return latest === undefined
    ? [frame]
    : [frame, snapshotFrame(aboutOf(actor, latest.millis), latest.event, latest.snapshot)]
}
