import type { AnyEventObject, InspectionEvent, Snapshot } from "xstate"
import { eventFrame, snapshotFrame } from "./inspectorFrames.ts"
import { frameHeader, announceActor, announceAll, announceSource } from "./actorAnnouncements.ts"
import { makeLivingActors } from "./livingActors.ts"
import { makeActorOrigins } from "./actorOrigins.ts"
import { makeErrorCatcher } from "../runtime/observers.ts"
import { openInspectorRelay } from "./inspectorRelay.ts"
import { parseSelections } from "./actorSelection.ts"
import type { ObservableCluster } from "./actorOrigins.ts"
import type { ViewerSession } from "./actorAnnouncements.ts"
import type { LivingActor } from "./livingActors.ts"

export interface InspectorOptions {
  /** Default: any free port. */
  readonly port?: number
  readonly host?: "127.0.0.1"
  /** The name of a root actor in the inspector; default its id. */
  readonly nameOf?: (id: string) => string
  /** The id of a root actor's owner, under which it is shown. Default: what `follow` has learned. */
  readonly parentOf?: (id: string) => string | undefined
  /**
   * Shows only these and what they own: `deployment/web`, `pod/shop/web-1`. They need not exist yet. Throws
   * `UnknownSelection`.
   */
  readonly chosen?: ReadonlyArray<string>
}

export interface Inspector {
  /** The page's URL. WebSocket clients use the same address with `ws:`. */
  readonly url: string
  /** Pass it to the cluster or to `createActor`. */
  readonly inspect: (event: InspectionEvent) => void
  /**
   * Learns from the cluster's changes who owns an actor and who wrote what it observes. Returns the unsubscribe
   * function.
   */
  readonly follow: (cluster: ObservableCluster) => () => void
  /** Disconnects all viewers. May be called more than once. */
  readonly close: () => Promise<void>
}

/**
 * Streams actors to Stately's inspector and compatible clients. A new viewer first gets all actors, owners first,
 * then all changes. Without viewers no frames are made.
 */
export const openInspector = async (options: InspectorOptions = {}): Promise<Inspector> => {
  const origins = makeActorOrigins()
  const { port = 0, host = "127.0.0.1", nameOf = (id) => id, parentOf = origins.ownerOf, chosen } = options
  const sessions = new Set<ViewerSession>()
  const chosenIds = chosen === undefined ? undefined : new Set(parseSelections(chosen))
  const isChosen = chosenIds === undefined ? undefined : (id: string): boolean => chosenIds.has(id)
  const living = makeLivingActors({ nameOf, parentOf, isChosen })

  const catchErrors = makeErrorCatcher("Stately's inspector")
  const relay = await openInspectorRelay({
    port,
    host,
    catchErrors,
    onViewer: (viewer) => {
      const session: ViewerSession = { viewer, announcedActors: new WeakSet(), announcedSources: new Set() }
      sessions.add(session)
      viewer.sendPaced(announceAll(session, living))
      return () => sessions.delete(session)
    }
  })

  const announceToAll = (actor: LivingActor): void => {
    for (const session of sessions) {
      for (const frames of announceActor(session, living, actor)) frames.forEach(session.viewer.send)
    }
  }
  /** Viewers that do not know the actor yet will get its present state later. */
  const sendToAll = (actor: LivingActor, makeFrame: () => string): void => {
    let buffer: Buffer | undefined
    for (const { viewer, announcedActors } of sessions) {
      if (announcedActors.has(actor)) viewer.send((buffer ??= Buffer.from(makeFrame())))
    }
  }
  /** Whether the actor is visible. Announces it if it has become so just now. */
  const ensureAnnounced = (actor: LivingActor): boolean => {
    if (actor.isShown) return true
    if (sessions.size === 0 || !living.isShown(actor)) return false
    announceToAll(actor)
    return true
  }
  /** The sender of an event: the actor that XState reports, else the writer of the observed change. */
  const sourceOf = (actor: LivingActor, inspection: InspectionEvent): string | undefined => {
    if (inspection.type !== "@xstate.event") return undefined
    if (inspection.sourceRef !== undefined) return inspection.sourceRef.sessionId
    if (actor.ref._parent !== undefined) return undefined
    // With an `observed` event, the actor has seen all changes so far.
    const source = origins.sourceOf(actor.ref.id, { marksObserved: inspection.event.type === observedType })
    if (source === undefined || sessions.size === 0 || !causedEvents.has(inspection.event.type))
      return undefined
    const writer = living.root(source)
    if (writer !== undefined && ensureAnnounced(writer)) return writer.ref.sessionId
    if (!ensureAnnounced(actor)) return undefined
    for (const session of sessions) {
      announceSource(session, source, Date.now()).forEach(session.viewer.send)
    }
    return source
  }
  const lastEvents = new Map<LivingActor, AnyEventObject>()
  const recordSnapshot = (actor: LivingActor, event: AnyEventObject, snapshot: Snapshot<unknown>): void => {
    const latest = { event, snapshot, millis: Date.now() }
    actor.latest = latest
    if (ensureAnnounced(actor))
      sendToAll(actor, () => snapshotFrame(frameHeader(actor, latest.millis), event, snapshot))
    if (snapshot.status === "active") return
    living.remove(actor)
    lastEvents.delete(actor)
  }

  // XState reports no snapshot for an actor whose chart throws. Actors run synchronously, so failed ones are found
  // at the end of the turn.
  let isCheckScheduled = false
  const reportFailed = catchErrors(() => {
    isCheckScheduled = false
    for (const [actor, event] of lastEvents) {
      const snapshot = actor.ref.getSnapshot()
      if (living.has(actor) && snapshot.status !== "active") recordSnapshot(actor, event, snapshot)
    }
    lastEvents.clear()
  })
  const recordEvent = (actor: LivingActor, event: AnyEventObject): void => {
    lastEvents.set(actor, event)
    if (isCheckScheduled) return
    isCheckScheduled = true
    queueMicrotask(reportFailed)
  }

  let isClosed = false
  const inspect = catchErrors((inspection: InspectionEvent): void => {
    if (isClosed) return
    if (inspection.type === "@xstate.event") {
      // An actor counts from its start: actors that are created and never started report nothing.
      const isStart = inspection.event.type === startType
      const actor = isStart ? living.add(inspection) : living.get(inspection.actorRef.sessionId)
      if (actor === undefined) return
      const sourceId = sourceOf(actor, inspection)
      recordEvent(actor, inspection.event)
      if (!ensureAnnounced(actor)) return
      sendToAll(actor, () => eventFrame(frameHeader(actor, Date.now()), inspection.event, sourceId))
    } else if (inspection.type === "@xstate.snapshot") {
      const actor = living.get(inspection.actorRef.sessionId)
      if (actor === undefined) return
      // The event's snapshot misses errors of the first actions; the actor's own has them.
      recordSnapshot(actor, inspection.event, actor.ref.getSnapshot())
    }
  })

  return {
    url: relay.url,
    inspect,
    follow: origins.follow,
    close: () => {
      isClosed = true
      living.clear()
      lastEvents.clear()
      return relay.close()
    }
  }
}

const startType = "xstate.init"
const observedType = "observed"
/** Events caused by writes; others come from the actor itself or from time. */
const causedEvents: ReadonlySet<string> = new Set([startType, observedType])
