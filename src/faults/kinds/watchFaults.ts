import * as Effect from "effect/Effect"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { lastingKindWithoutState, lastingKind } from "../faultKind.ts"
import { FaultRefused } from "../faultRefused.ts"
import { beginOnEach, connectionsOf, excuseOfLateView } from "./connectionsOf.ts"
import { partyText, verbFor } from "./partyText.ts"
import type { FaultName } from "../fault.ts"
import type { Party, ReadScope } from "../schemas/faultFields.ts"
import type { FaultKinds } from "../faultKind.ts"
import type { WatchFaultTypes } from "../schemas/watchFaultSchemas.ts"

interface FaultOfReads {
  readonly fault: FaultName
  readonly of: Party
  readonly reads?: ReadScope
}

const checkReads = ({ fault, of, reads }: FaultOfReads): Effect.Effect<object, FaultRefused> => {
  // An object, since an undefined state says that the fault is over.
  if (reads === undefined || of === "clients") return Effect.succeed({})
  const why = "reads is for clients alone: a controller reads only the cache that its watches fill"
  return Effect.fail(new FaultRefused({ fault, why }))
}

/**
 * A controller reads from the cache that its watches fill. A client reads the latest objects, unless it accepts a
 * cached answer (`resourceVersion=0`).
 * Source: apiserver/pkg/storage/cacher/cacher.go, KEP-2340.
 */
export const watchFaults: FaultKinds<keyof WatchFaultTypes> = {
  watchLate: lastingKind<"watchLate", object>({
    text: (fault) =>
      `${partyText(fault.of)} ${verbFor(fault.of, "hears", "hear")} of changes ${fault.by} late${readsText(fault)}`,
    ledgerExcuse: excuseOfLateView,
    begin: checkReads,
    makeLasting: ({ of, by, reads }, context) =>
      beginOnEach(connectionsOf(of, context), ({ faultyView, makeLatestReadsStale }) =>
        endBoth(
          faultyView.delayChanges(toDurationMillis(by, "by")),
          reads === "all" && makeLatestReadsStale()
        )
      )
  }),

  watchDropped: lastingKindWithoutState({
    text: ({ of }) => `${partyText(of)} ${verbFor(of, "loses its", "lose their")} watches`,
    ledgerExcuse: excuseOfLateView,
    makeLasting: ({ of }, context) =>
      beginOnEach(connectionsOf(of, context), ({ faultyView, watches }) =>
        of === "clients" ? watches.cut() : faultyView.dropChanges()
      )
  }),

  watchRepeated: lastingKindWithoutState({
    text: ({ of }) => `${partyText(of)} ${verbFor(of, "hears", "hear")} of every change twice`,
    ledgerExcuse: excuseOfLateView,
    makeLasting: ({ of }, context) =>
      beginOnEach(connectionsOf(of, context), ({ faultyView }) => faultyView.repeatChanges())
  }),

  staleReads: lastingKind<"staleReads", object>({
    text: (fault) =>
      `${partyText(fault.of)} ${verbFor(fault.of, "reads", "read")} objects as they were before${readsText(fault)}`,
    ledgerExcuse: excuseOfLateView,
    begin: checkReads,
    makeLasting: ({ of, reads }, context) =>
      beginOnEach(connectionsOf(of, context), ({ faultyView, makeLatestReadsStale }) =>
        endBoth(faultyView.freezeReads(), reads === "all" && makeLatestReadsStale())
      )
  })
}

const readsText = ({ reads }: FaultOfReads): string => (reads === "all" ? ", in all reads" : "")

const endBoth =
  (endViewFault: () => void, endStaleReads: (() => void) | false): (() => void) =>
  () => {
    endViewFault()
    if (endStaleReads !== false) endStaleReads()
  }
