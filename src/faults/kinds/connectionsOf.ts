import * as Effect from "effect/Effect"
import type { ClientConnection } from "../clientConnection.ts"
import type { Party } from "../schemas/faultFields.ts"
import type { LedgerExcuse, FaultContext, FaultEffect } from "../faultKind.ts"

export const connectionsOf = (
  party: Party,
  { connections, clients }: FaultContext
): ReadonlyArray<ClientConnection> => {
  if (party === "clients") return [clients]
  if (party === "controllers") return [...connections.values()]
  const connection = connections.get(party)
  return connection === undefined ? [] : [connection]
}

export const beginOnEach = (
  connections: ReadonlyArray<ClientConnection>,
  beginOn: (connection: ClientConnection) => () => void
): FaultEffect => {
  const ends = connections.map(beginOn)
  return { end: Effect.sync(() => ends.forEach((end) => end())) }
}

/** A story's ledger judges only controllers. */
export const excuseOfLateView = ({ of }: { readonly of: Party }): LedgerExcuse | undefined =>
  of === "clients" ? undefined : { controller: of, isViewLate: true }
