import * as Effect from "effect/Effect"
import { Acting } from "../store/acting.ts"
import type { AnyActorRef } from "xstate"
import type { RecordEvent } from "../domain/commands.ts"
import type { Key } from "../domain/objects.ts"
import type { Change } from "../store/objectStore.ts"
import type { Witness } from "../store/acting.ts"
import type { Observer } from "./observers.ts"

/** Is told what all actors of a cluster do, as they do it. It may look at everything and touch nothing. */
export interface Onlooker {
  /** An actor has begun, or is there already. */
  readonly meets: (actor: { readonly uid: string; readonly key: Key; readonly ref: AnyActorRef }) => void
  readonly parts: (uid: string) => void
  /** A change is a reason for the actor of this chart and key to look. */
  readonly wakes: (chart: string, key: Key, change: Change) => void
  /** Whoever was to look is not there: it has gone, or never came. */
  readonly misses: (chart: string, key: Key) => void
  /** What an actor has asked for is about to be performed. */
  readonly performs: (uid: string) => Performing
  /** Hears of what a party writes where no actor of it does: a controller by its name, or `clients`. */
  readonly overhears: (party: string) => Witness
  /** An event about the object of an actor is recorded. */
  readonly records: (uid: string, event: Omit<RecordEvent, "type">) => void
}

/** The commands of one actor being performed. */
export interface Performing extends Witness {
  readonly ends: () => void
}

/** The same onlooker, whose errors are those of an observer: no actor notices them. */
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

/** Performs under the eyes of an onlooker. */
export const performedUnder = <A, E>(
  onlooker: Onlooker,
  uid: string,
  performed: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const performing = onlooker.performs(uid)
    return Effect.ensuring(Effect.provideService(performed, Acting, performing), Effect.sync(performing.ends))
  })
