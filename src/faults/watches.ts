import * as Effect from "effect/Effect"
import { readMillis } from "./faultWorld.ts"
import { linksOf, onEach } from "./parties.ts"
import type { Beginnings } from "./faultWorld.ts"

/**
 * What is heard late, not at all or twice, and what is read that is no longer so. A client's lists and gets are
 * answered by the same cache that its watches come from, as those of an API server are.
 */
export const watchFaults: Beginnings<"watchLate" | "watchDropped" | "watchRepeated" | "staleReads"> = {
  watchLate: ({ fault, of, by }, world) =>
    Effect.gen(function* () {
      const links = yield* linksOf(fault, of, world)
      const millis = yield* readMillis(fault, "by", by)
      return yield* onEach(links, ({ sight }) => sight.delay(millis))
    }),

  // A client that is cut off knows it, and lists or watches again as soon as it can; a controller's informer does that
  // for it.
  watchDropped: ({ fault, of }, world) =>
    Effect.flatMap(linksOf(fault, of, world), (links) =>
      onEach(links, ({ sight, watches }) => (of === "clients" ? watches.cut() : sight.drop()))
    ),

  watchRepeated: ({ fault, of }, world) =>
    Effect.flatMap(linksOf(fault, of, world), (links) => onEach(links, ({ sight }) => sight.repeat())),

  staleReads: ({ fault, of }, world) =>
    Effect.flatMap(linksOf(fault, of, world), (links) => onEach(links, ({ sight }) => sight.freeze()))
}
