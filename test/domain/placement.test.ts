import { describe, expect, it } from "vitest"
import { choosePodNode } from "../../src/kubernetes/core/placement.ts"
import { noPodRequests } from "../../src/kubernetes/pods/podRequests.ts"
import { aNode, aPod } from "../builders.ts"
import type { NodePodLoad } from "../../src/kubernetes/core/placement.ts"
import type { NodeOptions, PodOptions } from "../builders.ts"
import type { Node } from "../../src/kubernetes/meta/objects.ts"

type Loads = Readonly<Record<string, Partial<NodePodLoad>>>

const placed = (pod: PodOptions, nodes: ReadonlyArray<Node>, loads: Loads = {}): string => {
  const placement = choosePodNode(aPod({ node: undefined, ...pod }), nodes, (name) => ({
    pods: 0,
    ...noPodRequests,
    ...loads[name]
  }))
  return placement.found ? placement.node.metadata.name : placement.message
}

const asking = (cpu: string, memory = "0"): PodOptions => ({
  spec: { containers: [{ name: "app", image: "i", resources: { requests: { cpu, memory } } }] }
})

const tainted = (...taints: NonNullable<Node["spec"]["taints"]>): NodeOptions => ({ spec: { taints } })
const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" }

describe("a Pod goes to the node with the fewest Pods that can take it", () => {
  const nodes = ["n1", "n2", "n3"].map((name) => aNode({ name }))
  it.each([
    { why: "the first of equals", loads: {}, node: "n1" },
    { why: "the emptiest", loads: { n1: { pods: 5 }, n2: { pods: 3 }, n3: { pods: 4 } }, node: "n2" },
    {
      why: "the first of the emptiest",
      loads: { n1: { pods: 2 }, n2: { pods: 1 }, n3: { pods: 1 } },
      node: "n2"
    }
  ])("$node: $why", ({ loads, node }) => {
    expect(placed({}, nodes, loads)).toBe(node)
  })

  it("exactly what is left is enough", () => {
    const load = { n1: { cpuMillis: 3_500n, memoryMillis: 0n, pods: 109 } }
    expect(placed(asking("500m"), [aNode()], load)).toBe("n1")
  })

  it("a node that is fuller than it can be takes a Pod that asks for nothing", () => {
    expect(placed({}, [aNode()], { n1: { cpuMillis: 9_000n, pods: 1 } })).toBe("n1")
  })
})

interface Refused {
  readonly why: string
  readonly node: NodeOptions
  readonly pod?: PodOptions
  readonly load?: Partial<NodePodLoad>
  readonly said: string
}

describe("why no node can take it is said as the scheduler says it", () => {
  it.each<Refused>([
    { why: "cordoned", node: { spec: { unschedulable: true } }, said: "1 node(s) were unschedulable" },
    { why: "not heard of", node: { ready: "Unknown" }, said: "1 node(s) had untolerated taint(s)" },
    { why: "not ready", node: { ready: "False" }, said: "1 node(s) had untolerated taint(s)" },
    { why: "tainted", node: tainted(gpu), said: "1 node(s) had untolerated taint(s)" },
    { why: "full", node: { pods: "7" }, load: { pods: 7 }, said: "1 Too many pods" },
    { why: "cpu", node: { cpu: "2" }, pod: asking("2001m"), said: "1 Insufficient cpu" },
    {
      why: "both, and every shortage is said",
      node: { cpu: "1", memory: "1Gi" },
      pod: asking("2", "2Gi"),
      said: "1 Insufficient cpu, 1 Insufficient memory"
    },
    {
      why: "another zone",
      node: { labels: { zone: "a" } },
      pod: { spec: { nodeSelector: { zone: "b" } } },
      said: "1 node(s) didn't match Pod's node affinity/selector"
    }
  ])("$why: 0/1 nodes are available: $said", ({ node, pod = {}, load = {}, said }) => {
    expect(placed(pod, [aNode(node)], { n1: load })).toBe(`0/1 nodes are available: ${said}.`)
  })

  it("reasons are counted over all nodes, in the order of their texts", () => {
    const nodes = [
      aNode({ name: "n1", cpu: "1" }),
      aNode({ name: "n2", spec: { unschedulable: true } }),
      aNode({ name: "n3", cpu: "1" }),
      aNode({ name: "n4", spec: { taints: [gpu] } })
    ]
    expect(placed(asking("3"), nodes)).toBe(
      "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu."
    )
  })

  it("no nodes at all is another message", () => {
    expect(placed({}, [])).toBe("no nodes available to schedule pods")
  })
})

type Toleration = NonNullable<NonNullable<PodOptions["spec"]>["tolerations"]>[number]

describe("a taint that is tolerated is no obstacle", () => {
  it.each<{ readonly why: string; readonly toleration: Toleration; readonly tolerated: boolean }>([
    { why: "key, value and effect", toleration: { ...gpu, operator: "Equal" }, tolerated: true },
    {
      why: "Equal is meant where nothing is said",
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
    { why: "everything", toleration: { operator: "Exists" }, tolerated: true },
    {
      why: "everything, said with empty texts",
      toleration: { key: "", operator: "Exists", effect: "" },
      tolerated: true
    },
    {
      why: "any effect, said with an empty text",
      toleration: { key: "gpu", value: "yes", effect: "" },
      tolerated: true
    }
  ])("$toleration: $tolerated: $why", ({ toleration, tolerated }) => {
    const said = placed({ spec: { tolerations: [toleration] } }, [aNode(tainted(gpu))])
    expect(said).toBe(tolerated ? "n1" : "0/1 nodes are available: 1 node(s) had untolerated taint(s).")
  })

  it.each<{ readonly why: string; readonly node: NodeOptions; readonly key: string }>([
    { why: "cordoned", node: { spec: { unschedulable: true } }, key: "unschedulable" },
    { why: "not ready", node: { ready: "False" }, key: "not-ready" },
    { why: "not heard of", node: { ready: "Unknown" }, key: "unreachable" }
  ])("a node that is $why takes a Pod that tolerates just that", ({ node, key }) => {
    const tolerations = [{ key: `node.kubernetes.io/${key}`, operator: "Exists" }]
    expect(placed({ spec: { tolerations } }, [aNode(node)])).toBe("n1")
    expect(placed({}, [aNode(node)])).toContain("0/1 nodes are available")
  })

  it("a wish not to be chosen is no obstacle", () => {
    expect(placed({}, [aNode(tainted({ key: "old", effect: "PreferNoSchedule" }))])).toBe("n1")
  })

  it("every taint must be tolerated", () => {
    const two = aNode(tainted(gpu, { key: "lost", effect: "NoExecute" }))
    expect(placed({ spec: { tolerations: [{ key: "gpu", operator: "Exists" }] } }, [two])).toContain(
      "untolerated"
    )
  })
})
