import * as Effect from "effect/Effect"
import type { ClientConnection } from "../clientConnection.ts"
import type { Party } from "../schemas/faultFields.ts"
import type { ControllerHindrance, FaultContext, FaultEffect } from "../faultKind.ts"

export const connectionsOf = (
  party: Party,
  { connections, clients }: FaultContext
): ReadonlyArray<ClientConnection> => {
  if (party === "clients") return [clients]
  if (party === "controllers") return [...connections.values()]
  const connection = connections.get(party)
  return connection === undefined ? [] : [connection]
}

/** `beginOn` begins the fault on one connection and returns how to end it. */
export const applyToEach = (
  connections: ReadonlyArray<ClientConnection>,
  beginOn: (connection: ClientConnection) => () => void
): FaultEffect => {
  const ends = connections.map(beginOn)
  return { end: Effect.sync(() => ends.forEach((end) => end())) }
}

/** The controllers of a party act late, or on old objects. No rule is for clients from outside. */
export const lateHindrance = ({ of }: { readonly of: Party }): ControllerHindrance | undefined =>
  of === "clients" ? undefined : { controller: of, isLate: true }
