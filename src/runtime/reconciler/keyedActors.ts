import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { ActorState } from "../actors/actorState.ts"
import type { Actors, ObjectActor } from "../actors/actors.ts"
import type { SnapshotParts } from "../snapshotParts.ts"
import type { Controller } from "./controller.ts"

/** The actors of one kind by key. Stale actors have not looked since their last change. */
export interface KeyedActors {
  readonly markStale: (key: Key) => void
  /** Whether the actor is stale; it is not any longer, since the caller lets it look now. */
  readonly clearStale: (key: Key) => boolean
  /** The actor of an object; created where there is none, or one of an earlier object of this name. */
  readonly getOrMake: (key: Key, object: KubeObject) => ObjectActor
  readonly get: (key: Key) => ObjectActor | undefined
  /** Whether the chart of the key's actor is in a state with the tag; false without an actor. */
  readonly hasTag: (key: Key, tag: string) => boolean
  readonly discard: (key: Key) => void
  readonly discardAll: () => void
  readonly save: () => KeyedActorsState
  readonly restore: (state: KeyedActorsState) => void
}

export interface KeyedActorsState {
  readonly actors: ReadonlyArray<{
    readonly key: Key
    readonly uid: string
    /** Undefined for an actor that is stopped: it is made anew when its key is handled next. */
    readonly state: ActorState | undefined
  }>
  readonly stale: ReadonlyArray<Key>
}

interface KnownActor {
  /** The uid of its object. */
  readonly uid: string
  readonly id: string
}

export const makeKeyedActors = <R extends GroupResource>(options: {
  readonly controller: Controller<R>
  readonly actors: Actors
  readonly snapshotParts: SnapshotParts
  readonly onCommands: (key: Key) => void
}): KeyedActors => {
  const { controller, actors, snapshotParts, onCommands } = options
  const { machine, turnOrder, repeatedDelay, actorIdOf = (uid: string) => uid } = controller
  const known = new Map<Key, KnownActor>()
  const stale = new Set<Key>()

  const actorOptionsOf = (key: Key) => ({
    machine,
    turnOrder,
    repeatedDelay,
    onCommands: () => onCommands(key)
  })
  const markStale = (key: Key): void => void stale.add(key)
  const discard = (key: Key): void => {
    const present = known.get(key)
    if (present === undefined) return
    actors.stop(present.id)
    known.delete(key)
    controller.forget?.(present.uid)
  }
  const get = (key: Key): ObjectActor | undefined => {
    const present = known.get(key)
    return present === undefined ? undefined : actors.get(present.id)
  }
  return {
    markStale,
    clearStale: (key) => stale.delete(key),
    getOrMake: (key, object) => {
      const { uid } = object.metadata
      const present = known.get(key)
      const actor = present?.uid === uid ? actors.get(present.id) : undefined
      if (actor !== undefined) return actor
      discard(key)
      markStale(key)
      const id = actorIdOf(uid)
      known.set(key, { uid, id })
      return actors.make({ object, uid: id, ...actorOptionsOf(key) })
    },
    get,
    hasTag: (key, tag) => {
      const snapshot = get(key)?.ref.getSnapshot() as { readonly tags: ReadonlySet<string> } | undefined
      return snapshot?.tags.has(tag) === true
    },
    discard,
    discardAll: () => [...known.keys()].forEach(discard),
    save: () => ({
      actors: Array.from(known, ([key, { uid, id }]) => ({
        key,
        uid,
        state: actors.stateOf(id, snapshotParts.saveTimerPlace)
      })),
      stale: [...stale]
    }),
    restore: (state) => {
      for (const key of state.stale) stale.add(key)
      for (const { key, uid, state: actorState } of state.actors) {
        const id = actorIdOf(uid)
        known.set(key, { uid, id })
        if (actorState === undefined) continue
        actors.restore({ uid: id, key, ...actorOptionsOf(key) }, actorState)
      }
    }
  }
}
