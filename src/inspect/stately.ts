import type { AnyEventObject, InspectionEvent, Snapshot } from "xstate"
import { eventFrame, snapshotFrame } from "./frames.ts"
import { aboutOf, introduce, introduceAll, introduceSource } from "./introductions.ts"
import { makeLiving } from "./living.ts"
import { makeOrigins } from "./origins.ts"
import { makeObserver } from "../runtime/observers.ts"
import { openRelay } from "./relay.ts"
import { selectedIds } from "./selection.ts"
import type { Followable } from "./origins.ts"
import type { Viewing } from "./introductions.ts"
import type { LivingActor } from "./living.ts"

export interface InspectorOptions {
  /** Any free port by default. */
  readonly port?: number
  readonly host?: "127.0.0.1"
  /** What a viewer calls a root actor, by its id; the id itself by default. */
  readonly nameOf?: (id: string) => string
  /**
   * The id of the root actor under which another is shown: its owner's. Asked each time an actor is introduced; what
   * `follow` has learned by default.
   */
  readonly parentOf?: (id: string) => string | undefined
  /**
   * Shows these and what they own, and nobody else: `deployment/web`, `pod/shop/web-1`. They need not be there yet.
   * Fails with `UnknownSelection` for what no actor can be called.
   */
  readonly chosen?: ReadonlyArray<string>
}

export interface Inspector {
  /** The page to open. WebSocket clients connect to the same address with `ws:` in front. */
  readonly url: string
  /** To be given to the cluster, or to any `createActor`. */
  readonly inspect: (event: InspectionEvent) => void
  /**
   * Learns from a cluster's changes whose each actor is, and who caused what it is shown: another actor, or a client
   * by the name that it writes under. Returns how to stop.
   */
  readonly follow: (cluster: Followable) => () => void
  /** Parts from every viewer and leaves nothing behind; safe to call more than once. */
  readonly close: () => Promise<void>
}

/**
 * Streams running actors to Stately's inspector, and to any other receiver of its frames. Whoever connects is first
 * shown every actor that lives and where it is, owners before what they own; then all that happens. While nobody looks,
 * no frame is made.
 */
export const openInspector = async (options: InspectorOptions = {}): Promise<Inspector> => {
  const origins = makeOrigins()
  const { port = 0, host = "127.0.0.1", nameOf = (id) => id, parentOf = origins.ownerOf, chosen } = options
  const viewings = new Set<Viewing>()
  const ids = chosen === undefined ? undefined : new Set(selectedIds(chosen))
  const isChosen = ids === undefined ? undefined : (id: string): boolean => ids.has(id)
  const living = makeLiving({ nameOf, parentOf, isChosen })

  const observe = makeObserver("Stately's inspector")
  const relay = await openRelay({
    port,
    host,
    observe,
    onViewer: (viewer) => {
      const viewing: Viewing = { viewer, introduced: new WeakSet(), met: new Set() }
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
  /** Whether viewers may see it; who is shown only from now on is introduced now. */
  const isVisible = (actor: LivingActor): boolean => {
    if (actor.isShown) return true
    if (viewings.size === 0 || !living.isShown(actor)) return false
    introduceToAll(actor)
    return true
  }
  /**
   * Who sent an event: the actor that XState knows of, or else whoever wrote what it shows. One that a viewer has not
   * met is introduced by name alone.
   */
  const sourceOf = (actor: LivingActor, told: InspectionEvent): string | undefined => {
    if (told.type !== "@xstate.event") return undefined
    if (told.sourceRef !== undefined) return told.sourceRef.sessionId
    if (actor.ref._parent !== undefined) return undefined
    const source = origins.sourceOf(actor.ref.id, { isSeen: told.event.type === observedType })
    if (source === undefined || viewings.size === 0 || !isCaused.has(told.event.type)) return undefined
    const writer = living.root(source)
    if (writer !== undefined && isVisible(writer)) return writer.ref.sessionId
    if (!isVisible(actor)) return undefined
    for (const viewing of viewings) {
      introduceSource(viewing, source, Date.now()).forEach(viewing.viewer.send)
    }
    return source
  }
  /** The last event that each actor was sent in the present turn of the event loop. */
  const stirred = new Map<LivingActor, AnyEventObject>()
  const note = (actor: LivingActor, event: AnyEventObject, snapshot: Snapshot<unknown>): void => {
    const latest = { event, snapshot, millis: Date.now() }
    actor.latest = latest
    if (isVisible(actor)) tellAll(actor, () => snapshotFrame(aboutOf(actor, latest.millis), event, snapshot))
    if (snapshot.status === "active") return
    living.forget(actor)
    stirred.delete(actor)
  }

  // An actor whose chart throws tells of the event and of nothing after it. Actors run synchronously, so
  // that all
  // who were sent something have come through it when the present turn of the event loop is over.
  let willTellFailed = false
  const tellFailed = observe(() => {
    willTellFailed = false
    for (const [actor, event] of stirred) {
      const snapshot = actor.ref.getSnapshot()
      if (living.has(actor) && snapshot.status !== "active") note(actor, event, snapshot)
    }
    stirred.clear()
  })
  const stir = (actor: LivingActor, event: AnyEventObject): void => {
    stirred.set(actor, event)
    if (willTellFailed) return
    willTellFailed = true
    queueMicrotask(tellFailed)
  }

  let isClosed = false
  const inspect = observe((told: InspectionEvent): void => {
    if (isClosed) return
    if (told.type === "@xstate.event") {
      // An actor counts from its start: some are made and thrown away without one, and tell nobody.
      const isStart = told.event.type === startType
      const actor = isStart ? living.add(told) : living.get(told.actorRef.sessionId)
      if (actor === undefined) return
      const sourceId = sourceOf(actor, told)
      stir(actor, told.event)
      if (!isVisible(actor)) return
      tellAll(actor, () => eventFrame(aboutOf(actor, Date.now()), told.event, sourceId))
    } else if (told.type === "@xstate.snapshot") {
      const actor = living.get(told.actorRef.sessionId)
      if (actor === undefined) return
      // Asked of the actor itself: where its first actions throw, the snapshot it tells of does not say so.
      note(actor, told.event, actor.ref.getSnapshot())
    }
  })

  return {
    url: relay.url,
    inspect,
    follow: origins.follow,
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
/** The event that shows an actor what there is. */
const observedType = "observed"
/** What comes because somebody has written something; other events come of an actor's own doings and of time. */
const isCaused: ReadonlySet<string> = new Set([startType, observedType])
