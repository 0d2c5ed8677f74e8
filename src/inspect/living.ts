import { chartIdOf } from "./frames.ts"
import { fieldOf } from "./summary.ts"
import type { AnyEventObject, InspectionEvent, Snapshot } from "xstate"

/** An actor as XState makes it; its inspection events promise less than they carry. */
interface InspectedRef {
  readonly id: string
  readonly sessionId: string
  readonly logic?: object
  readonly _parent?: InspectedRef
  readonly getSnapshot: () => Snapshot<unknown>
}

export interface LivingActor {
  readonly ref: InspectedRef
  readonly rootId: string
  readonly startMillis: number
  /** It is among those that are shown; once it is, it stays so. */
  isShown: boolean
  latest:
    | { readonly event: AnyEventObject; readonly snapshot: Snapshot<unknown>; readonly millis: number }
    | undefined
}

/** What an actor is called and whose it is, by its id; asked of roots only, XState knows it of the others. */
interface Kinship {
  readonly nameOf: (id: string) => string
  readonly parentOf: (id: string) => string | undefined
  /** Whether this root is to be shown, with all that it owns; all are where it is left out. */
  readonly isChosen?: ((id: string) => boolean) | undefined
}

/** The actors that have started and not come to an end. */
export interface Living {
  /** Undefined for what only looks like an actor. */
  readonly add: (told: InspectionEvent) => LivingActor | undefined
  readonly get: (sessionId: string) => LivingActor | undefined
  /** Those that are shown. */
  readonly all: () => ReadonlyArray<LivingActor>
  /** Looks, where it is not shown yet, whether somebody it belongs to is chosen by now. */
  readonly isShown: (actor: LivingActor) => boolean
  /** The root of this id. */
  readonly root: (id: string) => LivingActor | undefined
  readonly has: (actor: LivingActor) => boolean
  /** Where that is shown. */
  readonly parentOf: (actor: LivingActor) => LivingActor | undefined
  readonly nameOf: (actor: LivingActor) => string
  readonly forget: (actor: LivingActor) => void
  readonly clear: () => void
}

export const makeLiving = ({ nameOf, parentOf, isChosen }: Kinship): Living => {
  const actors = new Map<string, LivingActor>()
  const rootsById = new Map<string, LivingActor>()

  const forget = (actor: LivingActor): void => {
    const { ref } = actor
    actors.delete(ref.sessionId)
    if (rootsById.get(ref.id) === actor) rootsById.delete(ref.id)
    // XState leaves the children of an actor that has failed to themselves; nobody will stop them.
    if (actor.latest?.snapshot.status !== "error") return
    for (const other of actors.values()) if (other.ref._parent === ref) forget(other)
  }

  const ownerOf = ({ ref }: LivingActor): LivingActor | undefined => {
    if (ref._parent !== undefined) return actors.get(ref._parent.sessionId)
    const parentId = parentOf(ref.id)
    return parentId === undefined ? undefined : rootsById.get(parentId)
  }
  /** By ids, since an owner that is chosen may have no actor yet, or none any more. */
  const belongsToChosen = (actor: LivingActor, chosen: (id: string) => boolean): boolean => {
    let root = actor
    while (root.ref._parent !== undefined) {
      const parent = actors.get(root.ref._parent.sessionId)
      if (parent === undefined) return false
      root = parent
    }
    const line = new Set<string>()
    // Users write owner references: they may well go round in a circle.
    for (let id: string | undefined = root.ref.id; id !== undefined && !line.has(id); id = parentOf(id)) {
      if (chosen(id)) return true
      line.add(id)
    }
    return false
  }
  const isShown = (actor: LivingActor): boolean =>
    (actor.isShown ||= isChosen === undefined || belongsToChosen(actor, isChosen))

  return {
    add: (told) => {
      const ref = told.actorRef
      if (!isInspectedRef(ref)) return undefined
      const started = { ref, rootId: told.rootId, startMillis: Date.now() }
      const actor: LivingActor = { ...started, isShown: false, latest: undefined }
      actors.set(ref.sessionId, actor)
      if (ref._parent === undefined) rootsById.set(ref.id, actor)
      return actor
    },
    get: (sessionId) => actors.get(sessionId),
    all: () => [...actors.values()].filter(isShown),
    isShown,
    root: (id) => rootsById.get(id),
    has: (actor) => actors.get(actor.ref.sessionId) === actor,
    parentOf: (actor) => {
      const owner = ownerOf(actor)
      return owner !== undefined && isShown(owner) ? owner : undefined
    },
    nameOf: ({ ref }) => {
      if (ref._parent !== undefined) return ref.id
      return ref.id === ref.sessionId ? (chartIdOf(ref.logic) ?? ref.id) : nameOf(ref.id)
    },
    forget,
    clear: () => {
      actors.clear()
      rootsById.clear()
    }
  }
}

const isInspectedRef = (ref: object): ref is InspectedRef => typeof fieldOf(ref, "id") === "string"
