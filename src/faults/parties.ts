import * as Effect from "effect/Effect"
import type { Link } from "../store/link.ts"
import type { Party } from "./fault.ts"
import type { FaultWorld, FaultEffect } from "./faultWorld.ts"

export const connectionsOf = (party: Party, { links, clients }: FaultWorld): ReadonlyArray<Link> => {
  if (party === "clients") return [clients]
  if (party === "controllers") return [...links.values()]
  const link = links.get(party)
  return link === undefined ? [] : [link]
}

export const applyToEach = (links: ReadonlyArray<Link>, hang: (link: Link) => () => void): FaultEffect => {
  const ends = links.map(hang)
  return { end: Effect.sync(() => ends.forEach((end) => end())) }
}
