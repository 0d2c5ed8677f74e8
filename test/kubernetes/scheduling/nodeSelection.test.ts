import { describe, expect, it } from "vitest"
import { aNodeIn, placementOf } from "./placementOf.ts"
import type { NodeSelectorRequirement, NodeSelectorTerm } from "kubernetes-types/core/v1.js"

const nodes = [
  aNodeIn("n1", "a", { disk: "ssd", cores: "8" }),
  aNodeIn("n2", "b", { disk: "hdd", cores: "16" }),
  aNodeIn("n3", "c")
]

const placedBy = (...nodeSelectorTerms: ReadonlyArray<NodeSelectorTerm>): string =>
  placementOf({
    nodes,
    pod: {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...nodeSelectorTerms] }
          }
        }
      }
    }
  })

const noNode = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."

describe("required node affinity", () => {
  it.each<{ readonly requirement: NodeSelectorRequirement; readonly result: string; readonly why: string }>([
    {
      requirement: { key: "disk", operator: "In", values: ["hdd", "tape"] },
      result: "n2",
      why: "one of the values"
    },
    { requirement: { key: "disk", operator: "NotIn", values: ["ssd"] }, result: "n2", why: "another value" },
    { requirement: { key: "disk", operator: "DoesNotExist" }, result: "n3", why: "no such label" },
    { requirement: { key: "disk", operator: "Exists" }, result: "n1", why: "any value" },
    { requirement: { key: "cores", operator: "Gt", values: ["8"] }, result: "n2", why: "a larger number" },
    { requirement: { key: "cores", operator: "Lt", values: ["9"] }, result: "n1", why: "a smaller number" },
    {
      requirement: { key: "cores", operator: "Gt", values: ["16"] },
      result: noNode,
      why: "no larger number"
    },
    { requirement: { key: "gpu", operator: "Exists" }, result: noNode, why: "no node has the label" },
    {
      requirement: { key: "disk", operator: "In", values: ["tape"] },
      result: noNode,
      why: "no node has the value"
    }
  ])(
    "$requirement.key $requirement.operator $requirement.values gives $result: $why",
    ({ requirement, result }) => {
      expect(placedBy({ matchExpressions: [requirement] })).toBe(result)
    }
  )

  it("is met by one of its terms, of which all expressions hold", () => {
    const inZone = (zone: string) => ({ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] })
    const hdd = { key: "disk", operator: "In", values: ["hdd"] }
    expect(placedBy({ matchExpressions: [inZone("a"), hdd] }, { matchExpressions: [inZone("c")] })).toBe("n3")
  })

  it("with a term of no expressions is met by no node", () => {
    expect(placedBy({})).toBe(noNode)
  })

  it("names nodes by matchFields; the others are not looked at", () => {
    const named = (...values: ReadonlyArray<string>) => ({
      matchFields: [{ key: "metadata.name", operator: "In", values: [...values] }]
    })
    expect(placedBy(named("n2"))).toBe("n2")
    expect(placedBy(named("n9"))).toBe(
      "0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )
    expect(placedBy({ ...named("n1"), matchExpressions: [{ key: "gpu", operator: "Exists" }] })).toBe(
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, " +
        "2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )
  })

  it("that names two nodes at once is a conflict", () => {
    const both = ["n1", "n2"].map((name) => ({ key: "metadata.name", operator: "In", values: [name] }))
    expect(placedBy({ matchFields: both })).toBe("0/3 nodes are available: pod affinity terms conflict.")
  })
})
