import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { CommandReporter } from "../actors/actorObserver.ts"
import type { ObjectActor } from "../actors/actors.ts"
import type { CommandRefused, Controller, ReconcilerServices } from "./controller.ts"

type Performing = Effect.Effect<void, CommandRefused>

export interface CommandRunner {
  /**
   * A returned `Exit` means that the commands are performed already. `commandReporter` reports their writes to the actor
   * observer; the caller ends it, and calls `finish`.
   */
  readonly perform: (
    key: Key,
    commands: ReadonlyArray<Command>,
    commandReporter: CommandReporter
  ) => Effect.Effect<unknown, CommandRefused> | undefined
  readonly performAll: (
    key: Key,
    actor: ObjectActor,
    work: {
      readonly commands: ReadonlyArray<Command>
      readonly commandReporter: CommandReporter
      readonly whenPerformed: () => Performing | undefined
    }
  ) => Performing | undefined
  readonly isRunning: (key: Key) => boolean
  readonly finish: (key: Key) => void
}

export const makeCommandRunner = <R extends GroupResource>(
  controller: Controller<R>,
  { view, actors }: Pick<ReconcilerServices, "view" | "actors">,
  lookAgain: (key: Key) => void
): CommandRunner => {
  /** A list, since a set that is mostly empty is rebuilt for each key. */
  const runningKeys: Array<Key> = []
  const { actorIdOf = (uid: string) => uid } = controller

  const finish = (key: Key): void => {
    const index = runningKeys.indexOf(key)
    if (index >= 0) runningKeys.splice(index, 1)
  }
  const perform: CommandRunner["perform"] = (key, commands, commandReporter) => {
    const object = view.get(controller.resource, key)
    const commandsToPerform = commands.filter(({ type }) => type !== "lookAgain")
    if (commandsToPerform.length < commands.length) lookAgain(key)
    if (object === undefined || commandsToPerform.length === 0) return undefined
    if (!runningKeys.includes(key)) runningKeys.push(key)
    const effect = controller.perform(object, commandsToPerform)
    if (actors.observer !== undefined) commandReporter.begin(actors.observer, actorIdOf(object.metadata.uid))
    return effect
  }
  const performAll: CommandRunner["performAll"] = (
    key,
    actor,
    { commands, commandReporter, whenPerformed }
  ) => {
    const performNext = (): Performing | undefined => {
      finish(key)
      commandReporter.end()
      if (controller.awaitsPerformed?.(commands) === true) actor.send({ type: "performed" })
      const emitted = actor.takeCommands()
      return emitted.length === 0
        ? whenPerformed()
        : performAll(key, actor, { commands: emitted, commandReporter, whenPerformed })
    }
    const performing = perform(key, commands, commandReporter)
    const isPerformed = performing === undefined || (Exit.isExit(performing) && Exit.isSuccess(performing))
    return isPerformed ? performNext() : Effect.flatMap(performing, () => performNext() ?? Effect.void)
  }
  return {
    perform,
    performAll,
    isRunning: (key) => runningKeys.includes(key),
    finish
  }
}
