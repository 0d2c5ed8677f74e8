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
  /** Any free port by default. */
  readonly port?: number
  readonly host?: "127.0.0.1"
  /** The name of a root actor in the inspector; its id by default. */
  readonly nameOf?: (id: string) => string
  /** The id of a root actor's owner; what `follow` has learned by default. */
  readonly parentOf?: (id: string) => string | undefined
  /** Shows only the chosen actors and what they own: `pod/shop/web-1`. Throws `UnknownSelection`. */
  readonly chosen?: ReadonlyArray<string>
}

export interface Inspector {
  /** WebSocket clients use the same address with `ws:`. */
  readonly url: string
  /** The option `inspect` of a cluster or of `createActor`. */
  readonly inspect: (event: InspectionEvent) => void
  /** Learns owners and writers from a cluster's changes. Returns how to unsubscribe. */
  readonly follow: (cluster: ObservableCluster) => () => void
  /** Disconnects all viewers. */
  readonly close: () => Promise<void>
}

/** Streams actors to Stately's inspector. A new viewer first gets all actors, owners first. */
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
  /** Skips a viewer without an announcement of the actor: a later one has the latest state. */
  const sendToAll = (actor: LivingActor, makeFrame: () => string): void => {
    let buffer: Buffer | undefined
    for (const { viewer, announcedActors } of sessions) {
      if (announcedActors.has(actor)) viewer.send((buffer ??= Buffer.from(makeFrame())))
    }
  }
  const ensureAnnounced = (actor: LivingActor): boolean => {
    if (actor.hasBeenShown) return true
    if (sessions.size === 0 || !living.isShown(actor)) return false
    announceToAll(actor)
    return true
  }
  /** The sender of an event: the actor that XState reports, else the writer of the observed change. */
  const sourceOf = (actor: LivingActor, inspection: InspectionEvent): string | undefined => {
    if (inspection.type !== "@xstate.event") return undefined
    if (inspection.sourceRef !== undefined) return inspection.sourceRef.sessionId
    if (actor.ref._parent !== undefined) return undefined
    // An `observed` event shows all changes so far.
    const source = origins.sourceOf(actor.ref.id, { marksObserved: inspection.event.type === observedType })
    if (source === undefined || sessions.size === 0 || !eventsCausedByWrites.has(inspection.event.type))
      return undefined
    const writer = living.rootWithId(source)
    if (writer !== undefined && ensureAnnounced(writer)) return writer.ref.sessionId
    if (!ensureAnnounced(actor)) return undefined
    for (const session of sessions) {
      announceSource(session, source, Date.now()).forEach(session.viewer.send)
    }
    return source
  }
  const lastEvents = new Map<LivingActor, AnyEventObject>()
  const recordSnapshot = (actor: LivingActor, event: AnyEventObject, snapshot: Snapshot<unknown>): void => {
    const millis = Date.now()
    actor.lastTransition = { event, snapshot, millis }
    if (ensureAnnounced(actor))
      sendToAll(actor, () => snapshotFrame(frameHeader(actor, millis), event, snapshot))
    if (snapshot.status === "active") return
    living.remove(actor)
    lastEvents.delete(actor)
  }

  // XState reports no snapshot for an actor whose chart throws. Failed actors are found at the end of the turn.
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
      // Actors that are never started report nothing.
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
/** All other events come from the actor itself or from time. */
const eventsCausedByWrites: ReadonlySet<string> = new Set([startType, observedType])
