import * as Effect from "effect/Effect"
import { allKinds, groupResourceOf } from "../domain/kinds.ts"
import { millisOf } from "../domain/durations.ts"
import { FaultRefused } from "./faultWorld.ts"
import { linksOf, onEach } from "./parties.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Write } from "../store/gatedStore.ts"
import type { Beginnings, FaultNamed, FaultWorld } from "./faultWorld.ts"

/**
 * Writes that do not succeed, or not at once. A binding is a `create` of a Pod; what a controller changes without
 * saying what the whole object is to be is a `patch`; a client's are known by what it requests. A 429 is asked again by
 * a controller after a second, ten times, before it counts as refused, as by client-go. What a controller's events are
 * written by is not met: upstream a recorder of its own writes them, and nobody waits for it.
 */
export const writeFaults: Beginnings<"writesRefused" | "writesSlow"> = {
  writesRefused: (fault, world) =>
    Effect.flatMap(readMatch(fault, world), (matches) => {
      // `times` counts the refusals of all whom it meets.
      let left = fault.times ?? Infinity
      return onEach(linksOf(fault.of, world), ({ gate }) =>
        gate.refuse({
          code: fault.code,
          matches: (write) => left > 0 && matches(write),
          refused: () => {
            left -= 1
            if (left === 0) world.over()
          }
        })
      )
    }),

  writesSlow: ({ of, by }, world) => onEach(linksOf(of, world), ({ gate }) => gate.slow(millisOf(by, "by")))
}

/** Which writes a fault means. */
const readMatch = (
  { fault, of, code, resource, verb }: FaultNamed<"writesRefused">,
  world: FaultWorld
): Effect.Effect<(write: Write) => boolean, FaultRefused> => {
  const refuse = (why: string) => Effect.fail(new FaultRefused({ fault, why }))
  if (of === "clients" && verb === "create" && code === 409) {
    return refuse(
      "what a client creates is not refused with 409 Conflict: say update, patch, delete or status"
    )
  }
  const meant = resource === undefined ? undefined : resourceNamed(resource, world)
  if (resource !== undefined && meant === undefined) {
    return refuse(`the server doesn't have a resource type ${JSON.stringify(resource)}`)
  }
  return Effect.succeed(
    (write) =>
      (meant === undefined || write.resource === meant) && (verb === undefined || write.verb === verb)
  )
}

/** A resource as people name it: `replicasets`, `replicaset`, `rs`, `replicasets.apps`, `ReplicaSet`. */
const resourceNamed = (text: string, { view }: FaultWorld): GroupResource | undefined => {
  const name = text.toLowerCase()
  const kind = [...allKinds, ...view.kinds.custom()].find((it) =>
    [groupResourceOf(it), it.plural, it.kind.toLowerCase(), ...(it.shortNames ?? [])].includes(name)
  )
  return kind === undefined ? undefined : groupResourceOf(kind)
}
