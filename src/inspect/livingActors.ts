import { chartIdOf } from "./inspectorFrames.ts"
import { readField } from "./valueSummary.ts"
import type { AnyEventObject, InspectionEvent, Snapshot } from "xstate"

/** The types of inspection events omit these fields. */
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
  /** Whether viewers see the actor; once true it stays true. */
  hasBeenShown: boolean
  lastTransition:
    | { readonly event: AnyEventObject; readonly snapshot: Snapshot<unknown>; readonly millis: number }
    | undefined
}

/** Names and owners of root actors by id. XState knows names and parents of child actors. */
interface ActorRelations {
  readonly nameOf: (id: string) => string
  readonly parentOf: (id: string) => string | undefined
  /** Whether the user has chosen this root; by default all roots are chosen. */
  readonly isChosen?: ((id: string) => boolean) | undefined
}

export interface LivingActors {
  readonly add: (event: InspectionEvent) => LivingActor | undefined
  readonly get: (sessionId: string) => LivingActor | undefined
  readonly shown: () => ReadonlyArray<LivingActor>
  readonly isShown: (actor: LivingActor) => boolean
  readonly rootWithId: (id: string) => LivingActor | undefined
  readonly has: (actor: LivingActor) => boolean
  readonly parentOf: (actor: LivingActor) => LivingActor | undefined
  readonly nameOf: (actor: LivingActor) => string
  readonly remove: (actor: LivingActor) => void
  readonly clear: () => void
}

export const makeLivingActors = ({ nameOf, parentOf, isChosen }: ActorRelations): LivingActors => {
  const actors = new Map<string, LivingActor>()
  const rootsById = new Map<string, LivingActor>()

  const forget = (actor: LivingActor): void => {
    const { ref } = actor
    actors.delete(ref.sessionId)
    if (rootsById.get(ref.id) === actor) rootsById.delete(ref.id)
    // XState does not stop the children of a failed actor.
    if (actor.lastTransition?.snapshot.status !== "error") return
    for (const other of actors.values()) if (other.ref._parent === ref) forget(other)
  }

  const ownerOf = ({ ref }: LivingActor): LivingActor | undefined => {
    if (ref._parent !== undefined) return actors.get(ref._parent.sessionId)
    const parentId = parentOf(ref.id)
    return parentId === undefined ? undefined : rootsById.get(parentId)
  }
  /** Compares ids, since a chosen owner may not have an actor. */
  const belongsToChosen = (actor: LivingActor, isChosenId: (id: string) => boolean): boolean => {
    let root = actor
    while (root.ref._parent !== undefined) {
      const parent = actors.get(root.ref._parent.sessionId)
      if (parent === undefined) return false
      root = parent
    }
    const visited = new Set<string>()
    // Users write owner references, which may be cyclic.
    for (let id: string | undefined = root.ref.id; id !== undefined && !visited.has(id); id = parentOf(id)) {
      if (isChosenId(id)) return true
      visited.add(id)
    }
    return false
  }
  const isShown = (actor: LivingActor): boolean =>
    (actor.hasBeenShown ||= isChosen === undefined || belongsToChosen(actor, isChosen))

  return {
    add: (event) => {
      const ref = event.actorRef
      if (!isInspectedRef(ref)) return undefined
      const actorStart = { ref, rootId: event.rootId, startMillis: Date.now() }
      const actor: LivingActor = { ...actorStart, hasBeenShown: false, lastTransition: undefined }
      actors.set(ref.sessionId, actor)
      if (ref._parent === undefined) rootsById.set(ref.id, actor)
      return actor
    },
    get: (sessionId) => actors.get(sessionId),
    shown: () => [...actors.values()].filter(isShown),
    isShown,
    rootWithId: (id) => rootsById.get(id),
    has: (actor) => actors.get(actor.ref.sessionId) === actor,
    parentOf: (actor) => {
      const owner = ownerOf(actor)
      return owner !== undefined && isShown(owner) ? owner : undefined
    },
    nameOf: ({ ref }) => {
      if (ref._parent !== undefined) return ref.id
      return ref.id === ref.sessionId ? (chartIdOf(ref.logic) ?? ref.id) : nameOf(ref.id)
    },
    remove: forget,
    clear: () => {
      actors.clear()
      rootsById.clear()
    }
  }
}

const isInspectedRef = (ref: object): ref is InspectedRef => typeof readField(ref, "id") === "string"
