import * as Effect from "effect/Effect"
import { allKinds, groupResourceOf } from "../domain/kinds.ts"
import { FaultRefused, readMillis } from "./faultWorld.ts"
import { linksOf, onEach } from "./parties.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Write } from "../store/gatedStore.ts"
import type { Beginnings, FaultNamed, FaultWorld } from "./faultWorld.ts"

/**
 * Writes that do not succeed, or not at once. A binding is a `create` of a Pod; what a controller or a client changes
 * without saying what the whole object is to be is a `patch`. A 429 is asked again by a controller after a second, ten
 * times, before it counts as refused, as by client-go. What a controller's events are written by is not met: upstream a
 * recorder of its own writes them, and nobody waits for it.
 */
export const writeFaults: Beginnings<"writesRefused" | "writesSlow"> = {
  writesRefused: (fault, world) =>
    Effect.gen(function* () {
      const links = yield* linksOf(fault.fault, fault.of, world)
      const matches = yield* readMatch(fault, world)
      // `times` counts the writes of all whom it meets.
      let left = fault.times ?? Infinity
      const end = yield* onEach(links, ({ gate }) =>
        gate.refuse({
          code: fault.code,
          matches: (write) => left > 0 && matches(write),
          refused: () => {
            left -= 1
            if (left === 0) world.over()
          }
        })
      )
      return end
    }),

  writesSlow: ({ fault, of, by }, world) =>
    Effect.gen(function* () {
      const links = yield* linksOf(fault, of, world)
      const millis = yield* readMillis(fault, "by", by)
      return yield* onEach(links, ({ gate }) => gate.slow(millis))
    })
}

const codes: ReadonlySet<number> = new Set([409, 429, 500, 504])
const verbs: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "status"])

/** Which writes a fault means. */
const readMatch = (
  { fault, code, resource, verb, times }: FaultNamed<"writesRefused">,
  world: FaultWorld
): Effect.Effect<(write: Write) => boolean, FaultRefused> => {
  const refuse = (why: string) => Effect.fail(new FaultRefused({ fault, why }))
  if (!codes.has(code)) return refuse(`code must be one of ${[...codes].join(", ")}, not ${code}`)
  if (verb !== undefined && !verbs.has(verb)) {
    return refuse(`verb must be one of ${[...verbs].join(", ")}, not ${JSON.stringify(verb)}`)
  }
  if (times !== undefined && !(Number.isInteger(times) && times > 0)) {
    return refuse(`times must be a whole number of at least 1, not ${times}`)
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
