import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Refusal } from "../../domain/commands.ts"
import type { GroupResource } from "../../domain/kinds.ts"
import type { Key } from "../../domain/objects.ts"
import type { CommandRefused, Controller, ReconcilerServices } from "../reconciler.ts"
import type { Parts } from "./turn.ts"

/**
 * What comes of a turn that did not succeed: the actor is told of a refusal and may answer to it; one that failed is
 * discarded. Both are tried again. What goes wrong while a refusal is dealt with is a defect like any other.
 */
export const makeRecovering = <R extends GroupResource>(
  { resource }: Controller<R>,
  { view, onDefect }: Pick<ReconcilerServices, "view" | "onDefect">,
  { keyed, performing, backOffs }: Parts
): ((key: Key, cause: Cause.Cause<CommandRefused>) => Effect.Effect<void>) => {
  const refused = (key: Key, { command, error }: CommandRefused): Effect.Effect<void> => {
    const again = Effect.sync(() => backOffs.again(key))
    const actor = keyed.present(key)
    if (actor === undefined) return again
    // Whatever was said after the refused command was said in the belief that it would succeed.
    actor.takeCommands()
    const refusal: Refusal = { command, reason: reasonOf(error), message: error.message }
    actor.send({ type: "refused", refusal } as { readonly type: string })
    const performed = Effect.ignore(performing.perform(key, actor.takeCommands()) ?? Effect.void)
    const over = Effect.sync(() => performing.over(key))
    return Effect.andThen(Effect.ensuring(performed, over), again)
  }
  const failed = (key: Key, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    const object = view.get(resource, key)
    keyed.discard(key)
    if (object === undefined) return Effect.void
    const again = Effect.sync(() => backOffs.again(key))
    return Effect.andThen(onDefect(object, cause), again)
  }
  const recover = (key: Key, cause: Cause.Cause<CommandRefused>): Effect.Effect<void> => {
    const refusal = Cause.findErrorOption(cause)
    return Option.isSome(refusal) ? refused(key, refusal.value) : failed(key, cause)
  }
  return (key, cause) =>
    Effect.catchCause(
      Effect.suspend(() => recover(key, cause)),
      (worse) => failed(key, worse)
    )
}

const reasonOf = ({ _tag, cause }: CommandRefused["error"]): string =>
  _tag === "Forbidden" && typeof cause === "string" ? cause : _tag
