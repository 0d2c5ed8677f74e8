import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { ActorState } from "../actors/actorState.ts"
import type { Actors, ObjectActor } from "../actors/actors.ts"
import type { SnapshotParts } from "../snapshotParts.ts"
import type { Controller } from "./controller.ts"

/** A stale actor has not looked since it was woken. */
export interface KeyedActors {
  readonly markStale: (key: Key) => void
  readonly clearStale: (key: Key) => boolean
  readonly isStale: (key: Key) => boolean
  /** Replaces an actor of an earlier object of this name. */
  readonly getOrMake: (key: Key, object: KubeObject) => ObjectActor
  readonly get: (key: Key) => ObjectActor | undefined
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
    readonly state: ActorState | undefined
  }>
  readonly stale: ReadonlyArray<Key>
}

export const makeKeyedActors = <R extends GroupResource>(options: {
  readonly controller: Controller<R>
  readonly actors: Actors
  readonly snapshotParts: SnapshotParts
  readonly onCommands: (key: Key) => void
}): KeyedActors => {
  const { controller, actors, snapshotParts, onCommands } = options
  const { machine, turnOrder, repeatedDelay, sharesActorSystem, actorIdOf } = controller
  const uids = new Map<Key, string>()
  /** Ids are cached by uid, since a new text takes long to look up. */
  const idsByUid = new Map<string, string>()
  const stale = new Set<Key>()

  const actorOptions = { machine, turnOrder, repeatedDelay, sharesActorSystem, onCommands }
  const actorId = (uid: string): string => {
    if (actorIdOf === undefined) return uid
    const id = idsByUid.get(uid) ?? actorIdOf(uid)
    idsByUid.set(uid, id)
    return id
  }
  const markStale = (key: Key): void => void stale.add(key)
  const discard = (key: Key): void => {
    const uid = uids.get(key)
    if (uid === undefined) return
    actors.stop(actorId(uid))
    uids.delete(key)
    idsByUid.delete(uid)
    controller.onActorDiscarded?.(uid)
  }
  const get = (key: Key): ObjectActor | undefined => {
    const uid = uids.get(key)
    return uid === undefined ? undefined : actors.get(actorId(uid))
  }
  return {
    markStale,
    clearStale: (key) => stale.delete(key),
    isStale: (key) => stale.has(key),
    getOrMake: (key, object) => {
      const { uid } = object.metadata
      const present = uids.get(key) === uid ? actors.get(actorId(uid)) : undefined
      if (present !== undefined) return present
      discard(key)
      markStale(key)
      uids.set(key, uid)
      return actors.make({ object, uid: actorId(uid), ...actorOptions })
    },
    get,
    hasTag: (key, tag) => {
      const snapshot = get(key)?.ref.getSnapshot() as { readonly tags: ReadonlySet<string> } | undefined
      return snapshot?.tags.has(tag) === true
    },
    discard,
    discardAll: () => [...uids.keys()].forEach(discard),
    save: () => ({
      actors: Array.from(uids, ([key, uid]) => ({
        key,
        uid,
        state: actors.stateOf(actorId(uid), snapshotParts.saveTimerPlace)
      })),
      stale: [...stale]
    }),
    restore: (state) => {
      for (const key of state.stale) stale.add(key)
      for (const { key, uid, state: actorState } of state.actors) {
        uids.set(key, uid)
        if (actorState === undefined) continue
        actors.restore({ uid: actorId(uid), key, ...actorOptions }, actorState)
      }
    }
  }
}
