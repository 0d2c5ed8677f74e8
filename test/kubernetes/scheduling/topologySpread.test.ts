import { describe, expect, it } from "vitest"
import { aNode, aPod } from "../../builders.ts"
import { aNodeIn, placementOf } from "./placementOf.ts"
import type { PlacementCase } from "./placementOf.ts"
import type { SpreadConstraint } from "../../../src/kubernetes/scheduling/topologySpread.ts"

const zone = "topology.kubernetes.io/zone"
const nodes = [aNodeIn("a1", "a"), aNodeIn("a2", "a"), aNodeIn("b1", "b"), aNodeIn("c1", "c")]
const tooMany = "node(s) didn't match pod topology spread constraints"

const podsOn = (...names: ReadonlyArray<string>) =>
  names.map((node, index) => aPod({ name: `web-${index}`, node, labels: { app: "web" } }))

const spread = (
  constraint: Partial<SpreadConstraint> = {},
  spec: Parameters<typeof aPod>[0] = {}
): PlacementCase["pod"] => ({
  labels: { app: "web" },
  ...spec,
  spec: {
    ...spec.spec,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: zone,
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
        ...constraint
      }
    ]
  }
})

interface Row extends Partial<PlacementCase> {
  readonly why: string
  readonly pod: PlacementCase["pod"]
  readonly result: string
}

describe("a constraint with DoNotSchedule", () => {
  it.each<Row>([
    {
      why: "the only zone that is not ahead",
      pod: spread(),
      pods: podsOn("a1", "b1"),
      result: "c1"
    },
    {
      why: "one zone may be two ahead",
      pod: spread({ maxSkew: 2 }),
      pods: podsOn("a1"),
      result: "a2"
    },
    {
      why: "no node has the key",
      pod: spread({ topologyKey: "rack" }),
      result: `0/4 nodes are available: 4 ${tooMany} (missing required label).`
    },
    {
      why: "the zone with room is cordoned, and counts all the same",
      pod: spread(),
      nodes: [
        ...nodes.slice(0, 3),
        aNode({ name: "c1", labels: { [zone]: "c" }, spec: { unschedulable: true } })
      ],
      pods: podsOn("a1", "b1"),
      result: `0/4 nodes are available: 1 node(s) were unschedulable, 3 ${tooMany}.`
    },
    {
      why: "unless taints are honoured",
      pod: spread({ nodeTaintsPolicy: "Honor" }),
      nodes: [
        ...nodes.slice(0, 3),
        aNode({
          name: "c1",
          labels: { [zone]: "c" },
          spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] }
        })
      ],
      pods: podsOn("a1", "b1"),
      result: "a2"
    },
    {
      why: "zones that the node affinity excludes do not count",
      pod: spread({}, { spec: { nodeSelector: { disk: "ssd" } } }),
      nodes: [aNodeIn("a1", "a", { disk: "ssd" }), aNodeIn("b1", "b", { disk: "ssd" }), aNodeIn("c1", "c")],
      pods: podsOn("a1", "b1"),
      result: "a1"
    },
    {
      why: "unless the affinity is ignored",
      pod: spread({ nodeAffinityPolicy: "Ignore" }, { spec: { nodeSelector: { disk: "ssd" } } }),
      nodes: [aNodeIn("a1", "a", { disk: "ssd" }), aNodeIn("b1", "b", { disk: "ssd" }), aNodeIn("c1", "c")],
      pods: podsOn("a1", "b1"),
      result: `0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 ${tooMany}.`
    },
    {
      why: "with fewer zones than minDomains the fewest Pods are none",
      pod: spread({ minDomains: 4 }),
      pods: podsOn("a1", "b1", "c1"),
      result: `0/4 nodes are available: 4 ${tooMany}.`
    },
    {
      why: "with as many the fewest Pods are one",
      pod: spread({ minDomains: 3 }),
      pods: podsOn("a1", "b1", "c1"),
      result: "a2"
    },
    {
      why: "terminating Pods do not count",
      pod: spread(),
      pods: [
        ...podsOn("b1", "c1"),
        aPod({ name: "old", node: "a1", labels: { app: "web" }, terminating: true })
      ],
      result: "a2"
    },
    {
      why: "nor do Pods of another namespace",
      pod: spread({}, { namespace: "other" }),
      pods: podsOn("a1", "a1"),
      result: "a2"
    },
    {
      why: "a Pod that the selector does not match adds nothing to a zone that is ahead",
      pod: { ...spread(), labels: { app: "job" } },
      pods: podsOn("a1", "b1"),
      result: "a2"
    },
    {
      why: "matchLabelKeys: only Pods of the same revision count",
      pod: { ...spread({ matchLabelKeys: ["hash"] }), labels: { app: "web", hash: "2" } },
      pods: podsOn("b1", "c1"),
      result: "a1"
    }
  ])("gives $result: $why", (row) => {
    expect(placementOf({ nodes, ...row })).toBe(row.result)
  })
})
