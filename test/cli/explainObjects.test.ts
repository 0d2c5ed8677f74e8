import { describe, expect, it } from "vitest"
import { aNode, aReplicaSet, aTime, startMillis } from "../builders.ts"
import { container, event, newPod } from "./explained.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { explainContainer, explainPod } from "../../src/explain/objects/explainPod.ts"
import { explainNode } from "../../src/explain/objects/explainNode.ts"
import { explainReplicaSet } from "../../src/explain/objects/explainReplicaSet.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { toCompleteEvent } from "../../src/kubernetes/meta/completeEvent.ts"
import type { Node, Pod } from "../../src/kubernetes/meta/objects.ts"

const nowMillis = startMillis + 60_000
const unreachable = "node.kubernetes.io/unreachable"
const bearing = (tolerationSeconds?: number) => ({
  tolerations: [
    {
      key: unreachable,
      operator: "Exists",
      ...(tolerationSeconds === undefined ? {} : { tolerationSeconds })
    }
  ]
})
const lost: Node = {
  ...aNode({
    name: "node-2",
    spec: { taints: [{ key: unreachable, effect: "NoExecute", timeAdded: aTime(50) }] }
  }),
  status: {
    conditions: [
      { type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: aTime(50) }
    ]
  }
}
const stopped: Node = aNode({ name: "node-2", annotations: { "charthouse.dev/kubelet": "stopped" } })
const on = (name: string, options: Parameters<typeof newPod>[0] = {}): Pod =>
  newPod({ name, node: "node-2", ...options })
const unpulled = on("web-a", {
  status: container({ state: { waiting: { reason: "ErrImagePull", message: "manifest unknown" } } })
})
const failed = event(unpulled, "Failed", 'Failed to pull image "web:broken": manifest unknown', 1, 55, 55)

describe("what is the matter with one object", () => {
  it.each<{
    readonly why: string
    readonly says: ReadonlyArray<string>
    readonly is: { readonly sentences: unknown }
  }>([
    {
      why: "a Pod whose image is not there",
      is: explainPod({ pod: unpulled, events: [failed], node: aNode({ name: "node-2" }), nowMillis }),
      says: ['Pod "web-a" cannot pull web:broken: manifest unknown (ErrImagePull, 1 try, next in 5s).']
    },
    {
      why: "its container",
      is: explainContainer({ pod: unpulled, name: "app", events: [failed], node: undefined, nowMillis }),
      says: ['Container "app" cannot pull web:broken: manifest unknown (ErrImagePull, 1 try, next in 5s).']
    },
    {
      why: "a container that crashes",
      is: explainContainer({
        pod: on("web-a", {
          status: container({
            restartCount: 2,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 7, reason: "Error" } }
          })
        }),
        name: "app",
        events: [],
        node: undefined,
        nowMillis
      }),
      says: [
        'Container "app" ends again and again, the last time with exit code 7 (Error): it has been started again ' +
          "2 times (CrashLoopBackOff)."
      ]
    },
    {
      why: "a Pod on a node that is lost",
      is: explainPod({ pod: on("web-a", { spec: bearing(300) }), events: [], node: lost, nowMillis }),
      says: [
        'Pod "web-a" is on node-2, which has not been heard of: it was given up at 00:00:50 (NodeStatusUnknown), ' +
          "with 4m50s left until eviction."
      ]
    },
    {
      why: "a ready Pod on a node whose kubelet has just been stopped",
      is: explainPod({ pod: on("web-a", { ready: 7 }), events: [], node: stopped, nowMillis }),
      says: [
        'Pod "web-a" runs on node-2 and is ready.',
        "Its node node-2 is silent, and not given up yet: its kubelet is stopped (charthouse.dev/kubelet)."
      ]
    },
    {
      why: "a ReplicaSet with a Pod too few and one that is not ready",
      is: explainReplicaSet({
        replicaSet: aReplicaSet({ name: "web-v3", replicas: 3, pods: 2, available: 1 }),
        pods: [unpulled, on("web-b", { ready: 7 })],
        events: [failed],
        nodes: [],
        nowMillis
      }),
      says: [
        'ReplicaSet "web-v3" has 2 of 3 Pods, 1 is ready, 1 is available.',
        "It waits for 1 Pod to be created.",
        "1 Pod cannot pull web:broken: manifest unknown (ErrImagePull, 1 try, next in 5s)."
      ]
    },
    {
      why: "a node that is lost, from which not all are driven at one time",
      is: explainNode({
        node: lost,
        pods: [
          on("web-a", { spec: bearing(300) }),
          on("web-b", { spec: bearing(30) }),
          on("agent", { spec: bearing() }),
          on("web-c", { terminating: true })
        ],
        nowMillis
      }),
      says: [
        'Node "node-2" has not been heard of: it was given up at 00:00:50 (NodeStatusUnknown).',
        "It holds 4 Pods, of which 0 are said to be ready.",
        "2 Pods are evicted: the first in 20s, the last in 4m50s.",
        "1 Pod stays, whatever drives others away.",
        "1 Pod is terminating, and cannot go before it is heard of again or is deleted."
      ]
    },
    {
      why: "a node that is cordoned, with more Pods than one reads",
      is: explainNode({
        node: aNode({ name: "node-2", spec: { unschedulable: true } }),
        pods: Array.from({ length: 14 }, (_, index) => on(`p-${index}`, { ready: 3 })),
        nowMillis
      }),
      says: [
        'Node "node-2" is ready and holds 14 Pods, of which 14 are ready.',
        "No new Pods come to it: it is cordoned (spec.unschedulable)."
      ]
    }
  ])("is said of $why", ({ is, says }) => {
    expect((is.sentences as ReadonlyArray<string>).slice(0, says.length)).toEqual(says)
  })

  it("names a dozen of a node's Pods and counts the others", () => {
    const pods = Array.from({ length: 14 }, (_, index) => on(`p-${index}`, { ready: 3 }))
    const { sentences, isWell } = explainNode({ node: aNode({ name: "node-2" }), pods, nowMillis })
    expect(isWell).toBe(true)
    expect(sentences.at(-1)).toMatch(/p-11 and 2 more\.$/)
  })
})

