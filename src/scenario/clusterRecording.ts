import * as Effect from "effect/Effect"
import { makeViolationFilter } from "./ledger/violationFilter.ts"
import { violationTitle } from "./ledger/violations.ts"
import type { Cluster } from "../cluster/cluster.ts"
import type { LedgerOptions } from "./ledger/ledger.ts"

export interface ClusterRecording {
  readonly text: string
  /** False if the beginning was dropped. */
  readonly hasBeginning: boolean
}

/** Nearly every rollout fits into these limits. */
export const recordingLimits = { changesMax: 15_000, stepsMax: 4000 }

/** The returned function also works after the cluster has closed. */
export const makeRecordingReader = (cluster: Cluster["Service"]): Effect.Effect<() => ClusterRecording> =>
  Effect.map(cluster.clusterRecorder, ({ header, text }) => {
    // The header's number is that of the last change before the recording, and grows as entries are dropped.
    const numberAtCreation = header().number
    return () => ({ text: text(), hasBeginning: header().number === numberAtCreation })
  })

/** Notes only the first of similar violations. */
export const noteViolations = ({
  addNote
}: Pick<Cluster["Service"], "addNote">): NonNullable<LedgerOptions["onViolation"]> => {
  const shouldReport = makeViolationFilter()
  return (violation) => {
    if (shouldReport(violation)) addNote("failure", violationTitle(violation))
  }
}
