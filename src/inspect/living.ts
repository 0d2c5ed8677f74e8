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
  latest:
    | { readonly event: AnyEventObject; readonly snapshot: Snapshot<unknown>; readonly millis: number }
    | undefined
}

/** What an actor is called and whose it is, by its id; asked of roots only, XState knows it of the others. */
interface Kinship {
  readonly nameOf: (id: string) => string
  readonly parentOf: (id: string) => string | undefined
}

/** The actors that have started and not come to an end. */
export interface Living {
  /** Undefined for what only looks like an actor. */
  readonly add: (told: InspectionEvent) => LivingActor | undefined
  readonly get: (sessionId: string) => LivingActor | undefined
  readonly all: () => ReadonlyArray<LivingActor>
  readonly has: (actor: LivingActor) => boolean
  readonly parentOf: (actor: LivingActor) => LivingActor | undefined
  readonly nameOf: (actor: LivingActor) => string
  readonly forget: (actor: LivingActor) => void
  readonly clear: () => void
}

export const makeLiving = ({ nameOf, parentOf }: Kinship): Living => {
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

  return {
    add: (told) => {
      const ref = told.actorRef
      if (!isInspectedRef(ref)) return undefined
      const actor: LivingActor = { ref, rootId: told.rootId, startMillis: Date.now(), latest: undefined }
      actors.set(ref.sessionId, actor)
      if (ref._parent === undefined) rootsById.set(ref.id, actor)
      return actor
    },
    get: (sessionId) => actors.get(sessionId),
    all: () => [...actors.values()],
    has: (actor) => actors.get(actor.ref.sessionId) === actor,
    parentOf: ({ ref }) => {
      if (ref._parent !== undefined) return actors.get(ref._parent.sessionId)
      const parentId = parentOf(ref.id)
      return parentId === undefined ? undefined : rootsById.get(parentId)
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
