import * as Effect from "effect/Effect"
import { FaultRefused } from "./faultWorld.ts"
import type { Link } from "../store/link.ts"
import type { ControllerName, FaultName, Party } from "./fault.ts"
import type { FaultWorld } from "./faultWorld.ts"

/** The controller that a fault names. */
export const controllerNamed = (
  fault: FaultName,
  name: string,
  { links }: FaultWorld
): Effect.Effect<ControllerName, FaultRefused> => {
  const known = [...links.keys()]
  const found = known.find((it) => it === name)
  if (found !== undefined) return Effect.succeed(found)
  const why = `there is no controller ${JSON.stringify(name)}: there are ${known.join(", ")}`
  return Effect.fail(new FaultRefused({ fault, why }))
}

/** By what those are connected to the cluster whom a fault meets. */
export const linksOf = (
  fault: FaultName,
  party: Party,
  world: FaultWorld
): Effect.Effect<ReadonlyArray<Link>, FaultRefused> => {
  const { links, clients } = world
  if (party === "clients") return Effect.succeed([clients])
  if (party === "controllers") return Effect.succeed([...links.values()])
  const found = links.get(party)
  if (found !== undefined) return Effect.succeed([found])
  const known = ["clients", "controllers", ...links.keys()].join(", ")
  const why = `of whom? There is no ${JSON.stringify(party)}: there are ${known}`
  return Effect.fail(new FaultRefused({ fault, why }))
}

/** Begins the same on several links, and ends it on all of them. */
export const onEach = (
  links: ReadonlyArray<Link>,
  begin: (link: Link) => () => void
): Effect.Effect<Effect.Effect<void>> =>
  Effect.sync(() => {
    const ends = links.map(begin)
    return Effect.sync(() => ends.forEach((end) => end()))
  })
