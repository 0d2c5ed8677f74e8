import { actorFrame, snapshotFrame } from "./inspectorFrames.ts"
import type { FrameHeader } from "./inspectorFrames.ts"
import type { LivingActors, LivingActor } from "./livingActors.ts"
import type { InspectorViewer } from "./inspectorRelay.ts"
import type { Snapshot } from "xstate"

/** A viewer, and which actors have been announced to it. */
export interface ViewerSession {
  readonly viewer: InspectorViewer
  readonly announcedActors: WeakSet<LivingActor>
  readonly announcedSources: Set<string>
}

export const frameHeader = ({ ref, rootId }: LivingActor, millis: number): FrameHeader => ({
  sessionId: ref.sessionId,
  rootId,
  millis
})

/** Announces all actors, one batch each; actors that stopped before their turn are skipped. */
export function* announceAll(viewing: ViewerSession, living: LivingActors): Generator<ReadonlyArray<string>> {
  for (const actor of living.all()) yield* announceActor(viewing, living, actor)
}

export function* announceActor(
  viewing: ViewerSession,
  living: LivingActors,
  actor: LivingActor
): Generator<ReadonlyArray<string>> {
  for (const next of unannounced(viewing, living, actor)) {
    if (!living.has(next) || viewing.announcedActors.has(next)) continue
    viewing.announcedActors.add(next)
    yield announcement(living, next)
  }
}

const unannounced = (
  viewing: ViewerSession,
  living: LivingActors,
  actor: LivingActor
): ReadonlyArray<LivingActor> => {
  const chain: Array<LivingActor> = []
  for (let next: LivingActor | undefined = actor; next !== undefined; next = living.parentOf(next)) {
    // Owner references are written by users and may be cyclic.
    if (viewing.announcedActors.has(next) || chain.includes(next)) break
    chain.unshift(next)
  }
  return chain
}

/** Announces a source without a chart: a client, or an actor that is not shown. */
export const announceSource = (
  viewing: ViewerSession,
  source: string,
  millis: number
): ReadonlyArray<string> => {
  if (viewing.announcedSources.has(source)) return []
  viewing.announcedSources.add(source)
  const header = { sessionId: source, rootId: source, millis }
  return [
    actorFrame(header, { name: source, parentId: undefined, logic: undefined, snapshot: activeSnapshot })
  ]
}

const activeSnapshot: Snapshot<unknown> = { status: "active", output: undefined, error: undefined }

const announcement = (living: LivingActors, actor: LivingActor): ReadonlyArray<string> => {
  const { ref, startMillis, latest } = actor
  const frame = actorFrame(frameHeader(actor, startMillis), {
    name: living.nameOf(actor),
    parentId: living.parentOf(actor)?.ref.sessionId,
    logic: ref.logic,
    snapshot: latest?.snapshot ?? ref.getSnapshot()
  })
  return latest === undefined
    ? [frame]
    : [frame, snapshotFrame(frameHeader(actor, latest.millis), latest.event, latest.snapshot)]
}
