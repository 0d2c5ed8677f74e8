import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, inCluster, type Living } from "./worlds.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"

/** What a server does for its clients: writes that come from outside, and are answered before anybody acts on them. */
const ask = (cluster: Living, version: string) =>
  cluster.step(
    cluster.store.modify(
      { resource: resources.deployments, key: "default/web" },
      (object) => ({ ...object, spec: aManifest({ version }).spec }) as Draft
    )
  )

/** As long as it takes the server to hear all who have come meanwhile. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const images = (cluster: Living): ReadonlyArray<string | undefined> =>
  [...cluster.view.all(resources.replicaSets)].map(
    ({ spec }) => spec.template.spec?.containers[0]?.image?.split(":")[1]
  )

describe.each(["virtual", "real"] as const)("requests on a %s clock", (clock) => {
  it("are acted on when the turn of those who came together is over", () =>
    inCluster({ clock }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({}))
        ask(cluster, "v2")
        expect(images(cluster)).toEqual(["v1"])
        yield* turn
        yield* turn
        expect(images(cluster)).toEqual(["v1", "v2"])
      })
    ))

  it("that came together are acted on once: what is replaced at once is never rolled out", () =>
    inCluster({ clock }, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({}))
        ask(cluster, "v2")
        ask(cluster, "v3")
        yield* turn
        yield* turn
        expect(images(cluster)).toEqual(["v1", "v3"])
      })
    ))
})
