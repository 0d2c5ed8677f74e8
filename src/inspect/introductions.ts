import { actorFrame, snapshotFrame } from "./frames.ts"
import type { FrameAbout } from "./frames.ts"
import type { Living, LivingActor } from "./living.ts"
import type { Viewer } from "./relay.ts"
import type { Snapshot } from "xstate"

/** One viewer, and whom it has met. */
export interface Viewing {
  readonly viewer: Viewer
  readonly introduced: WeakSet<LivingActor>
  /** The sources of events that are no actors here. */
  readonly met: Set<string>
}

export const aboutOf = ({ ref, rootId }: LivingActor, millis: number): FrameAbout => ({
  sessionId: ref.sessionId,
  rootId,
  millis
})

/** The whole picture, one actor a batch; those that came to an end before their turn are left out. */
export function* introduceAll(viewing: Viewing, living: Living): Generator<ReadonlyArray<string>> {
  for (const actor of living.all()) yield* introduce(viewing, living, actor)
}

/** The frames that introduce an actor, after those of its owners, to someone who has not met them. */
export function* introduce(
  viewing: Viewing,
  living: Living,
  actor: LivingActor
): Generator<ReadonlyArray<string>> {
  for (const next of strangers(viewing, living, actor)) {
    if (!living.has(next) || viewing.introduced.has(next)) continue
    viewing.introduced.add(next)
    yield introduction(living, next)
  }
}

/** The actor and its owners as far up as the viewer has not met them, the uppermost first. */
const strangers = (viewing: Viewing, living: Living, actor: LivingActor): ReadonlyArray<LivingActor> => {
  const line: Array<LivingActor> = []
  for (let next: LivingActor | undefined = actor; next !== undefined; next = living.parentOf(next)) {
    // Users write owner references: they may well go round in a circle.
    if (viewing.introduced.has(next) || line.includes(next)) break
    line.unshift(next)
  }
  return line
}

/** Somebody outside, or an actor that is not shown: a source of events with no chart. */
export const introduceSource = (viewing: Viewing, source: string, millis: number): ReadonlyArray<string> => {
  if (viewing.met.has(source)) return []
  viewing.met.add(source)
  const about = { sessionId: source, rootId: source, millis }
  return [actorFrame(about, { name: source, parentId: undefined, logic: undefined, snapshot: present })]
}

const present: Snapshot<unknown> = { status: "active", output: undefined, error: undefined }

const introduction = (living: Living, actor: LivingActor): ReadonlyArray<string> => {
  const { ref, startMillis, latest } = actor
  const introduced = actorFrame(aboutOf(actor, startMillis), {
    name: living.nameOf(actor),
    parentId: living.parentOf(actor)?.ref.sessionId,
    logic: ref.logic,
    snapshot: latest?.snapshot ?? ref.getSnapshot()
  })
  return latest === undefined
    ? [introduced]
    : [introduced, snapshotFrame(aboutOf(actor, latest.millis), latest.event, latest.snapshot)]
}
