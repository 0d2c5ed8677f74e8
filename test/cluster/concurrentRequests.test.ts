import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, createObject, withCluster, type ClusterService } from "./testCluster.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"

const ask = (cluster: ClusterService, version: string) =>
  cluster.step(
    cluster.store.modify(
      { resource: resources.deployments, key: "default/web" },
      (object) => ({ ...object, spec: deploymentManifest({ version }).spec }) as Draft
    )
  )

/** Waits until the server has read all concurrent requests. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const images = (cluster: ClusterService): ReadonlyArray<string | undefined> =>
  [...cluster.view.all(resources.replicaSets)].map(
    ({ spec }) => spec.template.spec?.containers[0]?.image?.split(":")[1]
  )

describe.each(["virtual", "real"] as const)("requests on a %s clock", (clock) => {
  it("reach the controllers at the end of their turn", () =>
    withCluster({ clock }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({}))
        ask(cluster, "v2")
        expect(images(cluster)).toEqual(["v1"])
        yield* turn
        yield* turn
        expect(images(cluster)).toEqual(["v1", "v2"])
      })
    ))

  it("of one turn reach the controllers together: a template that is replaced at once is not rolled out", () =>
    withCluster({ clock }, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({}))
        ask(cluster, "v2")
        ask(cluster, "v3")
        yield* turn
        yield* turn
        expect(images(cluster)).toEqual(["v1", "v3"])
      })
    ))
})
