import * as Effect from "effect/Effect"
import { Acting } from "../store/acting.ts"
import type { AnyActorRef } from "xstate"
import type { RecordEvent } from "../domain/commands.ts"
import type { Key } from "../domain/objects.ts"
import type { Change } from "../store/objectStore.ts"
import type { Witness } from "../store/acting.ts"
import type { Observer } from "./observers.ts"

/** Observes all actors of a cluster. It may read everything and change nothing. */
export interface Onlooker {
  /** An actor has started, or exists when the observer is attached. */
  readonly meets: (actor: { readonly uid: string; readonly key: Key; readonly ref: AnyActorRef }) => void
  readonly parts: (uid: string) => void
  readonly wakes: (chart: string, key: Key, change: Change) => void
  readonly misses: (chart: string, key: Key) => void
  readonly performs: (uid: string) => Performing
  /** Observes writes that no actor of the party asked for. A party is a controller's name, `clients` or `faults`. */
  readonly overhears: (party: string) => Witness
  readonly records: (uid: string, event: Omit<RecordEvent, "type">) => void
}

export interface Performing extends Witness {
  readonly ends: () => void
}

/** Wraps an observer so that its errors reach no actor. */
export const guardOnlooker = (onlooker: Onlooker, observe: Observer): Onlooker => ({
  meets: observe(onlooker.meets),
  parts: observe(onlooker.parts),
  wakes: observe(onlooker.wakes),
  misses: observe(onlooker.misses),
  records: observe(onlooker.records),
  performs: (uid) => {
    let performing: Performing | undefined
    observe(() => {
      performing = onlooker.performs(uid)
    })()
    return {
      wrote: observe((write, outcome) => performing?.wrote(write, outcome)),
      ends: observe(() => performing?.ends())
    }
  },
  overhears: (party) => {
    let witness: Witness | undefined
    observe(() => {
      witness = onlooker.overhears(party)
    })()
    return { wrote: observe((write, outcome) => witness?.wrote(write, outcome)) }
  }
})

/** Performs commands and reports their writes to the observer. */
export const performedUnder = <A, E>(
  onlooker: Onlooker,
  uid: string,
  performed: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const performing = onlooker.performs(uid)
    return Effect.ensuring(Effect.provideService(performed, Acting, performing), Effect.sync(performing.ends))
  })
