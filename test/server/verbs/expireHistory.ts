import * as Effect from "effect/Effect"
import type { TestServer } from "../testServer.ts"

const batch = 2000

/** Writes until the history has dropped the current version: lists and watches from it have expired. */
export const expireHistory = async ({ run, store, view }: TestServer["cluster"]): Promise<void> => {
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