it("says of everybody at each moment of a lost node why it is not well, in whole sentences", async () => {
  const behaviours = [{ name: "crashing", match: { image: "*:crashing" }, exit: { code: 3, after: "4s" } }]
  await using cluster = await openCluster({ behaviours, nodes: 2, seed: 13 })
  for (const image of ["web:1", "web:crashing"]) {
    await cluster.apply({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: image.replace(":", "-"), namespace: "default" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: image.replace(":", "-") } },
        template: {
          metadata: { labels: { app: image.replace(":", "-") } },
          spec: { containers: [{ name: "web", image }] }
        }
      }
    })
  }
  const evictions = new Set<string>()
  for (let turn = 0; turn < 34; turn += 1) {
    await cluster.advance("13s")
    if (turn === 4) {
      const patch = { metadata: { annotations: { "charthouse.dev/kubelet": "stopped" } } }
      await cluster.patch({ resource: resources.nodes, name: "node-2" }, patch)
    }
    const pods = (await cluster.list(resources.pods)).items
    const nodes = (await cluster.list(resources.nodes)).items
    const events = (await cluster.events()).map(toCompleteEvent)
    const world = { events, nowMillis: cluster.now().getTime() }
    const all = [
      ...nodes.map((node) =>
        explainNode({ node, pods: pods.filter((it) => it.spec.nodeName === node.metadata.name), ...world })
      ),
      ...(await cluster.list(resources.replicaSets)).items.map((replicaSet) => {
        const own = pods.filter((it) => controllerOf(it)?.uid === replicaSet.metadata.uid)
        return explainReplicaSet({ replicaSet, pods: own, nodes, ...world })
      }),
      ...pods.flatMap((pod) => {
        const node = nodes.find((it) => it.metadata.name === pod.spec.nodeName)
        const explained = explainPod({ pod, node, ...world })
        const isLost = node?.metadata.name === "node-2" && turn > 8
        if (isLost) expect(explained).toMatchObject({ isWell: false })
        for (const it of explained.sentences)
          if (/evicted|eviction/u.test(it)) evictions.add(pod.metadata.name)
        return [explained, explainContainer({ pod, name: "web", node, ...world })]
      })
    ]
    for (const { sentences, numbers } of all) {
      expect(
        sentences.filter((it) => !/[^.]\.$/u.test(it) || /undefined|NaN|null| -\d+ |\?/u.test(it))
      ).toEqual([])
      expect(Object.values(numbers).filter((it) => !(it >= 0))).toEqual([])
    }
  }
  expect(evictions.size).toBeGreaterThan(0)
})
