import { describe, expect, it } from "vitest"
import { choosePodNode } from "../../../src/kubernetes/scheduling/placement.ts"
import { noPodRequests } from "../../../src/kubernetes/pods/podRequests.ts"
import { aNode, aPod } from "../../builders.ts"
import { makeMutableNodeInfos } from "../../../src/kubernetes/scheduling/nodeInfos.ts"
import type { NodePodLoad } from "../../../src/kubernetes/scheduling/nodeLoad.ts"
import type { NodeOptions, PodOptions } from "../../builders.ts"
import type { Node } from "../../../src/kubernetes/meta/objects.ts"

type Loads = Readonly<Record<string, Partial<NodePodLoad>>>

const placeOn = (pod: PodOptions, nodes: ReadonlyArray<Node>, loads: Loads = {}): string => {
  const requestedOn = (name: string) => ({ pods: 0, ...noPodRequests, ...loads[name] })
  const nodeInfos = { ...makeMutableNodeInfos(nodes).nodeInfos, requestedOn }
  const placement = choosePodNode(aPod({ node: undefined, ...pod }), nodes, nodeInfos)
  return placement.found ? placement.node.metadata.name : placement.message
}

const requesting = (cpu: string, memory = "0"): PodOptions => ({
  spec: { containers: [{ name: "app", image: "i", resources: { requests: { cpu, memory } } }] }
})

const tainted = (...taints: NonNullable<Node["spec"]["taints"]>): NodeOptions => ({ spec: { taints } })
const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" }

describe("the node of a Pod", () => {
  const nodes = ["n1", "n2", "n3"].map((name) => aNode({ name }))
  it.each([
    { why: "the first of nodes with equally few Pods", loads: {}, node: "n1" },
    {
      why: "the node with the fewest Pods",
      loads: { n1: { pods: 5 }, n2: { pods: 3 }, n3: { pods: 4 } },
      node: "n2"
    },
    {
      why: "the first with the fewest Pods",
      loads: { n1: { pods: 2 }, n2: { pods: 1 }, n3: { pods: 1 } },
      node: "n2"
    }
  ])("is $node: $why", ({ loads, node }) => {
    expect(placeOn({}, nodes, loads)).toBe(node)
  })

  it("may have exactly the requested resources left", () => {
    const load = { n1: { cpuMillicores: 3_500n, memoryMillibytes: 0n, pods: 109 } }
    expect(placeOn(requesting("500m"), [aNode()], load)).toBe("n1")
  })

  it("may be overcommitted when the Pod requests nothing", () => {
    expect(placeOn({}, [aNode()], { n1: { cpuMillicores: 9_000n, pods: 1 } })).toBe("n1")
  })
})

interface UnschedulableCase {
  readonly why: string
  readonly node: NodeOptions
  readonly pod?: PodOptions
  readonly load?: Partial<NodePodLoad>
  readonly reason: string
}

describe("the message when no node fits", () => {
  it.each<UnschedulableCase>([
    { why: "cordoned", node: { spec: { unschedulable: true } }, reason: "1 node(s) were unschedulable" },
    { why: "unreachable", node: { ready: "Unknown" }, reason: "1 node(s) had untolerated taint(s)" },
    { why: "not ready", node: { ready: "False" }, reason: "1 node(s) had untolerated taint(s)" },
    { why: "with a taint", node: tainted(gpu), reason: "1 node(s) had untolerated taint(s)" },
    { why: "full", node: { pods: "7" }, load: { pods: 7 }, reason: "1 Too many pods" },
    { why: "short of cpu", node: { cpu: "2" }, pod: requesting("2001m"), reason: "1 Insufficient cpu" },
    {
      why: "short of cpu and memory",
      node: { cpu: "1", memory: "1Gi" },
      pod: requesting("2", "2Gi"),
      reason: "1 Insufficient cpu, 1 Insufficient memory"
    },
    {
      why: "in another zone",
      node: { labels: { zone: "a" } },
      pod: { spec: { nodeSelector: { zone: "b" } } },
      reason: "1 node(s) didn't match Pod's node affinity/selector"
    }
  ])("for a node that is $why: 0/1 nodes are available: $reason", ({ node, pod = {}, load = {}, reason }) => {
    expect(placeOn(pod, [aNode(node)], { n1: load })).toBe(`0/1 nodes are available: ${reason}.`)
  })

  it("counts reasons over all nodes, sorted by text", () => {
    const nodes = [
      aNode({ name: "n1", cpu: "1" }),
      aNode({ name: "n2", spec: { unschedulable: true } }),
      aNode({ name: "n3", cpu: "1" }),
      aNode({ name: "n4", spec: { taints: [gpu] } })
    ]
    expect(placeOn(requesting("3"), nodes)).toBe(
      "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu."
    )
  })

  it("is another one without nodes", () => {
    expect(placeOn({}, [])).toBe("no nodes available to schedule pods")
  })
})

type Toleration = NonNullable<NonNullable<PodOptions["spec"]>["tolerations"]>[number]

describe("a taint on the node", () => {
  it.each<{ readonly why: string; readonly toleration: Toleration; readonly tolerated: boolean }>([
    { why: "key, value and effect", toleration: { ...gpu, operator: "Equal" }, tolerated: true },
    {
      why: "Equal is the default operator",
      toleration: { key: "gpu", value: "yes" },
      tolerated: true
    },
    { why: "another value", toleration: { key: "gpu", value: "no" }, tolerated: false },
    { why: "any value", toleration: { key: "gpu", operator: "Exists" }, tolerated: true },
    {
      why: "another effect",
      toleration: { key: "gpu", operator: "Exists", effect: "NoExecute" },
      tolerated: false
    },
    { why: "another key", toleration: { key: "tpu", operator: "Exists" }, tolerated: false },
    { why: "every taint", toleration: { operator: "Exists" }, tolerated: true },
    {
      why: "every taint, with empty strings",
      toleration: { key: "", operator: "Exists", effect: "" },
      tolerated: true
    },
    {
      why: "every effect, with an empty string",
      toleration: { key: "gpu", value: "yes", effect: "" },
      tolerated: true
    }
  ])("is tolerated with $toleration: $tolerated: $why", ({ toleration, tolerated }) => {
    const reason = placeOn({ spec: { tolerations: [toleration] } }, [aNode(tainted(gpu))])
    expect(reason).toBe(tolerated ? "n1" : "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
  })

  it.each<{ readonly why: string; readonly node: NodeOptions; readonly key: string }>([
    { why: "cordoned", node: { spec: { unschedulable: true } }, key: "unschedulable" },
    { why: "not ready", node: { ready: "False" }, key: "not-ready" },
    { why: "unreachable", node: { ready: "Unknown" }, key: "unreachable" }
  ])("of a node that is $why can be tolerated alone", ({ node, key }) => {
    const tolerations = [{ key: `node.kubernetes.io/${key}`, operator: "Exists" }]
    expect(placeOn({ spec: { tolerations } }, [aNode(node)])).toBe("n1")
    expect(placeOn({}, [aNode(node)])).toContain("0/1 nodes are available")
  })

  it("is ignored with PreferNoSchedule", () => {
    expect(placeOn({}, [aNode(tainted({ key: "old", effect: "PreferNoSchedule" }))])).toBe("n1")
  })

  it("must be tolerated like every other", () => {
    const two = aNode(tainted(gpu, { key: "lost", effect: "NoExecute" }))
    expect(placeOn({ spec: { tolerations: [{ key: "gpu", operator: "Exists" }] } }, [two])).toContain(
      "untolerated"
    )
  })
})
