import * as Effect from "effect/Effect"
import { performedUnder } from "../onlooker.ts"
import type { Command } from "../../domain/commands.ts"
import type { GroupResource } from "../../domain/kinds.ts"
import type { Key } from "../../domain/objects.ts"
import type { ObjectActor } from "../actors.ts"
import type { CommandRefused, Controller, ReconcilerServices } from "../reconciler.ts"

/** What the actors of one kind have asked for, as it is done. */
export interface Performing {
  /** Undefined where nothing is to be done that could be refused. Whoever does it says when it is `over`. */
  readonly perform: (
    key: Key,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<void, CommandRefused> | undefined
  /** Performs what an actor says until it has nothing more to say. */
  readonly performAll: (
    key: Key,
    actor: ObjectActor,
    said: ReadonlyArray<Command>
  ) => Effect.Effect<void, CommandRefused>
  /** Whether a key's commands are being performed. */
  readonly isUnderway: (key: Key) => boolean
  readonly over: (key: Key) => void
}

export const makePerforming = <R extends GroupResource>(
  controller: Controller<R>,
  { view, actors }: Pick<ReconcilerServices, "view" | "actors">,
  lookAgain: (key: Key) => void
): Performing => {
  const underway = new Set<Key>()

  const perform: Performing["perform"] = (key, commands) => {
    const object = view.get(controller.resource, key)
    const worldly = commands.filter(({ type }) => type !== "lookAgain")
    if (worldly.length < commands.length) lookAgain(key)
    if (object === undefined || worldly.length === 0) return undefined
    underway.add(key)
    const performed = controller.perform(object, worldly)
    const { onlooker } = actors
    return onlooker === undefined ? performed : performedUnder(onlooker, object.metadata.uid, performed)
  }
  const performAll = Effect.fnUntraced(function* (
    key: Key,
    actor: ObjectActor,
    said: ReadonlyArray<Command>
  ): Effect.fn.Return<void, CommandRefused> {
    for (let commands = said; commands.length > 0; commands = actor.takeCommands()) {
      const performed = perform(key, commands)
      if (performed !== undefined) yield* performed
      underway.delete(key)
      if (controller.tellsPerformed?.(commands) === true) actor.send({ type: "performed" })
    }
  })
  return {
    perform,
    performAll,
    isUnderway: (key) => underway.has(key),
    over: (key) => void underway.delete(key)
  }
}
