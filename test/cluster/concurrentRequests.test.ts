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

/** Half a minute of the cluster's time in a millisecond. */
const fastSpeed = 30_000
const stepMillis = 5

const everyMinute = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "report" },
  spec: {
    schedule: "* * * * *",
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "report", image: "report" }] } }
      }
    }
  }
}

it("A request on a fast clock is one step: what it has read is still so when it writes", () =>
  withCluster({}, (cluster) =>
    Effect.gen(function* () {
      yield* createObject(cluster, everyMinute)
      yield* cluster.clock.setSpeed(fastSpeed)
      yield* turn
      const [before, after] = yield* cluster.step(
        Effect.sync(() => {
          const versionBefore = cluster.view.version()
          const startMillis = performance.now()
          while (performance.now() < startMillis + stepMillis);
          cluster.nowMillis()
          return [versionBefore, cluster.view.version()] as const
        })
      )
      expect(after).toBe(before)
      yield* turn
      cluster.nowMillis()
      expect(cluster.view.version()).toBeGreaterThan(before)
    })
  ))
