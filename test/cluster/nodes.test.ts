import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { podManifest } from "../builders.ts"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

const nodesOf = async (nodes: ClusterOptions["nodes"]) => {
  await using cluster = await openCluster(nodes === undefined ? {} : { nodes })
  await cluster.settle()
  return (await cluster.list(resources.nodes)).items
}

const node = (name: string, fields: object = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  ...fields
})

const kubeletLabels = (name: string) => ({
  "beta.kubernetes.io/arch": "amd64",
  "beta.kubernetes.io/os": "linux",
  "kubernetes.io/arch": "amd64",
  "kubernetes.io/hostname": name,
  "kubernetes.io/os": "linux"
})

describe("nodes of one shape", () => {
  it("have the labels that kubelets set", async () => {
    const [first] = await nodesOf(undefined)
    expect(first?.metadata.labels).toEqual(kubeletLabels("node-1"))
  })

  it("are in zones by turns, of one region and instance type", async () => {
    const nodes = await nodesOf({ count: 3, zones: ["a", "b"], region: "west", instanceType: "m5.large" })
    const placeOf = (name: string, zone: string) => ({
      ...kubeletLabels(name),
      "node.kubernetes.io/instance-type": "m5.large",
      "topology.kubernetes.io/region": "west",
      "topology.kubernetes.io/zone": zone
    })
    expect(nodes.map(({ metadata }) => metadata.labels)).toEqual([
      placeOf("node-1", "a"),
      placeOf("node-2", "b"),
      placeOf("node-3", "a")
    ])
  })

  it("have extended resources and as much ephemeral storage as is said", async () => {
    const [first] = await nodesOf({ resources: { "nvidia.com/gpu": 4, "ephemeral-storage": "7Gi" } })
    const amounts = {
      cpu: "32",
      memory: "128Gi",
      pods: "110",
      "nvidia.com/gpu": "4",
      "ephemeral-storage": "7Gi"
    }
    expect([first?.status.capacity, first?.status.allocatable]).toEqual([amounts, amounts])
  })
})

describe("Node objects", () => {
  it("replace the default nodes, and become ready", async () => {
    const nodes = await nodesOf([
      node("big", { status: { capacity: { cpu: "96" }, allocatable: { cpu: "95" } } }),
      node("arm", {
        spec: { taints: [{ key: "arch", value: "arm64", effect: "NoSchedule" }] },
        status: { nodeInfo: { architecture: "arm64" } }
      })
    ])
    const facts = nodes.map(({ metadata, spec, status }) => [
      metadata.name,
      metadata.labels?.["kubernetes.io/arch"],
      (spec.taints ?? []).map(({ key }) => key),
      status.capacity?.["cpu"],
      status.allocatable?.["cpu"],
      status.allocatable?.["memory"],
      status.conditions?.find(({ type }) => type === "Ready")?.status
    ])
    expect(facts).toEqual([
      ["arm", "arm64", ["arch"], "32", "32", "128Gi", "True"],
      ["big", "amd64", [], "96", "95", "128Gi", "True"]
    ])
  })

  it("as a cluster returns them are those of another cluster", async () => {
    const nodes = await nodesOf({ count: 2, zones: ["a", "b"], cpu: "3" })
    const copies = await nodesOf(nodes)
    const shapeOf = ({ metadata, spec, status }: (typeof nodes)[number]) => ({
      name: metadata.name,
      labels: metadata.labels,
      spec,
      capacity: status.capacity
    })
    expect(copies.map(shapeOf)).toEqual(nodes.map(shapeOf))
  })

  it("take Pods by their labels", async () => {
    await using cluster = await openCluster({
      nodes: [node("slow"), node("fast", { metadata: { name: "fast", labels: { disk: "ssd" } } })]
    })
    await cluster.create(podManifest("web", { nodeSelector: { disk: "ssd" } }))
    await cluster.settle()
    expect((await cluster.get({ resource: resources.pods, name: "web" })).spec.nodeName).toBe("fast")
  })
})

describe("a cluster is refused", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly nodes: unknown; readonly problem: string }> = [
    {
      why: "one is no Node",
      nodes: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }],
      problem: "nodes[0]: ConfigMap is no Node"
    },
    {
      why: "two have one name",
      nodes: [node("a"), node("a")],
      problem: 'nodes[1]: another Node is called "a"'
    },
    {
      why: "one has no name",
      nodes: [node("")],
      problem: 'nodes[0]: Node "" is invalid: metadata.name: Required value: name or generateName is required'
    },
    {
      why: "one has an unknown field",
      nodes: [node("a", { spec: { taint: [] } })],
      problem:
        'nodes[0]: Node in version "v1" cannot be handled as a Node: ' +
        'strict decoding error: unknown field "spec.taint"'
    },
    {
      why: "one has a taint without an effect",
      nodes: [node("a", { spec: { taints: [{ key: "gpu" }] } })],
      problem: 'nodes[0]: Node "a" is invalid: metadata.taints[0].effect: Required value'
    },
    {
      why: "the zones are none",
      nodes: { zones: [] },
      problem: "nodes.zones must be a list of zones, not []"
    },
    {
      why: "a zone is no label value",
      nodes: { zones: ["a", "b c"] },
      problem:
        'nodes.zones[1]: "b c": a valid label must be an empty string or consist of alphanumeric characters, ' +
        "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  " +
        "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    },
    {
      why: "a resource has no amount",
      nodes: { resources: { "nvidia.com/gpu": "many" } },
      problem:
        'nodes.resources["nvidia.com/gpu"] must be a quantity from 0 on, such as 4 or "200Gi", not "many"'
    }
  ]
  for (const { why, nodes, problem } of rows) {
    it(`because ${why}`, async () => {
      await expect(openCluster({ nodes: nodes as ClusterOptions["nodes"] & {} })).rejects.toThrow(problem)
    })
  }
})
