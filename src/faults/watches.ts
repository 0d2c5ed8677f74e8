import * as Effect from "effect/Effect"
import { millisOf } from "../domain/durations.ts"
import { FaultRefused, hungUp, lasting } from "./faultWorld.ts"
import { linksOf, onEach } from "./parties.ts"
import type { FaultName, Party, ReadScope } from "./fault.ts"
import type { FaultKinds } from "./faultWorld.ts"

interface Reading {
  readonly fault: FaultName
  readonly of: Party
  readonly reads?: ReadScope
}

const checkReads = ({ fault, of, reads }: Reading): Effect.Effect<object, FaultRefused> => {
  if (reads === undefined || of === "clients") return Effect.succeed({})
  const why = "reads is for clients alone: a controller reads what its watches have told"
  return Effect.fail(new FaultRefused({ fault, why }))
}

/**
 * What is heard late, not at all or twice, and what is read that is no longer so. A controller reads from the cache
 * that its watches fill. A client has an API server: what is so now is the answer to whoever names no version, and what
 * the server's own cache has heard of to whoever is content with any (`resourceVersion=0`) and to watches. With
 * `reads: all` it answers everything from there, as a server does that has lost touch with the others.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go, KEP-2340.
 */
export const watchFaults: FaultKinds<"watchLate" | "watchDropped" | "watchRepeated" | "staleReads"> = {
  watchLate: lasting<"watchLate", object>(checkReads, ({ of, by, reads }, world) =>
    onEach(linksOf(of, world), ({ sight }) =>
      together(sight.delay(millisOf(by, "by")), reads === "all" && sight.holdBack())
    )
  ),

  // A client that is cut off knows it, and lists or watches again as soon as it can; a controller's informer does that
  // for it.
  watchDropped: hungUp(({ of }, world) =>
    onEach(linksOf(of, world), ({ sight, watches }) => (of === "clients" ? watches.cut() : sight.drop()))
  ),

  watchRepeated: hungUp(({ of }, world) => onEach(linksOf(of, world), ({ sight }) => sight.repeat())),

  staleReads: lasting<"staleReads", object>(checkReads, ({ of, reads }, world) =>
    onEach(linksOf(of, world), ({ sight }) => together(sight.freeze(), reads === "all" && sight.holdBack()))
  )
}

const together =
  (first: () => void, second: (() => void) | false): (() => void) =>
  () => {
    first()
    if (second !== false) second()
  }
