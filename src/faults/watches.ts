import * as Effect from "effect/Effect"
import { millisOf } from "../domain/durations.ts"
import { FaultRefused } from "./faultWorld.ts"
import { linksOf, onEach } from "./parties.ts"
import type { FaultName, Party, ReadScope } from "./fault.ts"
import type { Beginnings } from "./faultWorld.ts"

/**
 * What is heard late, not at all or twice, and what is read that is no longer so. A controller reads from the cache
 * that its watches fill. A client has an API server: what is so now is the answer to whoever names no version, and what
 * the server's own cache has heard of to whoever is content with any (`resourceVersion=0`) and to watches. With
 * `reads: all` it answers everything from there, as a server does that has lost touch with the others.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go, KEP-2340.
 */
export const watchFaults: Beginnings<"watchLate" | "watchDropped" | "watchRepeated" | "staleReads"> = {
  watchLate: ({ fault, of, by, reads }, world) =>
    Effect.flatMap(meetsAllReads(fault, of, reads), (all) => {
      const millis = millisOf(by, "by")
      return onEach(linksOf(of, world), ({ sight }) => together(sight.delay(millis), all && sight.holdBack()))
    }),

  // A client that is cut off knows it, and lists or watches again as soon as it can; a controller's informer does that
  // for it.
  watchDropped: ({ of }, world) =>
    onEach(linksOf(of, world), ({ sight, watches }) => (of === "clients" ? watches.cut() : sight.drop())),

  watchRepeated: ({ of }, world) => onEach(linksOf(of, world), ({ sight }) => sight.repeat()),

  staleReads: ({ fault, of, reads }, world) =>
    Effect.flatMap(meetsAllReads(fault, of, reads), (all) =>
      onEach(linksOf(of, world), ({ sight }) => together(sight.freeze(), all && sight.holdBack()))
    )
}

const meetsAllReads = (
  fault: FaultName,
  of: Party,
  reads: ReadScope | undefined
): Effect.Effect<boolean, FaultRefused> => {
  if (reads === undefined || of === "clients") return Effect.succeed(reads === "all")
  const why = "reads is for clients alone: a controller reads what its watches have told"
  return Effect.fail(new FaultRefused({ fault, why }))
}

const together =
  (first: () => void, second: (() => void) | false): (() => void) =>
  () => {
    first()
    if (second !== false) second()
  }
