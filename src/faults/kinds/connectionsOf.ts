import * as Effect from "effect/Effect"
import type { ClientConnection } from "../clientConnection.ts"
import type { Party } from "../fault.ts"
import type { FaultContext, FaultEffect } from "../faultKind.ts"

export const connectionsOf = (
  party: Party,
  { links, clients }: FaultContext
): ReadonlyArray<ClientConnection> => {
  if (party === "clients") return [clients]
  if (party === "controllers") return [...links.values()]
  const link = links.get(party)
  return link === undefined ? [] : [link]
}

export const applyToEach = (
  links: ReadonlyArray<ClientConnection>,
  hang: (link: ClientConnection) => () => void
): FaultEffect => {
  const ends = links.map(hang)
  return { end: Effect.sync(() => ends.forEach((end) => end())) }
}
