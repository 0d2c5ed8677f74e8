import * as Effect from "effect/Effect"
import type { World } from "./world.ts"

const batch = 2000

/** Writes until the cluster has forgotten what there is now: a list of it has expired, and so has a watch. */
export const outlive = async ({ run, store, view }: World["cluster"]): Promise<void> => {
  const since = view.version()
  const metadata = { name: "ticker", namespace: "kube-public" }
  const ref = { resource: "configmaps", key: "kube-public/ticker" }
  await Effect.runPromise(run(store.create({ apiVersion: "v1", kind: "ConfigMap", metadata })))
  for (let count = 0; view.since(since) !== undefined; count += batch) {
    const ticks = Array.from({ length: batch }, (_, index) =>
      store.modify(ref, (object) => ({ ...object, data: { count: String(count + index) } }))
    )
    await Effect.runPromise(run(Effect.all(ticks, { discard: true })))
  }
}
