import { describe, expect, it } from "vitest"
import { aNode, aReplicaSet, aTerminatedState, aTime, aWaitingState, startMillis } from "../../builders.ts"
import { container, event, newPod } from "./rolloutObjects.ts"
import { controllerOf } from "../../../src/kubernetes/meta/ownerReferences.ts"
import { explainContainer, explainPod } from "../../../src/explain/objects/explainPod.ts"
import { explainNode } from "../../../src/explain/objects/explainNode.ts"
import { explainReplicaSet } from "../../../src/explain/objects/explainReplicaSet.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { normalizeEvent } from "../../../src/kubernetes/meta/normalizeEvent.ts"
import type { Node, Pod } from "../../../src/kubernetes/meta/objects.ts"

const nowMillis = startMillis + 60_000
const unreachable = "node.kubernetes.io/unreachable"
const toleratingUnreachable = (tolerationSeconds?: number) => ({
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
const podOnLostNode = (name: string, options: Parameters<typeof newPod>[0] = {}): Pod =>
  newPod({ name, node: "node-2", ...options })
const unpulled = podOnLostNode("web-a", {
  status: container({ state: aWaitingState("ErrImagePull", "manifest unknown") })
})
const failed = event(unpulled, "Failed", 'Failed to pull image "web:broken": manifest unknown', 1, 55, 55)

describe("the explanation of one object", () => {
  it.each<{
    readonly why: string
    readonly expectedText: ReadonlyArray<string>
    readonly explanationOf: { readonly sentences: unknown }
  }>([
    {
      why: "a Pod that another scheduler is to place",
      explanationOf: explainPod({
        pod: newPod({ name: "web-a", node: undefined, spec: { schedulerName: "volcano" } }),
        events: [],
        node: undefined,
        nowMillis
      }),
      expectedText: ['Pod "web-a" waits for scheduler "volcano" to give it a node.']
    },
    {
      why: "a Pod whose image cannot be pulled",
      explanationOf: explainPod({
        pod: unpulled,
        events: [failed],
        node: aNode({ name: "node-2" }),
        nowMillis
      }),
      expectedText: [
        'Pod "web-a" cannot pull web:broken: manifest unknown (ErrImagePull, 1 try, next in 5s).'
      ]
    },
    {
      why: "a container whose image cannot be pulled",
      explanationOf: explainContainer({
        pod: unpulled,
        name: "app",
        events: [failed],
        node: undefined,
        nowMillis
      }),
      expectedText: [
        'Container "app" cannot pull web:broken: manifest unknown (ErrImagePull, 1 try, next in 5s).'
      ]
    },
    {
      why: "a container that crashes",
      explanationOf: explainContainer({
        pod: podOnLostNode("web-a", {
          status: container({
            restartCount: 2,
            state: aWaitingState("CrashLoopBackOff"),
            lastState: aTerminatedState(7, { reason: "Error" })
          })
        }),
        name: "app",
        events: [],
        node: undefined,
        nowMillis
      }),
      expectedText: [
        'Container "app" ends again and again, the last time with exit code 7 (Error): it has been started again ' +
          "2 times (CrashLoopBackOff)."
      ]
    },
    {
      why: "a Pod on a node that is lost",
      explanationOf: explainPod({
        pod: podOnLostNode("web-a", { spec: toleratingUnreachable(300) }),
        events: [],
        node: lost,
        nowMillis
      }),
      expectedText: [
        'Pod "web-a" is on node-2, which has not been heard of: it was given up at 00:00:50 (NodeStatusUnknown), ' +
          "with 4m50s left until eviction."
      ]
    },
    {
      why: "a ready Pod on a node whose kubelet has just been stopped",
      explanationOf: explainPod({
        pod: podOnLostNode("web-a", { ready: 7 }),
        events: [],
        node: stopped,
        nowMillis
      }),
      expectedText: [
        'Pod "web-a" runs on node-2 and is ready.',
        "Its node node-2 is silent, and not given up yet: its kubelet is stopped (charthouse.dev/kubelet)."
      ]
    },
    {
      why: "a ReplicaSet with a missing Pod and one that is not ready",
      explanationOf: explainReplicaSet({
        replicaSet: aReplicaSet({ name: "web-v3", replicas: 3, pods: 2, available: 1 }),
        pods: [unpulled, podOnLostNode("web-b", { ready: 7 })],
        events: [failed],
        nodes: [],
        nowMillis
      }),
      expectedText: [
        'ReplicaSet "web-v3" has 2 of 3 Pods, 1 is ready, 1 is available.',
        "It waits for 1 Pod to be created.",
        "1 Pod cannot pull web:broken: manifest unknown (ErrImagePull, 1 try, next in 5s)."
      ]
    },
    {
      why: "a lost node whose Pods are evicted at different times",
      explanationOf: explainNode({
        node: lost,
        pods: [
          podOnLostNode("web-a", { spec: toleratingUnreachable(300) }),
          podOnLostNode("web-b", { spec: toleratingUnreachable(30) }),
          podOnLostNode("agent", { spec: toleratingUnreachable() }),
          podOnLostNode("web-c", { terminating: true })
        ],
        nowMillis
      }),
      expectedText: [
        'Node "node-2" has not been heard of: it was given up at 00:00:50 (NodeStatusUnknown).',
        "It holds 4 Pods, of which 0 are said to be ready.",
        "2 Pods are evicted: the first in 20s, the last in 4m50s.",
        "1 Pod tolerates the taints and stays.",
        "1 Pod is terminating, and cannot go before it is heard of again or is deleted."
      ]
    },
    {
      why: "a cordoned node with more than a dozen Pods",
      explanationOf: explainNode({
        node: aNode({ name: "node-2", spec: { unschedulable: true } }),
        pods: Array.from({ length: 14 }, (_, index) => podOnLostNode(`p-${index}`, { ready: 3 })),
        nowMillis
      }),
      expectedText: [
        'Node "node-2" is ready and holds 14 Pods, of which 14 are ready.',
        "No new Pods come to it: it is cordoned (spec.unschedulable)."
      ]
    }
  ])("names what is wrong with $why", ({ explanationOf, expectedText }) => {
    expect((explanationOf.sentences as ReadonlyArray<string>).slice(0, expectedText.length)).toEqual(
      expectedText
    )
  })

  it("names the first dozen Pods of a node and counts the others", () => {
    const pods = Array.from({ length: 14 }, (_, index) => podOnLostNode(`p-${index}`, { ready: 3 }))
    const { sentences, isWell } = explainNode({ node: aNode({ name: "node-2" }), pods, nowMillis })
    expect(isWell).toBe(true)
    expect(sentences.at(-1)).toMatch(/p-11 and 2 more\.$/)
  })
})

it("explains each object in whole sentences at each moment of a node's loss", async () => {
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
    const events = (await cluster.events()).map(normalizeEvent)
    const common = { events, nowMillis: cluster.now().getTime() }
    const all = [
      ...nodes.map((node) =>
        explainNode({ node, pods: pods.filter((it) => it.spec.nodeName === node.metadata.name), ...common })
      ),
      ...(await cluster.list(resources.replicaSets)).items.map((replicaSet) => {
        const ownedPods = pods.filter((it) => controllerOf(it)?.uid === replicaSet.metadata.uid)
        return explainReplicaSet({ replicaSet, pods: ownedPods, nodes, ...common })
      }),
      ...pods.flatMap((pod) => {
        const node = nodes.find((it) => it.metadata.name === pod.spec.nodeName)
        const explained = explainPod({ pod, node, ...common })
        const isLost = node?.metadata.name === "node-2" && turn > 8
        if (isLost) expect(explained).toMatchObject({ isWell: false })
        for (const it of explained.sentences)
          if (/evicted|eviction/u.test(it)) evictions.add(pod.metadata.name)
        return [explained, explainContainer({ pod, name: "web", node, ...common })]
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
