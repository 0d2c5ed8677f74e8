import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { choosePods } from "../../src/faults/pods/choosePods.ts"
import { aManifest, begin, change } from "../cluster/worlds.ts"
import { tell } from "./world.ts"
import type { PodChoice } from "../../src/faults/fault.ts"
import type { Told } from "./world.ts"

const chosen = ({ cluster }: Told, choice: PodChoice, seed = 1, telling: ReadonlyArray<unknown> = []) =>
  choosePods({ view: cluster.view, choice, among: () => true, seed, telling }).map(
    ({ metadata: { namespace, name } }) => `${namespace}/${name}`
  )

/** A rollout of `web` half way, `shop/web` of the same labels, and `other`. */
const aTown = <A, E>(story: (told: Told) => Effect.Effect<A, E>): Promise<A> =>
  tell({ manifest: { replicas: 6 } }, (told) =>
    Effect.gen(function* () {
      const { cluster, pass } = told
      yield* begin(cluster, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
      const shop = aManifest({ replicas: 2 })
      yield* begin(cluster, { ...shop, metadata: { ...shop.metadata, namespace: "shop" } })
      yield* begin(cluster, aManifest({ name: "other", replicas: 1 }))
      yield* pass(30)
      yield* change(cluster, aManifest({ replicas: 6, version: "v2" }))
      yield* pass(1)
      return yield* story(told)
    })
  )

describe("a choice of Pods", () => {
  it("is everybody where nothing is said, in the order of their names", () =>
    aTown((told) =>
      Effect.sync(() => {
        const all = chosen(told, {})
        expect(all).toHaveLength(told.podsOf().length)
        expect(all).toEqual([...all].sort())
        expect(all.filter((key) => key.startsWith("shop/"))).toHaveLength(2)
      })
    ))

  it.each<{ readonly why: string; readonly choice: PodChoice; readonly count: number }>([
    { why: "those of a Deployment, in its namespace", choice: { deployment: "web" }, count: 9 },
    {
      why: "those of its namesake elsewhere",
      choice: { deployment: "web", namespace: "shop" },
      count: 2
    },
    { why: "those of its present template", choice: { deployment: "web", revision: "new" }, count: 3 },
    { why: "those of templates before", choice: { deployment: "web", revision: "old" }, count: 6 },
    { why: "those with a label", choice: { labels: { app: "other" } }, count: 1 },
    { why: "those with a label anywhere", choice: { labels: { app: "web" } }, count: 11 },
    { why: "those of a namespace", choice: { namespace: "shop" }, count: 2 },
    { why: "those whose name fits", choice: { name: "other-*" }, count: 1 },
    { why: "nobody where two things contradict", choice: { name: "other-*", namespace: "shop" }, count: 0 }
  ])("may be $why", ({ choice, count }) =>
    aTown((told) => Effect.sync(() => expect(chosen(told, choice)).toHaveLength(count)))
  )

  it("may be those on a node", () =>
    aTown((told) =>
      Effect.sync(() => {
        const there = told.podsOf().filter(({ spec }) => spec.nodeName === "node-2")
        expect(there.length).toBeGreaterThan(1)
        expect(chosen(told, { node: "node-2" })).toHaveLength(there.length)
      })
    ))

  it("draws as many as are wanted, the same for the same seed and fault, whatever else is drawn", () =>
    aTown((told) =>
      Effect.sync(() => {
        const choice = { deployment: "web", count: 4 }
        const draw = (seed: number, telling: ReadonlyArray<unknown>) => chosen(told, choice, seed, telling)
        const first = draw(7, [{ fault: "kill", pods: choice }, 1000])
        expect(first).toHaveLength(4)
        expect(draw(7, [{ pods: choice, fault: "kill" }, 1000])).toEqual(first)
        const others = [
          draw(8, [{ fault: "kill", pods: choice }, 1000]),
          draw(7, [{ fault: "kill", pods: choice }, 1001]),
          draw(7, [{ fault: "fail", pods: choice }, 1000])
        ]
        expect(others.filter((other) => other.join() === first.join())).toEqual([])
        expect(chosen(told, { ...choice, count: 100 })).toEqual(chosen(told, { deployment: "web" }))
      })
    ))

  it("draws each as often as any other", () =>
    aTown((told) =>
      Effect.sync(() => {
        const times = new Map<string, number>()
        for (let at = 0; at < 900; at += 1) {
          for (const key of chosen(told, { deployment: "web", count: 3 }, 3, [at])) {
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

describe("a fault that draws", () => {
  it("meets the same Pods of the same seed, whether others came before it or not", async () => {
    const met = (before: boolean): Promise<ReadonlyArray<string>> =>
      tell({ manifest: { replicas: 9 } }, ({ strike, podsOf }) =>
        Effect.gen(function* () {
          if (before) yield* strike({ fault: "hang", pods: { count: 2 } })
          yield* strike({ fault: "kill", pods: { deployment: "web", count: 3 } })
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
