import * as Effect from "effect/Effect"
import type { Link } from "../store/link.ts"
import type { Party } from "./fault.ts"
import type { FaultWorld } from "./faultWorld.ts"

/** By what those are connected to the cluster whom a fault meets. */
export const linksOf = (party: Party, { links, clients }: FaultWorld): ReadonlyArray<Link> => {
  if (party === "clients") return [clients]
  if (party === "controllers") return [...links.values()]
  const link = links.get(party)
  return link === undefined ? [] : [link]
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
