import * as Effect from "effect/Effect"
import { groupResourceOf } from "../domain/kinds.ts"
import { kindNamed, unknownResource } from "../domain/resourceNames.ts"
import { millisOf } from "../domain/durations.ts"
import { FaultRefused, lasting } from "./faultWorld.ts"
import { linksOf, onEach } from "./parties.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { FaultKinds, FaultNamed, FaultWorld } from "./faultWorld.ts"

/** Which writes are refused, how many were and how many more will be. */
interface Refusals {
  readonly meant: GroupResource | undefined
  readonly refused: number
  readonly left: number
}

/** How many writes were late. */
interface Delays {
  readonly slowed: number
}

const readRefusals = (
  { fault, of, code, resource, verb, times = Infinity }: FaultNamed<"writesRefused">,
  world: FaultWorld
): Effect.Effect<Refusals, FaultRefused> => {
  const refuse = (why: string) => Effect.fail(new FaultRefused({ fault, why }))
  if (of === "clients" && verb === "create" && code === 409) {
    return refuse(
      "what a client creates is not refused with 409 Conflict: say update, patch, delete or status"
    )
  }
  const kind = resource === undefined ? undefined : kindNamed(resource, world.view.kinds)
  if (resource !== undefined && kind === undefined) {
    return refuse(unknownResource(resource, world.view.kinds))
  }
  return Effect.succeed({ meant: kind && groupResourceOf(kind), refused: 0, left: times })
}

/**
 * Writes that do not succeed, or not at once. A binding is a `create` of a Pod; what a controller changes without
 * saying what the whole object is to be is a `patch`; a client's are known by what it requests. A 429 is asked again by
 * a controller after a second, ten times, before it counts as refused, as by client-go. What a controller's events are
 * written by is not met: upstream a recorder of its own writes them, and nobody waits for it.
 */
export const writeFaults: FaultKinds<"writesRefused" | "writesSlow"> = {
  writesRefused: lasting(readRefusals, (fault, world, { meant, ...before }) => {
    // `times` counts the refusals of all whom it meets.
    let { refused, left } = before
    const { end } = onEach(linksOf(fault.of, world), ({ gate }) =>
      gate.refuse({
        code: fault.code,
        matches: ({ resource, verb }) =>
          (meant === undefined || resource === meant) && (fault.verb === undefined || verb === fault.verb),
        refused: () => {
          refused += 1
          left -= 1
          if (left === 0) world.over()
        }
      })
    )
    return { end, met: () => refused, save: (): Refusals => ({ meant, refused, left }) }
  }),

  writesSlow: lasting(
    () => Effect.succeed<Delays>({ slowed: 0 }),
    ({ of, by }, world, before) => {
      let { slowed } = before
      const { end } = onEach(linksOf(of, world), ({ gate }) =>
        gate.slow(millisOf(by, "by"), () => {
          slowed += 1
        })
      )
      return { end, met: () => slowed, save: (): Delays => ({ slowed }) }
    }
  )
}
