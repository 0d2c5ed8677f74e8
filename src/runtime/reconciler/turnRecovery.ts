import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CommandRefusal } from "../../kubernetes/apps/commands.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { CommandReporter } from "../actors/actorObserver.ts"
import type { CommandRefused, Controller, ReconcilerServices } from "./controller.ts"
import type { ReconcilerParts } from "./reconcileKey.ts"

/** Handles the failure of a key's turn: tells the chart of a refusal, or discards an actor that has thrown. */
export const makeTurnRecovery = <R extends GroupResource>(
  { resource }: Controller<R>,
  { view, onDefect }: Pick<ReconcilerServices, "view" | "onDefect">,
  { keyedActors, commandRunner, backOffs }: ReconcilerParts
): Recover => {
  const onRefused = (
    key: Key,
    { command, error }: CommandRefused,
    commandReporter: CommandReporter
  ): Effect.Effect<void> => {
    const retry = Effect.sync(() => backOffs.retryLater(key))
    const actor = keyedActors.get(key)
    if (actor === undefined) return retry
    // Later commands were emitted on the assumption that the refused one would succeed.
    actor.takeCommands()
    const refusal: CommandRefusal = { command, reason: reasonOf(error), message: error.message }
    actor.send({ type: "refused", refusal } as { readonly type: string })
    const performing = commandRunner.perform(key, actor.takeCommands(), commandReporter)
    const performAnswer = Effect.ignore(performing ?? Effect.void)
    const finish = Effect.sync(() => {
      commandReporter.end()
      commandRunner.finish(key)
    })
    return Effect.andThen(Effect.ensuring(performAnswer, finish), retry)
  }
  const discardActor = (key: Key, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    const object = view.get(resource, key)
    keyedActors.discard(key)
    if (object === undefined) return Effect.void
    const retry = Effect.sync(() => backOffs.retryLater(key))
    return Effect.andThen(onDefect(object, cause), retry)
  }
  const recover: Recover = (key, cause, commandReporter) => {
    const refusal = Cause.findErrorOption(cause)
    return Option.isSome(refusal) ? onRefused(key, refusal.value, commandReporter) : discardActor(key, cause)
  }
  return (key, cause, commandReporter) =>
    Effect.catchCause(
      Effect.suspend(() => recover(key, cause, commandReporter)),
      (secondCause) => discardActor(key, secondCause)
    )
}

type Recover = (
  key: Key,
  cause: Cause.Cause<CommandRefused>,
  commandReporter: CommandReporter
) => Effect.Effect<void>

/** The reason of a forbidden write is its cause, such as `NamespaceTerminating`. */
const reasonOf = ({ _tag, cause }: CommandRefused["error"]): string =>
  _tag === "Forbidden" && typeof cause === "string" ? cause : _tag
