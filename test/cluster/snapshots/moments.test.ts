import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { namespaceManifest, podManifest, quotaManifest } from "../../builders.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { steady } from "../../../src/behaviours/builtInBehaviours.ts"
import { deploymentManifest } from "../testCluster.ts"
import { aCluster, fromText, changesOfTenMinutes, runScoped } from "./stormyCluster.ts"
import type { ClusterOptions } from "../../../src/cluster/clusterOptions.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../testCluster.ts"

/** A moment at which some state is in no object. */
interface Moment {
  readonly at: string
  readonly why: string
  readonly options?: ClusterOptions
  readonly reach: (cluster: ClusterService) => Effect.Effect<unknown, unknown>
  /** Some line of the future has all of these texts. */
  readonly futureHas: ReadonlyArray<string>
}

const lives = (life: object): ClusterOptions => ({ behaviour: { ...steady, name: "odd", ...life } })
const web = { resource: resources.deployments, name: "web" }
const aPod = (cluster: ClusterService) =>
  Effect.map(cluster.list("pods"), ({ items }) => items[0]?.metadata.name ?? "")
const deletePod = (cluster: ClusterService) =>
  Effect.flatMap(aPod(cluster), (name) => cluster.delete({ resource: "pods", name }))
const quota = quotaManifest({ pods: "2" }, "few")
const rollOut = (cluster: ClusterService, spec: Parameters<typeof deploymentManifest>[0] = {}) =>
  Effect.andThen(cluster.create(deploymentManifest(spec)), cluster.rollout("web"))

