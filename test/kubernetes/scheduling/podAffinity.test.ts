import { describe, expect, it } from "vitest"
import { aPod } from "../../builders.ts"
import { aNodeIn, placementOf } from "./placementOf.ts"
import type { PlacementCase } from "./placementOf.ts"
import type { PodAffinityTerm } from "kubernetes-types/core/v1.js"

const hostname = "kubernetes.io/hostname"
const zone = "topology.kubernetes.io/zone"
const nodes = [aNodeIn("n1", "a"), aNodeIn("n2", "a"), aNodeIn("n3", "b")]
const required = "requiredDuringSchedulingIgnoredDuringExecution"

type Term = PodAffinityTerm & {
  readonly matchLabelKeys?: Array<string>
  readonly mismatchLabelKeys?: Array<string>
}

const labelled = (app: string) => ({ labelSelector: { matchLabels: { app } } })
const nearTerms = (...terms: ReadonlyArray<Term>) => ({
  affinity: { podAffinity: { [required]: [...terms] } }
})
const apartFromTerms = (...terms: ReadonlyArray<Term>) => ({
  affinity: { podAntiAffinity: { [required]: [...terms] } }
})
const podOn = (node: string, app: string, options: Parameters<typeof aPod>[0] = {}) =>
  aPod({ name: `${app}-${node}`, node, labels: { app }, ...options })

const noAffinity = "0/3 nodes are available: 3 node(s) didn't match pod affinity rules."
const noDistance = "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."
const web = { labels: { app: "web" } }

interface Row extends Omit<PlacementCase, "nodes"> {
  readonly why: string
  readonly result: string
}

describe("required affinity to other Pods", () => {
  it.each<Row>([
    {
      why: "the node of the other Pod",
      pod: { spec: nearTerms({ ...labelled("db"), topologyKey: hostname }) },
      pods: [podOn("n2", "db")],
      result: "n2"
    },
    {
      why: "no Pod matches",
      pod: { spec: nearTerms({ ...labelled("db"), topologyKey: hostname }) },
      pods: [podOn("n2", "cache")],
      result: noAffinity
    },
    {
      why: "no node has the key",
      pod: { ...web, spec: nearTerms({ ...labelled("web"), topologyKey: "rack" }) },
      result: noAffinity
    },
    {
      why: "the first Pod of several that want to be together",
      pod: { ...web, spec: nearTerms({ ...labelled("web"), topologyKey: zone }) },
      result: "n1"
    },
    {
      why: "the second of them stays in the zone of the first",
      pod: { ...web, spec: nearTerms({ ...labelled("web"), topologyKey: zone }) },
      pods: [podOn("n3", "web")],
      result: "n3"
    },
    {
      why: "one Pod must match all terms",
      pod: {
        spec: nearTerms(
          { ...labelled("db"), topologyKey: hostname },
          { labelSelector: { matchLabels: { tier: "fast" } }, topologyKey: zone }
        )
      },
      pods: [podOn("n1", "db"), podOn("n2", "x", { labels: { tier: "fast" } })],
      result: noAffinity
    },
    {
      why: "a Pod of another namespace does not count",
      pod: { spec: nearTerms({ ...labelled("db"), topologyKey: hostname }) },
      pods: [podOn("n2", "db", { namespace: "other" })],
      result: noAffinity
    },
    {
      why: "unless the namespace is named",
      pod: { spec: nearTerms({ ...labelled("db"), topologyKey: hostname, namespaces: ["other"] }) },
      pods: [podOn("n2", "db", { namespace: "other" })],
      result: "n2"
    },
    {
      why: "or selected by its labels",
      pod: {
        spec: nearTerms({
          ...labelled("db"),
          topologyKey: hostname,
          namespaceSelector: { matchLabels: { team: "blue" } }
        })
      },
      pods: [podOn("n1", "db", { namespace: "red" }), podOn("n2", "db", { namespace: "blue" })],
      namespaces: { red: { team: "red" }, blue: { team: "blue" } },
      result: "n2"
    },
    {
      why: "a finished Pod is no neighbour",
      pod: { spec: nearTerms({ ...labelled("db"), topologyKey: hostname }) },
      pods: [podOn("n2", "db", { phase: "Succeeded" })],
      result: noAffinity
    },
    {
      why: "matchLabelKeys: only Pods of the same version",
      pod: {
        labels: { app: "web", version: "2" },
        spec: nearTerms({ ...labelled("web"), topologyKey: hostname, matchLabelKeys: ["version"] })
      },
      pods: [
        podOn("n1", "web", { labels: { app: "web", version: "1" } }),
        podOn("n3", "web", { labels: { app: "web", version: "2" } })
      ],
      result: "n3"
    }
  ])("gives $result: $why", (row) => {
    expect(placementOf({ nodes, ...row })).toBe(row.result)
  })
})

describe("required anti-affinity", () => {
  it.each<Row>([
    {
      why: "a node without such a Pod",
      pod: { ...web, spec: apartFromTerms({ ...labelled("web"), topologyKey: hostname }) },
      pods: [podOn("n1", "web")],
      result: "n2"
    },
    {
      why: "a zone without one",
      pod: { ...web, spec: apartFromTerms({ ...labelled("web"), topologyKey: zone }) },
      pods: [podOn("n1", "web")],
      result: "n3"
    },
    {
      why: "every node has one",
      pod: { ...web, spec: apartFromTerms({ ...labelled("web"), topologyKey: hostname }) },
      pods: ["n1", "n2", "n3"].map((node) => podOn(node, "web")),
      result: noDistance
    },
    {
      why: "terminating Pods keep away, too",
      pod: { ...web, spec: apartFromTerms({ ...labelled("web"), topologyKey: zone }) },
      pods: [podOn("n1", "web"), podOn("n3", "web", { terminating: true })],
      result: noDistance
    },
    {
      why: "a node without the key is in no domain",
      pod: { ...web, spec: apartFromTerms({ ...labelled("web"), topologyKey: "rack" }) },
      pods: ["n1", "n2", "n3"].map((node) => podOn(node, "web")),
      result: "n1"
    },
    {
      why: "mismatchLabelKeys: Pods of the same version do not keep away",
      pod: {
        labels: { app: "web", version: "2" },
        spec: apartFromTerms({ ...labelled("web"), topologyKey: zone, mismatchLabelKeys: ["version"] })
      },
      pods: [
        podOn("n1", "web", { labels: { app: "web", version: "1" } }),
        podOn("n3", "web", { labels: { app: "web", version: "2" } })
      ],
      result: "n3"
    },
    {
      why: "the anti-affinity of Pods that are there, whatever the new one asks for",
      pod: web,
      pods: ["n1", "n3"].map((node) =>
        podOn(node, "db", { spec: apartFromTerms({ ...labelled("web"), topologyKey: zone }) })
      ),
      result: "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules."
    },
    {
      why: "which is about Pods of their own namespace",
      pod: { ...web, namespace: "other" },
      pods: [podOn("n1", "db", { spec: apartFromTerms({ ...labelled("web"), topologyKey: hostname }) })],
      result: "n2"
    }
  ])("gives $result: $why", (row) => {
    expect(placementOf({ nodes, ...row })).toBe(row.result)
  })
})
