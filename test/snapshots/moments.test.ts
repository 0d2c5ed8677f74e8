import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { steady } from "../../src/behaviours/builtInBehaviours.ts"
import { aManifest } from "../cluster/worlds.ts"
import { aCluster, fromText, future, run } from "./storms.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "../cluster/worlds.ts"

/** A moment at which something is under way that is written in no object. */
interface Moment {
  readonly at: string
  readonly why: string
  readonly options?: ClusterOptions
  readonly bring: (cluster: Living) => Effect.Effect<unknown, unknown>
  /** What comes of it: some line of the future has all of this. */
  readonly comes: ReadonlyArray<string>
}

const lives = (life: object): ClusterOptions => ({ behaviour: { ...steady, name: "odd", ...life } })
const web = { resource: resources.deployments, key: "default/web" }
const aPod = (cluster: Living) =>
  Effect.map(cluster.list("pods"), ({ items }) => items[0]?.metadata.name ?? "")
const deletePod = (cluster: Living) =>
  Effect.flatMap(aPod(cluster), (name) => cluster.delete({ resource: "pods", key: `default/${name}` }))
const quota = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "few", namespace: "default" },
  spec: { hard: { pods: "2" } }
} as Draft
const ready = (cluster: Living, spec: Parameters<typeof aManifest>[0] = {}) =>
  Effect.andThen(cluster.create(aManifest(spec)), cluster.rollout("web"))

