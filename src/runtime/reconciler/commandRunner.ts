import * as Effect from "effect/Effect"
import { performObserved } from "../actors/actorObserver.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { ObjectActor } from "../actors/actors.ts"
import type { CommandRefused, Controller, ReconcilerServices } from "./controller.ts"

export interface CommandRunner {
  /** The effect that performs commands on the object as it is now; undefined if nothing is to be performed. */
  readonly perform: (
    key: Key,
    commands: ReadonlyArray<Command>
  ) => Effect.Effect<void, CommandRefused> | undefined
  /** Performs an actor's commands, and those it emits meanwhile, until there are none. */
  readonly performAll: (
    key: Key,
    actor: ObjectActor,
    firstCommands: ReadonlyArray<Command>
  ) => Effect.Effect<void, CommandRefused>
  /** Whether commands of a key are being performed. */
  readonly isRunning: (key: Key) => boolean
  /** The commands of a key are no longer being performed, also if they failed. */
  readonly finish: (key: Key) => void
}

export const makeCommandRunner = <R extends GroupResource>(
  controller: Controller<R>,
  { view, actors }: Pick<ReconcilerServices, "view" | "actors">,
  lookAgain: (key: Key) => void
): CommandRunner => {
  const runningKeys = new Set<Key>()

  const perform: CommandRunner["perform"] = (key, commands) => {
    const object = view.get(controller.resource, key)
    const commandsToPerform = commands.filter(({ type }) => type !== "lookAgain")
    if (commandsToPerform.length < commands.length) lookAgain(key)
    if (object === undefined || commandsToPerform.length === 0) return undefined
    runningKeys.add(key)
    const effect = controller.perform(object, commandsToPerform)
    const { observer } = actors
    return observer === undefined ? effect : performObserved(observer, object.metadata.uid, effect)
  }
  const performAll: CommandRunner["performAll"] = (key, actor, commands) => {
    const performNext = (): Effect.Effect<void, CommandRefused> => {
      runningKeys.delete(key)
      // A chart that proceeds in batches waits for this event.
      if (controller.confirmsPerformed?.(commands) === true) actor.send({ type: "performed" })
      const emitted = actor.takeCommands()
      return emitted.length === 0 ? Effect.void : performAll(key, actor, emitted)
    }
    return Effect.suspend(() => Effect.flatMap(perform(key, commands) ?? Effect.void, performNext))
  }
  return {
    perform,
    performAll,
    isRunning: (key) => runningKeys.has(key),
    finish: (key) => void runningKeys.delete(key)
  }
}
