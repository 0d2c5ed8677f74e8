import type * as Effect from "effect/Effect"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { CommandReporter } from "../actors/actorObserver.ts"
import type { ObjectActor } from "../actors/actors.ts"
import type { CommandRefused, Controller, ReconcilerServices } from "./controller.ts"
import type { BackOffs } from "./backOffs.ts"
import type { KeyedActors } from "./keyedActors.ts"
import type { CommandRunner } from "./commandRunner.ts"

export interface ReconcilerParts {
  readonly keyedActors: KeyedActors
  readonly commandRunner: CommandRunner
  readonly backOffs: BackOffs
}

/** Returns an Effect only if there are commands: most looks emit none and need no fiber. */
export const makeReconcileKey = <R extends GroupResource>(
  controller: Controller<R>,
  { view, actors }: Pick<ReconcilerServices, "view" | "actors">,
  { keyedActors, commandRunner, backOffs }: ReconcilerParts
): ((key: Key, commandReporter: CommandReporter) => Effect.Effect<void, CommandRefused> | undefined) => {
  const { resource, look, hasActor } = controller
  /** Undefined if the last observation is not stale. */
  const observe = (key: Key, actor: ObjectActor): ReadonlyArray<Command> | undefined => {
    const object = view.get(resource, key)
    if (object === undefined || !keyedActors.clearStale(key)) return undefined
    const observation = look(object)
    actor.send({ type: "observed", seen: observation } as { readonly type: string })
    return actor.takeCommands()
  }
  const observeAndPerform = (
    key: Key,
    actor: ObjectActor,
    commandReporter: CommandReporter
  ): Effect.Effect<void, CommandRefused> | undefined => {
    const commands = observe(key, actor)
    if (commands === undefined) return undefined
    const reset = (): undefined => {
      backOffs.reset(key)
    }
    return commands.length > 0
      ? commandRunner.performAll(key, actor, { commands, commandReporter, whenPerformed: reset })
      : reset()
  }
  return (key, commandReporter) => {
    const object = view.get(resource, key)
    if (object === undefined || hasActor?.(object) === false) {
      keyedActors.discard(key)
      keyedActors.clearStale(key)
      backOffs.reset(key)
      actors.observer?.objectMissing(controller.machine().id, key)
      return undefined
    }
    const actor = keyedActors.getOrMake(key, object)
    const commands = actor.takeCommands()
    const whenPerformed = (): Effect.Effect<void, CommandRefused> | undefined =>
      observeAndPerform(key, actor, commandReporter)
    return commands.length > 0
      ? commandRunner.performAll(key, actor, { commands, commandReporter, whenPerformed })
      : whenPerformed()
  }
}
