import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest, budgetManifest, podManifest } from "../builders.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import {
  deploymentManifest,
  createObject,
  replaceSpec,
  eventTexts,
  withCluster,
  advanceSeconds
} from "../cluster/testCluster.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

const budgetOf = ({ view }: ClusterService, name = "web") =>
  view.get(resources.disruptionBudgets, `default/${name}`)

/** Allowed disruptions, current, desired and expected Pods, and the condition's reason. */
const statusOf = (cluster: ClusterService, name = "web") => {
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
  it("follows the readiness of its Pods and the size of their Deployment", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, budgetManifest({ maxUnavailable: "30%" }))
        yield* advanceSeconds(cluster, 1)
        expect(statusOf(cluster)).toEqual([0, 0, 0, 0, "InsufficientPods"])
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* advanceSeconds(cluster, 60)
        expect(statusOf(cluster)).toEqual([1, 3, 2, 3, "SufficientPods"])
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 7 }))
        yield* advanceSeconds(cluster, 60)
        expect(statusOf(cluster)).toEqual([3, 7, 4, 7, "SufficientPods"])
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 1 }))
        yield* advanceSeconds(cluster, 60)
        expect(statusOf(cluster)).toEqual([1, 1, 0, 1, "SufficientPods"])
      })
    ))

  it("expects the Deployment's replicas, during a rollout as well", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 5 }))
        yield* createObject(cluster, budgetManifest({ minAvailable: "50%" }))
        yield* advanceSeconds(cluster, 60)
        const expected = new Set<number | undefined>()
        cluster.onChange(({ resource }) => {
          if (resource === resources.disruptionBudgets) expected.add(budgetOf(cluster)?.status.expectedPods)
        })
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 5, version: "v2" }))
        yield* advanceSeconds(cluster, 60)
        expect([[...expected], statusOf(cluster)]).toEqual([[5], [2, 5, 3, 5, "SufficientPods"]])
      })
    ))

  it("has the observed generation in its status", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* createObject(cluster, budgetManifest({ minAvailable: 3 }))
        yield* advanceSeconds(cluster, 60)
        const address = { resource: resources.disruptionBudgets, name: "web" }
        yield* Effect.orDie(
          cluster.modify(
            address,
            (object) => ({ ...object, spec: { ...budgetOf(cluster)?.spec, minAvailable: 1 } }) as Draft
          )
        )
        yield* advanceSeconds(cluster, 1)
        const { metadata, status } = budgetOf(cluster) ?? {}
        expect([metadata?.generation, status?.observedGeneration, statusOf(cluster)]).toEqual([
          2,
          2,
          [2, 3, 1, 3, "SufficientPods"]
        ])
      })
    ))

  it("allows no disruption when the expected number of Pods is unknown, with SyncFailed as reason", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        const owner = { apiVersion: "batch/v1", kind: "Job", name: "import", uid: "u", controller: true }
        const podSpec = { restartPolicy: "Never", containers: [{ name: "import", image: "busybox" }] }
        // Its Pods are left to another controller.
        const spec = { managedBy: "example.com/queue", template: { spec: podSpec } }
        const { metadata } = yield* Effect.orDie(
          cluster.create(aManifest("Job", { name: "import" }, { spec }))
        )
        const ownerReferences = [{ ...owner, uid: metadata.uid }]
        const pod = podManifest("import-1", {}, { labels: { app: "web" }, ownerReferences })
        yield* createObject(cluster, pod)
        yield* createObject(cluster, budgetManifest({ maxUnavailable: 1 }))
        yield* createObject(cluster, budgetManifest({ minAvailable: 1 }, "counted"))
        yield* advanceSeconds(cluster, 60)
        expect([statusOf(cluster)[4], statusOf(cluster, "counted")[3]]).toEqual(["SyncFailed", 1])
        expect(eventTexts(yield* cluster.events({ uid: budgetOf(cluster)?.metadata.uid ?? "" }))).toContain(
          "CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: " +
            "jobs.batch does not implement the scale subresource"
        )
      })
    ))

  it("emits one event when it selects no Pods", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, budgetManifest({ minAvailable: 3 }))
        yield* advanceSeconds(cluster, 60)
        const events = yield* cluster.events({ uid: budgetOf(cluster)?.metadata.uid ?? "" })
        expect(events.map(({ reason, message, count }) => [reason, message, count])).toEqual([
          ["NoPods", "No matching pods found", 1]
        ])
      })
    ))

  it("selects no Pods without a selector, and all Pods of its namespace with an empty one", () =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 3 }))
        yield* createObject(cluster, deploymentManifest({ name: "beside", replicas: 2 }))
        yield* createObject(cluster, {
          ...budgetManifest({}, "no-selector"),
          spec: { minAvailable: 1 }
        } as Draft)
        yield* createObject(cluster, budgetManifest({ minAvailable: 1, selector: {} }, "empty-selector"))
        yield* advanceSeconds(cluster, 60)
        expect([statusOf(cluster, "no-selector")[3], statusOf(cluster, "empty-selector")[3]]).toEqual([0, 5])
      })
    ))
})
