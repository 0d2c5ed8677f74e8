import type { Key, KubeObject } from "../../domain/objects.ts"
import type { GroupResource } from "../../domain/kinds.ts"
import type { ActorState } from "../actorState.ts"
import type { Actors, ObjectActor } from "../actors.ts"
import type { Memory } from "../memory.ts"
import type { Controller, Extent } from "../reconciler.ts"

/** The actors of one kind by the keys of their objects, and what each of them has not looked at yet. */
export interface KeyedActors {
  /** Something has changed that a key's actor should look at; at everything, if any of it is asked for. */
  readonly mark: (key: Key, extent: Extent) => void
  /** How much has changed since this was last asked; nothing where it is undefined. */
  readonly takeMark: (key: Key) => Extent | undefined
  /** The actor of an object, made anew where its key's is another object's. */
  readonly of: (key: Key, object: KubeObject) => ObjectActor
  readonly present: (key: Key) => ObjectActor | undefined
  readonly discard: (key: Key) => void
  readonly discardAll: () => void
  readonly save: () => KeyedActorsState
  readonly restore: (state: KeyedActorsState) => void
}

export interface KeyedActorsState {
  readonly actors: ReadonlyArray<{
    readonly key: Key
    readonly uid: string
    readonly state: ActorState | undefined
  }>
  /** What they have not looked at yet. */
  readonly stale: ReadonlyArray<readonly [Key, Extent]>
}

export const makeKeyedActors = <R extends GroupResource>(options: {
  readonly controller: Controller<R>
  readonly actors: Actors
  readonly memory: Memory
  /** An actor has something to say, and was not asked. */
  readonly onSpeak: (key: Key) => void
}): KeyedActors => {
  const { controller, actors, memory, onSpeak } = options
  const { machine, rank } = controller
  const uids = new Map<Key, string>()
  /** Those that are missing here only have commands to perform. */
  const stale = new Map<Key, Extent>()

  const mark = (key: Key, extent: Extent): void => {
    if (stale.get(key) !== "everything") stale.set(key, extent)
  }
  const discard = (key: Key): void => {
    const uid = uids.get(key)
    if (uid === undefined) return
    actors.stop(uid)
    uids.delete(key)
    controller.forget?.(uid)
  }
  return {
    mark,
    takeMark: (key) => {
      const extent = stale.get(key)
      if (extent !== undefined) stale.delete(key)
      return extent
    },
    of: (key, object) => {
      const { uid } = object.metadata
      const present = uids.get(key) === uid ? actors.get(uid) : undefined
      if (present !== undefined) return present
      discard(key)
      mark(key, "everything")
      uids.set(key, uid)
      return actors.make({ object, machine, rank, onSpeak: () => onSpeak(key) })
    },
    present: (key) => {
      const uid = uids.get(key)
      return uid === undefined ? undefined : actors.get(uid)
    },
    discard,
    discardAll: () => [...uids.keys()].forEach(discard),
    save: () => ({
      actors: Array.from(uids, ([key, uid]) => ({ key, uid, state: actors.stateOf(uid, memory.placeOf) })),
      stale: [...stale]
    }),
    restore: (state) => {
      for (const [key, extent] of state.stale) stale.set(key, extent)
      for (const { key, uid, state: actor } of state.actors) {
        uids.set(key, uid)
        if (actor === undefined) continue
        actors.resume({ uid, key, machine, rank, onSpeak: () => onSpeak(key) }, actor)
      }
    }
  }
}
