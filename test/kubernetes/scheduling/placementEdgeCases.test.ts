import { describe, expect, it } from "vitest"
import { choosePodNode } from "../../../src/kubernetes/scheduling/placement.ts"
import { makeMutableNodeInfos } from "../../../src/kubernetes/scheduling/nodeInfos.ts"
import { parseMilliValue, noPodRequests } from "../../../src/kubernetes/pods/podRequests.ts"
import { aNode, aPod } from "../../builders.ts"
import type { Node } from "../../../src/kubernetes/meta/objects.ts"
import type { PodOptions } from "../../builders.ts"

const placeOn = (pod: PodOptions, node: Node, memoryUsed = "0"): string => {
  const load = { ...noPodRequests, pods: 0, memoryMillibytes: parseMilliValue(memoryUsed) }
  const nodeInfos = { ...makeMutableNodeInfos([node]).nodeInfos, requestedOn: () => load }
  const placement = choosePodNode(aPod({ node: undefined, ...pod }), [node], nodeInfos)
  return placement.found ? placement.node.metadata.name : placement.message
}

const requesting = (memory: string): PodOptions => ({
  spec: { containers: [{ name: "app", image: "i", resources: { requests: { memory } } }] }
})

describe("a Pod that requests memory", () => {
  const insufficient = "0/1 nodes are available: 1 Insufficient memory."
  it.each([
    { memory: "1Gi", used: "2Gi", result: "n1", why: "there is enough" },
    { memory: "3Gi", used: "5Gi", result: "n1", why: "it is exactly the rest" },
    { memory: "3Gi", used: "5121Mi", result: insufficient, why: "a little is missing" },
    { memory: "0", used: "9Gi", result: "n1", why: "a request of 0 fits on a full node" }
  ])("of $memory with $used of 8Gi used: $result: $why", ({ memory, used, result }) => {
    expect(placeOn(requesting(memory), aNode(), used)).toBe(result)
  })
})

describe("a Pod with a node selector", () => {
  const noMatch = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
  const { labels: _labels, ...withoutLabels } = aNode().metadata
  it.each([
    { node: aNode({ labels: { zone: "a", disk: "ssd" } }), result: "n1", why: "all labels match" },
    { node: aNode({ labels: { zone: "a" } }), result: noMatch, why: "one label is missing" },
    { node: { ...aNode(), metadata: withoutLabels }, result: noMatch, why: "the node has no labels" }
  ])("gets $result: $why", ({ node, result }) => {
    expect(placeOn({ spec: { nodeSelector: { zone: "a", disk: "ssd" } } }, node)).toBe(result)
  })
})
