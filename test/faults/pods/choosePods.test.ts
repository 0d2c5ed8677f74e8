import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest } from "../../builders.ts"
import { choosePods } from "../../../src/faults/pods/choosePods.ts"
import { deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { inFaultCluster } from "../faultCluster.ts"
import type { PodChoice } from "../../../src/faults/schemas/faultFields.ts"
import type { FaultCluster } from "../faultCluster.ts"

const chosenKeys = (
  { cluster }: FaultCluster,
  choice: PodChoice,
  seed = 1,
  seedParts: ReadonlyArray<unknown> = []
) =>
  choosePods({ view: cluster.view, choice, canAffect: () => true, seed, randomPurpose: seedParts }).map(
    ({ metadata: { namespace, name } }) => `${namespace}/${name}`
  )

/** `web` in the middle of a rollout, `shop/web` with the same labels, and `other`. */
const withThreeDeployments = <A, E>(story: (fixture: FaultCluster) => Effect.Effect<A, E>): Promise<A> =>
  inFaultCluster({ manifest: { replicas: 6 } }, (fixture) =>
    Effect.gen(function* () {
      const { cluster, pass } = fixture
      yield* createObject(cluster, namespaceManifest("shop"))
      const shop = deploymentManifest({ replicas: 2 })
      yield* createObject(cluster, { ...shop, metadata: { ...shop.metadata, namespace: "shop" } })
      yield* createObject(cluster, deploymentManifest({ name: "other", replicas: 1 }))
      yield* pass(30)
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 6, version: "v2" }))
      yield* pass(1)
      return yield* story(fixture)
    })
  )

describe("a choice of Pods", () => {
  it("is every Pod in the order of names when it is empty", () =>
    withThreeDeployments((fixture) =>
      Effect.sync(() => {
        const all = chosenKeys(fixture, {})
        expect(all).toHaveLength(fixture.podsOf().length)
        expect(all).toEqual([...all].sort())
        expect(all.filter((key) => key.startsWith("shop/"))).toHaveLength(2)
      })
    ))

  it.each<{ readonly why: string; readonly choice: PodChoice; readonly count: number }>([
    { why: "Pods of a Deployment in the default namespace", choice: { deployment: "web" }, count: 9 },
    {
      why: "Pods of a Deployment in another namespace",
      choice: { deployment: "web", namespace: "shop" },
      count: 2
    },
    { why: "Pods of the current template", choice: { deployment: "web", revision: "new" }, count: 3 },
    { why: "Pods of former templates", choice: { deployment: "web", revision: "old" }, count: 6 },
    { why: "Pods with a label", choice: { labels: { app: "other" } }, count: 1 },
    { why: "Pods with a label in any namespace", choice: { labels: { app: "web" } }, count: 11 },
    { why: "Pods of a namespace", choice: { namespace: "shop" }, count: 2 },
    { why: "Pods whose name matches a pattern", choice: { name: "other-*" }, count: 1 },
    { why: "no Pod when two fields contradict", choice: { name: "other-*", namespace: "shop" }, count: 0 }
  ])("may be $why", ({ choice, count }) =>
    withThreeDeployments((fixture) =>
      Effect.sync(() => expect(chosenKeys(fixture, choice)).toHaveLength(count))
    )
  )

  it("may be the Pods on a node", () =>
    withThreeDeployments((fixture) =>
      Effect.sync(() => {
        const there = fixture.podsOf().filter(({ spec }) => spec.nodeName === "node-2")
        expect(there.length).toBeGreaterThan(1)
        expect(chosenKeys(fixture, { node: "node-2" })).toHaveLength(there.length)
      })
    ))

  it("draws count Pods, the same for the same seed, fault and time", () =>
    withThreeDeployments((fixture) =>
      Effect.sync(() => {
        const choice = { deployment: "web", count: 4 }
        const draw = (seed: number, seedParts: ReadonlyArray<unknown>) =>
          chosenKeys(fixture, choice, seed, seedParts)
        const first = draw(7, [{ fault: "kill", pods: choice }, 1000])
        expect(first).toHaveLength(4)
        expect(draw(7, [{ pods: choice, fault: "kill" }, 1000])).toEqual(first)
        const others = [
          draw(8, [{ fault: "kill", pods: choice }, 1000]),
          draw(7, [{ fault: "kill", pods: choice }, 1001]),
          draw(7, [{ fault: "fail", pods: choice }, 1000])
        ]
        expect(others.filter((other) => other.join() === first.join())).toEqual([])
        expect(chosenKeys(fixture, { ...choice, count: 100 })).toEqual(
          chosenKeys(fixture, { deployment: "web" })
        )
      })
    ))

  it("draws each Pod equally often", () =>
    withThreeDeployments((fixture) =>
      Effect.sync(() => {
        const times = new Map<string, number>()
        for (let at = 0; at < 900; at += 1) {
          for (const key of chosenKeys(fixture, { deployment: "web", count: 3 }, 3, [at])) {
            times.set(key, (times.get(key) ?? 0) + 1)
          }
        }
        expect(times.size).toBe(9)
        for (const count of times.values()) {
          expect(count).toBeGreaterThan(240)
          expect(count).toBeLessThan(360)
        }
      })
    ))
})

describe("a fault that draws Pods", () => {
  it("hits the same Pods with the same seed, whether another fault drew before or not", async () => {
    const met = (before: boolean): Promise<ReadonlyArray<string>> =>
      inFaultCluster({ manifest: { replicas: 9 } }, ({ beginFault, podsOf }) =>
        Effect.gen(function* () {
          if (before) yield* beginFault({ fault: "hang", pods: { count: 2 } })
          yield* beginFault({ fault: "kill", pods: { deployment: "web", count: 3 } })
          return podsOf()
            .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
            .map(({ metadata }) => metadata.name)
        })
      )
    const alone = await met(false)
    expect(alone).toHaveLength(3)
    expect(await met(true)).toEqual(alone)
  })
})
