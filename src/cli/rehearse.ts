import * as Effect from "effect/Effect"
import { bootstrap } from "../bootstrap.ts"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { makeMemoryStore } from "../store/memoryStore.ts"
import type { Input } from "./input.ts"
import type { ManifestsRefused } from "../manifests/manifestsRefused.ts"
import type { ObjectStore } from "../store/objectStore.ts"
import type { Snapshot } from "../snapshots/snapshot.ts"

export const applyFiles =
  ({ files }: Pick<Input, "files">) =>
  (store: ObjectStore["Service"]): Effect.Effect<void, ManifestsRefused> =>
    Effect.forEach(files, ({ documents }) => applyDocuments(store, documents), { discard: true })

/** Does it to a store where nothing lives: what would be refused half-way is refused before it begins. */
export const rehearse = Effect.fnUntraced(function* (
  deed: (store: ObjectStore["Service"]) => Effect.Effect<unknown, ManifestsRefused>,
  from?: Snapshot,
  strategies?: ReadonlyArray<string>
): Effect.fn.Return<void, ManifestsRefused> {
  const nowMillis = (): number => from?.nowMillis ?? 0
  const { store } = makeMemoryStore({
    nowMillis,
    seed: 1,
    from: from?.store,
    ...(strategies === undefined ? {} : { strategies })
  })
  if (from === undefined) yield* Effect.orDie(bootstrap(store, { count: 0 }))
  yield* deed(store)
})
