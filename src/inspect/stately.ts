import type { AnyEventObject, InspectionEvent, Snapshot } from "xstate"
import { eventFrame, snapshotFrame } from "./frames.ts"
import { aboutOf, introduce, introduceAll } from "./introductions.ts"
import { makeLiving } from "./living.ts"
import { openRelay } from "./relay.ts"
import type { Viewing } from "./introductions.ts"
import type { LivingActor } from "./living.ts"

export interface InspectorOptions {
  /** Any free port by default. */
  readonly port?: number
  readonly host?: "127.0.0.1"
  /** What a viewer calls a root actor, by its id; the id itself by default. */
  readonly nameOf?: (id: string) => string
  /**
   * The id of the root actor under which another is shown: its owner's. Asked each time an actor is
   * introduced.
   */
  readonly parentOf?: (id: string) => string | undefined
}

export interface Inspector {
  /** The page to open. WebSocket clients connect to the same address with `ws:` in front. */
  readonly url: string
  /** To be given to the cluster, or to any `createActor`. */
  readonly inspect: (event: InspectionEvent) => void
  /** Parts from every viewer and leaves nothing behind; safe to call more than once. */
  readonly close: () => Promise<void>
}

/**
 * Streams running actors to Stately's inspector, and to any other receiver of its frames. Whoever connects is first
 * shown every actor that lives and where it is, owners before what they own; then all that happens. While nobody looks,
 * no frame is made.
 */
export const openInspector = async (options: InspectorOptions = {}): Promise<Inspector> => {
  const { port = 0, host = "127.0.0.1", nameOf = (id) => id, parentOf = () => undefined } = options
  const viewings = new Set<Viewing>()
  const living = makeLiving({ nameOf, parentOf })

  const relay = await openRelay({
    port,
    host,
    onViewer: (viewer) => {
      const viewing: Viewing = { viewer, introduced: new WeakSet() }
      viewings.add(viewing)
      viewer.sendPaced(introduceAll(viewing, living))
      return () => viewings.delete(viewing)
    }
  })

  const introduceToAll = (actor: LivingActor): void => {
    for (const viewing of viewings) {
      for (const frames of introduce(viewing, living, actor)) frames.forEach(viewing.viewer.send)
    }
  }
  /** Who has not been introduced to the actor yet will be, with all that has happened to it until then. */
  const tellAll = (actor: LivingActor, makeFrame: () => string): void => {
    let made: Buffer | undefined
    for (const { viewer, introduced } of viewings) {
      if (introduced.has(actor)) viewer.send((made ??= Buffer.from(makeFrame())))
    }
  }
  /** The last event that each actor was sent in the present turn of the event loop. */
  const stirred = new Map<LivingActor, AnyEventObject>()
  const note = (actor: LivingActor, event: AnyEventObject, snapshot: Snapshot<unknown>): void => {
    const latest = { event, snapshot, millis: Date.now() }
    actor.latest = latest
    tellAll(actor, () => snapshotFrame(aboutOf(actor, latest.millis), event, snapshot))
    if (snapshot.status === "active") return
    living.forget(actor)
    stirred.delete(actor)
  }

  // An actor whose chart throws tells of the event and of nothing after it. Actors run synchronously, so
  // that all
  // who were sent something have come through it when the present turn of the event loop is over.
  let willTellFailed = false
  const tellFailed = (): void => {
    willTellFailed = false
    for (const [actor, event] of stirred) {
      const snapshot = actor.ref.getSnapshot()
      if (living.has(actor) && snapshot.status !== "active") note(actor, event, snapshot)
    }
    stirred.clear()
  }
  const stir = (actor: LivingActor, event: AnyEventObject): void => {
    stirred.set(actor, event)
    if (willTellFailed) return
    willTellFailed = true
    queueMicrotask(tellFailed)
  }

  let isClosed = false
  const inspect = (told: InspectionEvent): void => {
    if (isClosed) return
    if (told.type === "@xstate.event") {
      // An actor counts from its start: some are made and thrown away without one, and tell nobody.
      const isStart = told.event.type === startType
      const actor = isStart ? living.add(told) : living.get(told.actorRef.sessionId)
      if (actor === undefined) return
      if (isStart) introduceToAll(actor)
      stir(actor, told.event)
      const sourceId = told.sourceRef?.sessionId
      tellAll(actor, () => eventFrame(aboutOf(actor, Date.now()), told.event, sourceId))
    } else if (told.type === "@xstate.snapshot") {
      const actor = living.get(told.actorRef.sessionId)
      if (actor === undefined) return
      // Asked of the actor itself: where its first actions throw, the snapshot it tells of does not say so.
      note(actor, told.event, actor.ref.getSnapshot())
    }
  }

  return {
    url: relay.url,
    inspect,
    close: () => {
      isClosed = true
      living.clear()
      stirred.clear()
      return relay.close()
    }
  }
}

/** The event every actor is started with. */
const startType = "xstate.init"
