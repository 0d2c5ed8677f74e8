import { describe, expect, it } from "vitest"
import { aNode, aPod } from "../../builders.ts"
import { placementOf } from "./placementOf.ts"
import type { ContainerPort } from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"

const withPorts = (...ports: ReadonlyArray<Partial<ContainerPort>>): Partial<PodSpec> => ({
  containers: [{ name: "app", image: "i", ports: ports.map((port) => ({ containerPort: 80, ...port })) }]
})
const podOnN1 = (spec: Partial<PodSpec>) => aPod({ name: "there", node: "n1", spec })

describe("host ports", () => {
  const noPort = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
  it.each([
    { why: "the port is taken", there: { hostPort: 80 }, wanted: { hostPort: 80 }, result: noPort },
    { why: "another port", there: { hostPort: 80 }, wanted: { hostPort: 81 }, result: "n1" },
    {
      why: "another protocol",
      there: { hostPort: 53 },
      wanted: { hostPort: 53, protocol: "UDP" },
      result: "n1"
    },
    {
      why: "another address",
      there: { hostPort: 80, hostIP: "10.0.0.1" },
      wanted: { hostPort: 80, hostIP: "10.0.0.2" },
      result: "n1"
    },
    {
      why: "all addresses are taken",
      there: { hostPort: 80 },
      wanted: { hostPort: 80, hostIP: "10.0.0.2" },
      result: noPort
    },
    {
      why: "all addresses are wanted",
      there: { hostPort: 80, hostIP: "10.0.0.1" },
      wanted: { hostPort: 80, hostIP: "0.0.0.0" },
      result: noPort
    },
    { why: "container ports are no ports of the node", there: {}, wanted: {}, result: "n1" }
  ])("$wanted beside $there gives $result: $why", ({ there, wanted, result }) => {
    expect(
      placementOf({ nodes: [aNode()], pods: [podOnN1(withPorts(there))], pod: { spec: withPorts(wanted) } })
    ).toBe(result)
  })

  it("of a sidecar count, of an init container they do not", () => {
    const containers = [{ name: "app", image: "i" }]
    const init = { name: "init", image: "i", ports: [{ containerPort: 80, hostPort: 80 }] }
    const place = (initContainers: NonNullable<PodSpec["initContainers"]>): string =>
      placementOf({
        nodes: [aNode()],
        pods: [podOnN1({ containers, initContainers })],
        pod: { spec: withPorts({ hostPort: 80 }) }
      })
    expect(place([init])).toBe("n1")
    expect(place([Object.assign({ restartPolicy: "Always" }, init)])).toBe(noPort)
  })
})

const requesting = (requests: Readonly<Record<string, string>>): Partial<PodSpec> => ({
  containers: [{ name: "app", image: "i", resources: { requests: { ...requests } } }]
})

const nodeWith = (amounts: Readonly<Record<string, string>>) => {
  const node = aNode()
  return { ...node, status: { ...node.status, allocatable: { ...node.status.allocatable, ...amounts } } }
}

describe("a resource of a node", () => {
  it.each([
    { resource: "example.com/gpu", has: "2", used: "1", wanted: "1", fits: true },
    { resource: "example.com/gpu", has: "2", used: "1", wanted: "2", fits: false },
    { resource: "example.com/gpu", has: undefined, used: "0", wanted: "1", fits: false },
    { resource: "ephemeral-storage", has: "10Gi", used: "6Gi", wanted: "4Gi", fits: true },
    { resource: "ephemeral-storage", has: "10Gi", used: "6Gi", wanted: "5Gi", fits: false },
    { resource: "hugepages-2Mi", has: "4Mi", used: "2Mi", wanted: "4Mi", fits: false },
    { resource: "example.com/gpu", has: undefined, used: "0", wanted: "0", fits: true }
  ])("$resource: $wanted of $has with $used used fits: $fits", ({ resource, has, used, wanted, fits }) => {
    const result = placementOf({
      nodes: [nodeWith(has === undefined ? {} : { [resource]: has })],
      pods: [podOnN1(requesting({ [resource]: used }))],
      pod: { spec: requesting({ [resource]: wanted }) }
    })
    expect(result).toBe(fits ? "n1" : `0/1 nodes are available: 1 Insufficient ${resource}.`)
  })

  it("is taken by the largest of init containers, sidecars and the overhead, too", () => {
    const gpus = (count: string) => ({ requests: { "example.com/gpu": count } })
    const place = (spec: Partial<PodSpec>): string =>
      placementOf({ nodes: [nodeWith({ "example.com/gpu": "3" })], pod: { spec } })
    const containers = [{ name: "app", image: "i", resources: gpus("1") }]
    const init = { name: "init", image: "i", resources: gpus("3") }
    const sidecar = Object.assign({ restartPolicy: "Always" }, { ...init, resources: gpus("2") })
    const insufficientGpus = "0/1 nodes are available: 1 Insufficient example.com/gpu."
    expect(place({ containers, initContainers: [init] })).toBe("n1")
    expect(place({ containers, initContainers: [sidecar] })).toBe("n1")
    expect(place({ containers, initContainers: [sidecar, init] })).toBe(insufficientGpus)
    expect(place({ containers, initContainers: [sidecar], overhead: { "example.com/gpu": "1" } })).toBe(
      insufficientGpus
    )
  })
})
