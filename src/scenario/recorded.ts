import * as Effect from "effect/Effect"
import { tellingFirst } from "./ledger/telling.ts"
import { violationTitle } from "./ledger/violations.ts"
import type { Cluster } from "../cluster.ts"
import type { LedgerOptions } from "./ledger/ledger.ts"

/** What has happened in a cluster, in the lines of a recording. */
export interface Recorded {
  readonly text: string
  /** Whether it goes back to when the cluster was made: the oldest is left out where there is too much. */
  readonly isWhole: boolean
}

/** So much is kept that nearly every story and every rollout is there from its beginning, and a page can hold it. */
export const recordedMost = { changesMax: 15_000, stepsMax: 4000 }

/** Answers how to ask what has happened, by then, in a cluster that records; also when it has ended meanwhile. */
export const recordedIn = (cluster: Cluster["Service"]): Effect.Effect<() => Recorded> =>
  Effect.map(cluster.recording, ({ header, text }) => {
    const beginning = header().number
    return () => ({ text: text(), isWhole: header().number === beginning })
  })

/** Says in a recording of broken rules when each is found. */
export const noteBroken = ({
  note
}: Pick<Cluster["Service"], "note">): NonNullable<LedgerOptions["onBroken"]> => {
  const isTold = tellingFirst()
  return (violation) => {
    if (isTold(violation)) note("failure", violationTitle(violation))
  }
}
