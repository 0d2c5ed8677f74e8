import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { aManifest, begin, change, eventTexts, inCluster } from "./worlds.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "./worlds.ts"

const aBudget = (spec: object, name = "web") =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec }
  }) as Draft

const pass = (cluster: Living, seconds: number) => Effect.orDie(cluster.advance(seconds * 1000))
const budgetOf = ({ view }: Living, name = "web") => view.get(resources.disruptionBudgets, `default/${name}`)

/** Allowed, healthy, needed, expected, and why. */
const told = (cluster: Living, name = "web") => {
  const { status } = budgetOf(cluster, name) ?? {}
  return [
    status?.disruptionsAllowed,
    status?.currentHealthy,
    status?.desiredHealthy,
    status?.expectedPods,
    conditionOf(status?.conditions, "DisruptionAllowed")?.reason
  ]
}

describe("a PodDisruptionBudget", () => {
  it("follows its Pods as they turn ready, and as their Deployment grows", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aBudget({ maxUnavailable: "30%" }))
        yield* pass(cluster, 1)
        expect(told(cluster)).toEqual([0, 0, 0, 0, "InsufficientPods"])
        yield* begin(cluster, aManifest({ replicas: 3 }))
        yield* pass(cluster, 60)
        expect(told(cluster)).toEqual([1, 3, 2, 3, "SufficientPods"])
        yield* change(cluster, aManifest({ replicas: 7 }))
        yield* pass(cluster, 60)
        expect(told(cluster)).toEqual([3, 7, 4, 7, "SufficientPods"])
        yield* change(cluster, aManifest({ replicas: 1 }))
        yield* pass(cluster, 60)
        expect(told(cluster)).toEqual([1, 1, 0, 1, "SufficientPods"])
      })
    ))

  it("counts what there should be by the Deployment, also in the middle of a rollout", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 5 }))
        yield* begin(cluster, aBudget({ minAvailable: "50%" }))
        yield* pass(cluster, 60)
        const expected = new Set<number | undefined>()
        cluster.onChange(({ resource }) => {
          if (resource === resources.disruptionBudgets) expected.add(budgetOf(cluster)?.status.expectedPods)
        })
        yield* change(cluster, aManifest({ replicas: 5, version: "v2" }))
        yield* pass(cluster, 60)
        expect([[...expected], told(cluster)]).toEqual([[5], [2, 5, 3, 5, "SufficientPods"]])
      })
    ))

  it("says which generation of it was counted", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 3 }))
        yield* begin(cluster, aBudget({ minAvailable: 3 }))
        yield* pass(cluster, 60)
        const ref = { resource: resources.disruptionBudgets, key: "default/web" }
        yield* Effect.orDie(
          cluster.modify(
            ref,
            (object) => ({ ...object, spec: { ...budgetOf(cluster)?.spec, minAvailable: 1 } }) as Draft
          )
        )
        yield* pass(cluster, 1)
        const { metadata, status } = budgetOf(cluster) ?? {}
        expect([metadata?.generation, status?.observedGeneration, told(cluster)]).toEqual([
          2,
          2,
          [2, 3, 1, 3, "SufficientPods"]
        ])
      })
    ))

  it("allows nothing and says why where nobody can tell how many Pods there should be", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        const owner = { apiVersion: "batch/v1", kind: "Job", name: "import", uid: "u", controller: true }
        const pod = {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "import-1", namespace: "default", labels: { app: "web" } },
          spec: { containers: [{ name: "app", image: "a:v1" }] }
        }
        const job = {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "import", namespace: "default" },
          spec: {}
        }
        const { metadata } = yield* Effect.orDie(cluster.create(job as never))
        const owned = { ...pod.metadata, ownerReferences: [{ ...owner, uid: metadata.uid }] }
        yield* begin(cluster, { ...pod, metadata: owned } as Draft)
        yield* begin(cluster, aBudget({ maxUnavailable: 1 }))
        yield* begin(cluster, aBudget({ minAvailable: 1 }, "counted"))
        yield* pass(cluster, 60)
        expect([told(cluster)[4], told(cluster, "counted")[3]]).toEqual(["SyncFailed", 1])
        expect(eventTexts(yield* cluster.events({ uid: budgetOf(cluster)?.metadata.uid ?? "" }))).toContain(
          "CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: " +
            "jobs.batch does not implement the scale subresource"
        )
      })
    ))

  it("says once that it has found no Pods", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aBudget({ minAvailable: 3 }))
        yield* pass(cluster, 60)
        const events = yield* cluster.events({ uid: budgetOf(cluster)?.metadata.uid ?? "" })
        expect(events.map(({ reason, message, count }) => [reason, message, count])).toEqual([
          ["NoPods", "No matching pods found", 1]
        ])
      })
    ))

  it("without a selector counts nobody, and with an empty one everybody near it", () =>
    inCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* begin(cluster, aManifest({ replicas: 3 }))
        yield* begin(cluster, aManifest({ name: "beside", replicas: 2 }))
        yield* begin(cluster, { ...aBudget({}, "nobody"), spec: { minAvailable: 1 } } as Draft)
        yield* begin(cluster, aBudget({ minAvailable: 1, selector: {} }, "everybody"))
        yield* pass(cluster, 60)
        expect([told(cluster, "nobody")[3], told(cluster, "everybody")[3]]).toEqual([0, 5])
      })
    ))
})