const moments: ReadonlyArray<Moment> = [
  {
    at: "inside a crash back-off",
    why: "the back-off of the third crash has 17.4 s to go, and the next one doubles it",
    options: lives({ exit: { after: "900ms" } }),
    reach: (cluster) =>
      Effect.andThen(cluster.create(deploymentManifest({ replicas: 1 })), cluster.advance(17_431)),
    futureHas: ["MODIFIED pods", '"restartCount":5']
  },
  {
    at: "inside an image pull back-off",
    why: "failed pulls are counted only in the chart",
    options: lives({ pull: { delay: "300ms", failures: 4 } }),
    reach: (cluster) =>
      Effect.andThen(cluster.create(deploymentManifest({ replicas: 2 })), cluster.advance(29_003)),
    futureHas: ["MODIFIED pods", '"ready":true']
  },
  {
    at: "inside a grace period",
    why: "SIGKILL comes after the rest of the period",
    options: lives({ terminate: "5m" }),
    reach: (cluster) =>
      Effect.andThen(
        rollOut(cluster, { podSpec: { terminationGracePeriodSeconds: 45 } }),
        Effect.andThen(deletePod(cluster), cluster.advance(31_777))
      ),
    futureHas: ["DELETED pods"]
  },
  {
    at: "with a progress deadline running",
    why: "the deadline counts from the last progress",
    options: lives({ pull: { delay: "1s", failures: "forever" } }),
    reach: (cluster) =>
      Effect.andThen(
        cluster.create(deploymentManifest({ spec: { progressDeadlineSeconds: 77 } })),
        cluster.advance(70_001)
      ),
    futureHas: ["MODIFIED deployments.apps", "ProgressDeadlineExceeded"]
  },
  {
    at: "while containers start slowly",
    why: "each container has its own start time, drawn from the seed",
    options: lives({ start: { uniform: ["1m", "4m"] } }),
    reach: (cluster) =>
      Effect.andThen(cluster.create(deploymentManifest({ replicas: 7 })), cluster.advance(65_000)),
    futureHas: ["MODIFIED deployments.apps", '"readyReplicas":7']
  },
  {
    at: "while Pods are ready but not yet available",
    why: "minReadySeconds is a timer of the ReplicaSet",
    options: { shuffleSeed: 5 },
    reach: (cluster) =>
      Effect.andThen(
        cluster.create(deploymentManifest({ replicas: 5, spec: { minReadySeconds: 90 } })),
        cluster.advance(61_234)
      ),
    futureHas: ["MODIFIED deployments.apps", '"availableReplicas":5']
  },
  {
    at: "with unschedulable Pods",
    why: "the queue of waiting Pods is known only to the scheduler",
    options: { nodes: { count: 1, pods: 4 } },
    reach: (cluster) =>
      Effect.andThen(
        Effect.andThen(
          rollOut(cluster, { replicas: 3 }),
          cluster.create(deploymentManifest({ name: "more", replicas: 6 }))
        ),
        Effect.andThen(
          cluster.advance(9_999),
          cluster.modify(
            web,
            (it) => ({ ...it, spec: { ...(it as Draft & { spec: object }).spec, replicas: 1 } }) as Draft
          )
        )
      ),
    futureHas: ["MODIFIED pods", '"nodeName":"node-1"', "more-"]
  },
  {
    at: "with bindings that the scheduler does not see",
    why: "the assumed Pods are known only to the scheduler",
    options: { nodes: { count: 2, pods: 3 } },
    reach: (cluster) =>
      Effect.gen(function* () {
        yield* cluster.faultInjector.begin({ fault: "watchLate", of: "scheduler", by: "40s" })
        yield* cluster.create(deploymentManifest({ replicas: 4 }))
        yield* cluster.advance(10_000)
        yield* cluster.create(deploymentManifest({ name: "more", replicas: 3 }))
        yield* cluster.advance(35_000)
      }),
    futureHas: ["events", "FailedScheduling", "more-", "Too many pods"]
  },
  {
    at: "with slow kubelets at their limit of concurrent looks",
    why: "five looks run, two Pods wait; a crash is not reported yet and a deletion not seen",
    options: lives({ start: "9s", exit: { after: "31s" } }),
    reach: (cluster) =>
      Effect.gen(function* () {
        yield* cluster.faultInjector.begin({
          fault: "controllerSlow",
          controller: "pod",
          by: "4s",
          for: "3m"
        })
        yield* cluster.create(deploymentManifest({ replicas: 7 }))
        yield* cluster.advance(56_300)
        yield* deletePod(cluster)
        yield* cluster.advance(700)
      }),
    futureHas: ["DELETED pods"]
  },
  {
    at: "with refused creations that wait for a retry",
    why: "the number of failures in a row sets the delay",
    reach: (cluster) =>
      Effect.andThen(
        Effect.andThen(cluster.create(quota), cluster.create(deploymentManifest({ replicas: 5 }))),
        cluster.advance(20_480)
      ),
    futureHas: ["events", "FailedCreate", '"count":']
  },
  {
    at: "while a node lease expires",
    why: "the node is lost after fifty seconds, and its Pods are evicted five minutes later",
    reach: (cluster) =>
      Effect.andThen(
        rollOut(cluster),
        Effect.andThen(cluster.setKubelet("node-1", "stopped"), cluster.advance(33_333))
      ),
    futureHas: ["events", "TaintManagerEviction"]
  },
  {
    at: "while Pods tolerate a taint for tolerationSeconds",
    why: "the time at which the taint was seen is written in no object",
    reach: (cluster) =>
      Effect.andThen(
        rollOut(cluster, {
          podSpec: {
            tolerations: [{ key: "odd", effect: "NoExecute", tolerationSeconds: 100, operator: "Exists" }]
          }
        }),
        Effect.andThen(
          cluster.modify(
            { resource: "nodes", name: "node-2" },
            (it) => ({ ...it, spec: { taints: [{ key: "odd", effect: "NoExecute" }] } }) as Draft
          ),
          cluster.advance(64_000)
        )
      ),
    futureHas: ["DELETED pods"]
  },
  {
    at: "while a namespace is deleted",
    why: "the namespace is retried after half of the grace period that its Pods still need",
    options: lives({ terminate: "25s" }),
    reach: (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create(namespaceManifest("town"))
        yield* cluster.create(deploymentManifest({ namespace: "town" }))
        yield* cluster.advance(30_000)
        yield* cluster.delete({ resource: resources.namespaces, name: "town" })
        yield* cluster.advance(11_000)
      }),
    futureHas: ["DELETED namespaces"]
  },
  {
    at: "while an owner waits for its last dependents",
    why: "the garbage collector holds the waiting owners",
    options: lives({ terminate: "20s" }),
    reach: (cluster) =>
      Effect.andThen(
        rollOut(cluster, { replicas: 4 }),
        Effect.andThen(cluster.delete(web, { propagationPolicy: "Foreground" }), cluster.advance(12_345))
      ),
    futureHas: ["DELETED deployments.apps"]
  },
  {
    at: "while init containers run one after another",
    why: "the chart holds the current init container",
    options: lives({ containers: { two: { exit: { after: "50s", code: 0 } } } }),
    reach: (cluster) =>
      Effect.andThen(
        cluster.create(
          podManifest("lone", {
            activeDeadlineSeconds: 100,
            initContainers: ["one", "two", "three"].map((name) => ({ name, image: "app:v1" }))
          })
        ),
        cluster.advance(25_000)
      ),
    futureHas: ["events", "DeadlineExceeded"]
  },
  {
    at: "with an event above its rate limit",
    why: "the rate limit refills one token in five minutes",
    options: lives({ exit: { after: "1s" } }),
    reach: (cluster) =>
      Effect.andThen(cluster.create(deploymentManifest({ replicas: 1 })), cluster.advance(7_200_500)),
    futureHas: ["events", "Pulled"]
  },
  {
    at: "with Pods of a deleted node in quarantine",
    why: "they are deleted after forty seconds",
    reach: (cluster) =>
      Effect.andThen(
        rollOut(cluster),
        Effect.andThen(cluster.delete({ resource: resources.nodes, name: "node-1" }), cluster.advance(39_000))
      ),
    futureHas: ["DELETED pods"]
  }
]

describe("a snapshot taken", () => {
  it.each(moments)("$at is restored with the same future: $why", ({ options = {}, reach, futureHas }) =>
    runScoped(
      Effect.gen(function* () {
        const original = yield* aCluster(options)
        yield* reach(original)
        const from = yield* original.snapshot
        const [fork, read] = [yield* makeCluster({ from }), yield* fromText(from)]
        const lines = yield* changesOfTenMinutes(original)
        expect(lines.filter((line) => futureHas.every((it) => line.includes(it)))).not.toEqual([])
        expect(yield* changesOfTenMinutes(fork)).toEqual(lines)
        expect(yield* changesOfTenMinutes(read)).toEqual(lines)
      })
    )
  )
})