const moments: ReadonlyArray<Moment> = [
  {
    at: "inside a crash back-off",
    why: "the back-off of the third crash has 17.4 s to go, and the next one doubles it",
    options: lives({ exit: { after: "900ms" } }),
    bring: (cluster) => Effect.andThen(cluster.create(aManifest({ replicas: 1 })), cluster.advance(17_431)),
    comes: ["MODIFIED pods", '"restartCount":5']
  },
  {
    at: "inside an image's back-off",
    why: "pulls that failed are counted in the chart alone",
    options: lives({ pull: { delay: "300ms", failures: 4 } }),
    bring: (cluster) => Effect.andThen(cluster.create(aManifest({ replicas: 2 })), cluster.advance(29_003)),
    comes: ["MODIFIED pods", '"ready":true']
  },
  {
    at: "inside a grace period",
    why: "SIGKILL comes when the rest of it is over",
    options: lives({ terminate: "5m" }),
    bring: (cluster) =>
      Effect.andThen(
        ready(cluster, { podSpec: { terminationGracePeriodSeconds: 45 } }),
        Effect.andThen(deletePod(cluster), cluster.advance(31_777))
      ),
    comes: ["DELETED pods"]
  },
  {
    at: "with a progress deadline running",
    why: "it counts from the last progress",
    options: lives({ pull: { delay: "1s", failures: "forever" } }),
    bring: (cluster) =>
      Effect.andThen(
        cluster.create(aManifest({ spec: { progressDeadlineSeconds: 77 } })),
        cluster.advance(70_001)
      ),
    comes: ["MODIFIED deployments.apps", "ProgressDeadlineExceeded"]
  },
  {
    at: "while containers start slowly",
    why: "each has a time of its own, drawn from the seed",
    options: lives({ start: { uniform: ["1m", "4m"] } }),
    bring: (cluster) => Effect.andThen(cluster.create(aManifest({ replicas: 7 })), cluster.advance(65_000)),
    comes: ["MODIFIED deployments.apps", '"readyReplicas":7']
  },
  {
    at: "while Pods are ready but not yet available",
    why: "minReadySeconds is a timer of the ReplicaSet",
    options: { shuffleSeed: 5 },
    bring: (cluster) =>
      Effect.andThen(
        cluster.create(aManifest({ replicas: 5, spec: { minReadySeconds: 90 } })),
        cluster.advance(61_234)
      ),
    comes: ["MODIFIED deployments.apps", '"availableReplicas":5']
  },
  {
    at: "with Pods that fit nowhere",
    why: "who waits for room, and who is asked next, is known to the scheduler alone",
    options: { nodes: { count: 1, pods: 4 } },
    bring: (cluster) =>
      Effect.andThen(
        Effect.andThen(
          ready(cluster, { replicas: 3 }),
          cluster.create(aManifest({ name: "more", replicas: 6 }))
        ),
        Effect.andThen(
          cluster.advance(9_999),
          cluster.modify(
            web,
            (it) => ({ ...it, spec: { ...(it as Draft & { spec: object }).spec, replicas: 1 } }) as Draft
          )
        )
      ),
    comes: ["MODIFIED pods", '"nodeName":"node-1"', "more-"]
  },
  {
    at: "with Pods that were placed, which the scheduler does not see",
    why: "their room is taken, and it alone knows that",
    options: { nodes: { count: 2, pods: 3 } },
    bring: (cluster) =>
      Effect.gen(function* () {
        yield* cluster.faults.begin({ fault: "watchLate", of: "scheduler", by: "40s" })
        yield* cluster.create(aManifest({ replicas: 4 }))
        yield* cluster.advance(10_000)
        yield* cluster.create(aManifest({ name: "more", replicas: 3 }))
        yield* cluster.advance(35_000)
      }),
    comes: ["events", "FailedScheduling", "more-", "Too many pods"]
  },
  {
    at: "with slow kubelets that have their hands full",
    why: "five Pods are looked at side by side, two wait for them; of one that has crashed nothing is said yet, and its deletion is not seen",
    options: lives({ start: "9s", exit: { after: "31s" } }),
    bring: (cluster) =>
      Effect.gen(function* () {
        yield* cluster.faults.begin({ fault: "controllerSlow", controller: "pod", by: "4s", for: "3m" })
        yield* cluster.create(aManifest({ replicas: 7 }))
        yield* cluster.advance(56_300)
        yield* deletePod(cluster)
        yield* cluster.advance(700)
      }),
    comes: ["DELETED pods"]
  },
  {
    at: "with creations that were refused and wait to be tried again",
    why: "how often in a row decides how long",
    bring: (cluster) =>
      Effect.andThen(
        Effect.andThen(cluster.create(quota), cluster.create(aManifest({ replicas: 5 }))),
        cluster.advance(20_480)
      ),
    comes: ["events", "FailedCreate", '"count":']
  },
  {
    at: "while a lease grows old",
    why: "the node counts as lost when fifty seconds are over, and its Pods go five minutes later",
    bring: (cluster) =>
      Effect.andThen(
        ready(cluster),
        Effect.andThen(cluster.setKubelet("node-1", "stopped"), cluster.advance(33_333))
      ),
    comes: ["events", "TaintManagerEviction"]
  },
  {
    at: "while Pods tolerate a taint for a time",
    why: "that the node drives them away is known since a moment that nobody wrote down",
    bring: (cluster) =>
      Effect.andThen(
        ready(cluster, {
          podSpec: {
            tolerations: [{ key: "odd", effect: "NoExecute", tolerationSeconds: 100, operator: "Exists" }]
          }
        }),
        Effect.andThen(
          cluster.modify(
            { resource: "nodes", key: "node-2" },
            (it) => ({ ...it, spec: { taints: [{ key: "odd", effect: "NoExecute" }] } }) as Draft
          ),
          cluster.advance(64_000)
        )
      ),
    comes: ["DELETED pods"]
  },
  {
    at: "while a namespace is emptied",
    why: "it is looked at again when half of the time is over that its Pods still need",
    options: lives({ terminate: "25s" }),
    bring: (cluster) =>
      Effect.gen(function* () {
        yield* cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "town" } })
        yield* cluster.create({ ...aManifest({}), metadata: { name: "web", namespace: "town" } } as Draft)
        yield* cluster.advance(30_000)
        yield* cluster.delete({ resource: resources.namespaces, key: "town" })
        yield* cluster.advance(11_000)
      }),
    comes: ["DELETED namespaces"]
  },
  {
    at: "while an owner waits for its last dependents",
    why: "the collector remembers for whom",
    options: lives({ terminate: "20s" }),
    bring: (cluster) =>
      Effect.andThen(
        ready(cluster, { replicas: 4 }),
        Effect.andThen(cluster.delete(web, { propagationPolicy: "Foreground" }), cluster.advance(12_345))
      ),
    comes: ["DELETED deployments.apps"]
  },
  {
    at: "while init containers run one after another",
    why: "the chart knows whose turn it is",
    options: lives({ containers: { two: { exit: { after: "50s", code: 0 } } } }),
    bring: (cluster) =>
      Effect.andThen(
        cluster.create({
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "lone", namespace: "default" },
          spec: {
            activeDeadlineSeconds: 100,
            initContainers: [
              { name: "one", image: "app:v1" },
              { name: "two", image: "app:v1" },
              { name: "three", image: "app:v1" }
            ],
            containers: [{ name: "app", image: "app:v1" }]
          }
        } as Draft),
        cluster.advance(25_000)
      ),
    comes: ["events", "DeadlineExceeded"]
  },
  {
    at: "with an event that has been said too often",
    why: "the filter refills one in five minutes",
    options: lives({ exit: { after: "1s" } }),
    bring: (cluster) =>
      Effect.andThen(cluster.create(aManifest({ replicas: 1 })), cluster.advance(7_200_500)),
    comes: ["events", "Pulled"]
  },
  {
    at: "with the Pods of a node that is gone in quarantine",
    why: "they are taken away forty seconds after",
    bring: (cluster) =>
      Effect.andThen(
        ready(cluster),
        Effect.andThen(cluster.delete({ resource: resources.nodes, key: "node-1" }), cluster.advance(39_000))
      ),
    comes: ["DELETED pods"]
  }
]

describe("a snapshot that is taken", () => {
  it.each(moments)("$at goes on where it was: $why", ({ options = {}, bring, comes }) =>
    run(
      Effect.gen(function* () {
        const original = yield* aCluster(options)
        yield* bring(original)
        const from = yield* original.snapshot
        const [fork, read] = [yield* makeCluster({ from }), yield* fromText(from)]
        const lines = yield* future(original)
        expect(lines.filter((line) => comes.every((it) => line.includes(it)))).not.toEqual([])
        expect(yield* future(fork)).toEqual(lines)
        expect(yield* future(read)).toEqual(lines)
      })
    )
  )
})
