import * as Effect from "effect/Effect"
import { bootstrapStore } from "../../cluster/bootstrap.ts"
import { applyDocuments } from "../../manifests/applyManifests.ts"
import { makeMemoryStore } from "../../store/memoryStore.ts"
import type { DecodedInput } from "./readInput.ts"
import type { ManifestsRefused } from "../../manifests/manifestsRefused.ts"
import type { ObjectStore } from "../../store/objectStore.ts"
import type { Snapshot } from "../../cluster/snapshots/snapshot.ts"

export const applyInputFiles =
  ({ files }: Pick<DecodedInput, "files">) =>
  (store: ObjectStore["Service"]): Effect.Effect<void, ManifestsRefused> =>
    Effect.forEach(files, ({ documents }) => applyDocuments(store, documents), { discard: true })

/** Finds errors before the real run, in a store without controllers. */
export const dryRun = Effect.fnUntraced(function* <A>(
  write: (store: ObjectStore["Service"]) => Effect.Effect<A, ManifestsRefused>,
  {
    snapshot,
    strategyTypes
  }: {
    readonly snapshot?: Snapshot | undefined
    /** Values of `spec.strategy.type`; undefined for the built-in ones. */
    readonly strategyTypes?: ReadonlyArray<string> | undefined
  } = {}
): Effect.fn.Return<A, ManifestsRefused> {
  const nowMillis = (): number => snapshot?.nowMillis ?? 0
  const { store } = makeMemoryStore({
    nowMillis,
    seed: 1,
    from: snapshot?.store,
    ...(strategyTypes === undefined ? {} : { strategies: strategyTypes })
  })
  // A new cluster has namespaces before the first write; nodes do not matter here.
  if (snapshot === undefined) yield* Effect.orDie(bootstrapStore(store, { count: 0 }))
  return yield* write(store)
})
