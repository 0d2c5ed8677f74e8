import { actorFrame, snapshotFrame } from "./inspectorFrames.ts"
import type { FrameHeader } from "./inspectorFrames.ts"
import type { LivingActors, LivingActor } from "./livingActors.ts"
import type { InspectorViewer } from "./inspectorRelay.ts"
import type { Snapshot } from "xstate"

export interface ViewerSession {
  readonly viewer: InspectorViewer
  readonly announcedActors: WeakSet<LivingActor>
  /** Senders of events, other than shown actors. */
  readonly announcedSources: Set<string>
}

export const frameHeader = ({ ref, rootId }: LivingActor, millis: number): FrameHeader => ({
  sessionId: ref.sessionId,
  rootId,
  millis
})

/** One batch per actor; actors that stopped before their turn are skipped. */
export function* announceAll(session: ViewerSession, living: LivingActors): Generator<ReadonlyArray<string>> {
  for (const actor of living.shown()) yield* announceActor(session, living, actor)
}

export function* announceActor(
  session: ViewerSession,
  living: LivingActors,
  actor: LivingActor
): Generator<ReadonlyArray<string>> {
  for (const next of unannouncedChain(session, living, actor)) {
    if (!living.has(next) || session.announcedActors.has(next)) continue
    session.announcedActors.add(next)
    yield announcement(living, next)
  }
}

/** The outermost owner first, the actor last. */
const unannouncedChain = (
  session: ViewerSession,
  living: LivingActors,
  actor: LivingActor
): ReadonlyArray<LivingActor> => {
  const chain: Array<LivingActor> = []
  for (let next: LivingActor | undefined = actor; next !== undefined; next = living.parentOf(next)) {
    // Users write owner references, which may be cyclic.
    if (session.announcedActors.has(next) || chain.includes(next)) break
    chain.unshift(next)
  }
  return chain
}

/** The source is a client, or an actor that is not shown. */
export const announceSource = (
  session: ViewerSession,
  source: string,
  millis: number
): ReadonlyArray<string> => {
  if (session.announcedSources.has(source)) return []
  session.announcedSources.add(source)
  const header = { sessionId: source, rootId: source, millis }
  return [
    actorFrame(header, { name: source, parentId: undefined, logic: undefined, snapshot: activeSnapshot })
  ]
}

const activeSnapshot: Snapshot<unknown> = { status: "active", output: undefined, error: undefined }

const announcement = (living: LivingActors, actor: LivingActor): ReadonlyArray<string> => {
  const { ref, startMillis, lastTransition } = actor
  const frame = actorFrame(frameHeader(actor, startMillis), {
    name: living.nameOf(actor),
    parentId: living.parentOf(actor)?.ref.sessionId,
    logic: ref.logic,
    snapshot: lastTransition?.snapshot ?? ref.getSnapshot()
  })
  return lastTransition === undefined
    ? [frame]
    : [
        frame,
        snapshotFrame(
          frameHeader(actor, lastTransition.millis),
          lastTransition.event,
          lastTransition.snapshot
        )
      ]
}
