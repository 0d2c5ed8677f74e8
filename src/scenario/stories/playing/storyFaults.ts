import * as Effect from "effect/Effect"
import { drawRandomFaults } from "../../../faults/randomFaults.ts"
import { faultText } from "../../../faults/faultText.ts"
import { kindOf } from "../../../faults/kinds/faultKinds.ts"
import { parseDuration } from "../../../kubernetes/meta/amounts/durations.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { LedgerExcuse } from "../../../faults/faultKind.ts"
import type { Fault } from "../../../faults/fault.ts"
import type { FaultHandle } from "../../../faults/activeFaults.ts"
import type { FaultRefused } from "../../../faults/faultRefused.ts"
import type { FaultRun } from "../storyRun.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { Story } from "../story.ts"

export interface StoryFaults {
  readonly begin: (fault: Fault) => Effect.Effect<void, FaultRefused>
  /** Must run on the cluster's timeline from the story's beginning. */
  readonly runScheduled: Effect.Effect<void>
  readonly areOver: () => boolean
  /** Milliseconds since the story's beginning. */
  readonly lastPendingMillis: () => number | undefined
  readonly runs: () => ReadonlyArray<FaultRun>
  readonly refusals: () => ReadonlyArray<{ readonly atMillis: number; readonly message: string }>
}

interface ScheduledFault {
  readonly atMillis: number
  readonly fault: Fault
  readonly isRandom: boolean
}

interface BegunFault extends Omit<ScheduledFault, "atMillis"> {
  readonly beganMillis: number
  readonly handle: FaultHandle
}

export const makeStoryFaults = (options: {
  readonly cluster: Cluster["Service"]
  readonly ledger: Ledger
  readonly story: Pick<Story, "faults" | "weather">
  readonly seed: number
  readonly beginMillis: () => number
}): StoryFaults => {
  const { cluster, ledger, story, seed, beginMillis } = options
  const { faults = [], weather } = story
  const randomFaults = weather === undefined ? [] : drawRandomFaults(weather, seed)
  const scheduled: ReadonlyArray<ScheduledFault> = [
    ...faults.map(({ at, ...fault }) => ({
      atMillis: parseDuration(at) ?? 0,
      fault: fault as Fault,
      isRandom: false
    })),
    ...randomFaults.map((randomFault) => ({ ...randomFault, isRandom: true }))
  ]
  const begunFaults: Array<BegunFault> = []
  const refusals: Array<{ readonly atMillis: number; readonly message: string }> = []
  const pending = new Set(scheduled)
  let beginningFault: Fault | undefined
  ledger.addDeletionExplainer((pod) => {
    // `kill` deletes Pods while it begins.
    const activeFaults = cluster.faultInjector.active().map(({ fault }) => fault)
    const cause = (beginningFault === undefined ? activeFaults : [beginningFault, ...activeFaults]).find(
      (fault) => kindOf(fault).deletes?.(fault, pod) === true
    )
    return cause === undefined ? undefined : faultText(cause)
  })

  const millisSinceBegin = (): number => cluster.nowMillis() - beginMillis()
  const begin = Effect.fnUntraced(function* (
    fault: Fault,
    { isRandom }: { readonly isRandom: boolean }
  ): Effect.fn.Return<void, FaultRefused> {
    const beganMillis = millisSinceBegin()
    beginningFault = fault
    const handle = yield* Effect.ensuring(
      cluster.faultInjector.begin(fault, { isValidated: true }),
      Effect.sync(() => {
        beginningFault = undefined
      })
    )
    // A refused fault excuses no controller.
    const excuse = excuseOf(fault)
    if (excuse !== undefined) ledger.excuse(excuse)
    begunFaults.push({ fault, isRandom, beganMillis, handle })
  })
  const endedMillisOf = ({ handle }: BegunFault): number | undefined => {
    const endedMillis = handle.endedMillis()
    return endedMillis === undefined ? undefined : endedMillis - beginMillis()
  }
  const beginAtTime = (scheduledFault: ScheduledFault): Effect.Effect<void> =>
    Effect.gen(function* () {
      const { atMillis, fault, isRandom } = scheduledFault
      const leftMillis = atMillis - millisSinceBegin()
      if (leftMillis > 0) yield* Effect.sleep(leftMillis)
      pending.delete(scheduledFault)
      yield* begin(fault, { isRandom })
    }).pipe(
      Effect.catchTag("FaultRefused", ({ message }) =>
        Effect.sync(() => {
          refusals.push({ atMillis: millisSinceBegin(), message })
          cluster.addNote("failure", message)
        })
      )
    )
  return {
    begin: (fault) => begin(fault, { isRandom: false }),
    runScheduled: Effect.forEach(scheduled, beginAtTime, { concurrency: "unbounded", discard: true }),
    areOver: () =>
      pending.size === 0 &&
      begunFaults.every(
        (begunFault) => begunFault.fault.for === undefined || endedMillisOf(begunFault) !== undefined
      ),
    lastPendingMillis: () =>
      pending.size === 0 ? undefined : Math.max(...[...pending].map(({ atMillis }) => atMillis)),
    runs: () =>
      begunFaults.map((begunFault) => {
        const { fault, beganMillis, isRandom, handle } = begunFault
        const affectedCount = affectsClients(fault) ? 0 : handle.met()
        return {
          text: faultText(fault),
          beganMillis,
          endedMillis: endedMillisOf(begunFault),
          met: affectedCount,
          isRandom
        }
      }),
    refusals: () => refusals
  }
}

/** Steps are no clients, so faults of clients affect nothing in a story. */
const affectsClients = (fault: Fault): boolean => "of" in fault && fault.of === "clients"

const excuseOf = (fault: Fault): LedgerExcuse | undefined => {
  const excuse = kindOf(fault).ledgerExcuse?.(fault)
  if (excuse === undefined) return undefined
  // Writes that the fault delays arrive after its end.
  const delayMillis = "by" in fault && typeof fault.by === "string" ? (parseDuration(fault.by) ?? 0) : 0
  const lastsMillis = fault.for === undefined ? undefined : (parseDuration(fault.for) ?? 0) + delayMillis
  return { lastsMillis, ...excuse }
}
