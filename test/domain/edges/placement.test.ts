import { describe, expect, it } from "vitest"
import { choosePodNode } from "../../../src/kubernetes/core/placement.ts"
import { parseQuantityMillis, noPodRequests } from "../../../src/kubernetes/pods/podRequests.ts"
import { aNode, aPod } from "../../builders.ts"
import type { Node } from "../../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../../builders.ts"

const placed = (pod: PodOptions, node: Node, memoryTaken = "0"): string => {
  const load = { ...noPodRequests, pods: 0, memoryMillis: parseQuantityMillis(memoryTaken) }
  const placement = choosePodNode(aPod({ node: undefined, ...pod }), [node], () => load)
  return placement.found ? placement.node.metadata.name : placement.message
}

const asking = (memory: string): PodOptions => ({
  spec: { containers: [{ name: "app", image: "i", resources: { requests: { memory } } }] }
})

describe("a Pod has room on a node", () => {
  const scarce = "0/1 nodes are available: 1 Insufficient memory."
  it.each([
    { memory: "1Gi", taken: "2Gi", said: "n1", why: "there is plenty" },
    { memory: "3Gi", taken: "5Gi", said: "n1", why: "it is exactly what is left" },
    { memory: "3Gi", taken: "5121Mi", said: scarce, why: "a little is missing" },
    { memory: "0", taken: "9Gi", said: "n1", why: "it asks for none, where too much is taken" }
  ])("that asks for $memory where $taken of 8Gi are taken: $said: $why", ({ memory, taken, said }) => {
    expect(placed(asking(memory), aNode(), taken)).toBe(said)
  })
})

describe("a Pod that says where it wants to be", () => {
  const elsewhere = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
  const { labels: _labels, ...unlabelled } = aNode().metadata
  it.each([
    { node: aNode({ labels: { zone: "a", disk: "ssd" } }), said: "n1", why: "all of it is so" },
    { node: aNode({ labels: { zone: "a" } }), said: elsewhere, why: "half of it is" },
    { node: { ...aNode(), metadata: unlabelled }, said: elsewhere, why: "the node says nothing of itself" }
  ])("gets $said: $why", ({ node, said }) => {
    expect(placed({ spec: { nodeSelector: { zone: "a", disk: "ssd" } } }, node)).toBe(said)
  })
})
