import * as Effect from "effect/Effect"
import { makeViolationFilter } from "./ledger/violationFilter.ts"
import { violationTitle } from "./ledger/violations.ts"
import type { Cluster } from "../cluster/cluster.ts"
import type { LedgerOptions } from "./ledger/ledger.ts"

export interface ClusterRecording {
  readonly text: string
  /** Whether the recording starts when the cluster was created, so that nothing was dropped. */
  readonly isWhole: boolean
}

/** The newest changes and steps that a recording keeps: nearly every rollout fits, and a page can show as many. */
export const recordingLimits = { changesMax: 15_000, stepsMax: 4000 }

/** Returns a function that reads the recording; it also works after the cluster has closed. */
export const clusterRecording = (cluster: Cluster["Service"]): Effect.Effect<() => ClusterRecording> =>
  Effect.map(cluster.clusterRecorder, ({ header, text }) => {
    // The header's number is that of the last change before the recording starts: it grows as entries are dropped.
    const numberAtCreation = header().number
    return () => ({ text: text(), isWhole: header().number === numberAtCreation })
  })

/** Writes each violation into the cluster's recording; of many similar ones only the first. */
export const noteViolations = ({
  addNote
}: Pick<Cluster["Service"], "addNote">): NonNullable<LedgerOptions["onBroken"]> => {
  const shouldReport = makeViolationFilter()
  return (violation) => {
    if (shouldReport(violation)) addNote("failure", violationTitle(violation))
  }
}
