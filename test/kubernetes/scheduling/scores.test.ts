import { describe, expect, it } from "vitest"
import { aNode, aPod } from "../../builders.ts"
import { choosePodNode } from "../../../src/kubernetes/scheduling/placement.ts"
import { makeMutableNodeInfos } from "../../../src/kubernetes/scheduling/nodeInfos.ts"
import {
  imageScores,
  nodeAffinityScores,
  taintScores
} from "../../../src/kubernetes/scheduling/scores/preferenceScores.ts"
import {
  balanceScores,
  leastAllocatedScores
} from "../../../src/kubernetes/scheduling/scores/resourceScores.ts"
import { podAffinityScores } from "../../../src/kubernetes/scheduling/scores/podAffinityScores.ts"
import { spreadScores } from "../../../src/kubernetes/scheduling/scores/spreadScores.ts"
import { aNodeIn } from "./placementOf.ts"
import type { PodSpecWithResources } from "../../../src/kubernetes/pods/podResources.ts"
import type { Node, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { NodeScorer } from "../../../src/kubernetes/scheduling/scores/nodeScorer.ts"
import type { PodOptions } from "../../builders.ts"

const hostname = "kubernetes.io/hostname"
const zone = "topology.kubernetes.io/zone"
const preferred = "preferredDuringSchedulingIgnoredDuringExecution"
const ofWeb = { labelSelector: { matchLabels: { app: "web" } } }

const requesting = (cpu: string, memory: string): PodOptions => ({
  spec: { containers: [{ name: "app", image: "i", resources: { requests: { cpu, memory } } }] }
})
const podOn = (node: string, options: PodOptions = {}): Pod => aPod({ name: `on-${node}`, node, ...options })
const tainted = (name: string, ...keys: ReadonlyArray<string>): Node =>
  aNode({ name, spec: { taints: keys.map((key) => ({ key, effect: "PreferNoSchedule" })) } })
const withImage = (name: string, image?: string, megabytes = 0): Node => {
  const node = aNode({ name })
  const images = image === undefined ? [] : [{ names: [image], sizeBytes: megabytes * 1024 * 1024 }]
  return { ...node, status: { ...node.status, images } }
}

interface Row {
  readonly why: string
  readonly scorer: NodeScorer
  readonly nodes: ReadonlyArray<Node>
  readonly pods?: ReadonlyArray<Pod>
  readonly pod?: PodOptions
  readonly scores: ReadonlyArray<number> | undefined
}

const zones = [aNodeIn("n1", "a"), aNodeIn("n2", "a"), aNodeIn("n3", "b")]
const term = (topologyKey: string, weight: number) => ({ weight, podAffinityTerm: { ...ofWeb, topologyKey } })
const nodeTerm = (value: string, weight: number) => ({
  weight,
  preference: { matchExpressions: [{ key: zone, operator: "In", values: [value] }] }
})
const wholePodRequesting: Partial<PodSpecWithResources> = { resources: { requests: { memory: "100Mi" } } }
const spread = (topologyKey: string, maxSkew = 1) => ({
  topologySpreadConstraints: [{ ...ofWeb, topologyKey, maxSkew, whenUnsatisfiable: "ScheduleAnyway" }]
})

describe("the scores of nodes", () => {
  it.each<Row>([
    {
      why: "the larger the free part, the better: half and a quarter of 4 cpu, a quarter of 8Gi",
      scorer: leastAllocatedScores,
      nodes: [aNode({ name: "n1" }), aNode({ name: "n2" })],
      pods: [podOn("n2", requesting("1", "0"))],
      pod: requesting("2", "2Gi"),
      scores: [62, 50]
    },
    {
      why: "a container without requests counts as 100m and 200Mi",
      scorer: leastAllocatedScores,
      nodes: [aNode({ name: "n1", cpu: "1", memory: "1000Mi" })],
      scores: [85]
    },
    {
      why: "a container without requests counts as 0 where the Pod as a whole requests the resource",
      scorer: leastAllocatedScores,
      nodes: [aNode({ name: "n1", cpu: "1", memory: "1000Mi" })],
      pod: { spec: wholePodRequesting },
      scores: [90]
    },
    {
      why: "equal parts of cpu and memory are best: half beside a quarter is an eighth off",
      scorer: balanceScores,
      nodes: [aNode({ name: "n1" }), aNode({ name: "n2", memory: "4Gi" })],
      pod: requesting("2", "2Gi"),
      scores: [87, 100]
    },
    {
      why: "a Pod without requests is not compared by balance",
      scorer: balanceScores,
      nodes: [aNode()],
      scores: undefined
    },
    {
      why: "each untolerated taint costs its part",
      scorer: taintScores,
      nodes: [tainted("n1"), tainted("n2", "a"), tainted("n3", "a", "b"), tainted("n4", "c")],
      pod: { spec: { tolerations: [{ key: "c", operator: "Exists" }] } },
      scores: [100, 50, 0, 100]
    },
    {
      why: "weights of the preferred terms, beside the highest sum",
      scorer: nodeAffinityScores,
      nodes: zones,
      pod: { spec: { affinity: { nodeAffinity: { [preferred]: [nodeTerm("a", 10), nodeTerm("b", 25)] } } } },
      scores: [40, 40, 100]
    },
    {
      why: "Pods of preferred affinity attract to their domain, of anti-affinity they repel",
      scorer: podAffinityScores,
      nodes: zones,
      pods: [podOn("n1"), podOn("n3")],
      pod: {
        spec: {
          affinity: {
            podAffinity: { [preferred]: [term(zone, 10)] },
            podAntiAffinity: { [preferred]: [term(hostname, 5)] }
          }
        }
      },
      // n1: 10 - 5, n2: 10, n3: 10 - 5
      scores: [0, 100, 0]
    },
    {
      why: "Pods on nodes prefer this one far, or near with weight 1 where they require it",
      scorer: podAffinityScores,
      nodes: zones,
      pods: [
        podOn("n1", { spec: { affinity: { podAntiAffinity: { [preferred]: [term(hostname, 3)] } } } }),
        podOn("n3", {
          spec: {
            affinity: {
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [{ ...ofWeb, topologyKey: hostname }]
              }
            }
          }
        })
      ],
      // n1: -3, n2: 0, n3: 1
      scores: [0, 75, 100]
    },
    {
      why: "the domain with the fewest Pods is best: 2, 1 and 0 Pods times ln 5",
      scorer: spreadScores,
      nodes: zones,
      pods: [podOn("n1", { name: "p1" }), podOn("n1", { name: "p2" }), podOn("n2")],
      pod: { spec: spread(hostname) },
      // rounded: 3, 2, 0
      scores: [0, 33, 100]
    },
    {
      why: "a node without the key gets nothing",
      scorer: spreadScores,
      nodes: [...zones, aNode({ name: "n4" })],
      pod: { spec: spread(zone) },
      scores: [100, 100, 100, 0]
    },
    {
      why: "an image counts by its size and by the part of the nodes that have it",
      scorer: imageScores,
      nodes: [withImage("n1", "big:latest", 2000), withImage("n2")],
      pod: { spec: { containers: [{ name: "app", image: "big" }] } },
      scores: [100, 0]
    },
    {
      why: "a small image is no reason",
      scorer: imageScores,
      nodes: [withImage("n1", "small:1", 20), withImage("n2")],
      pod: { spec: { containers: [{ name: "app", image: "small:1" }] } },
      scores: [0, 0]
    }
  ])("$scores: $why", ({ scorer, nodes, pods = [], pod = {}, scores }) => {
    const { nodeInfos, add } = makeMutableNodeInfos(nodes)
    pods.forEach(add)
    expect(scorer(aPod({ node: undefined, name: "new", ...pod }), nodes, { nodeInfos, nodes })).toEqual(
      scores
    )
  })
})

describe("of many nodes", () => {
  it.each([
    { count: 99, checkedNodeCount: 99, why: "all" },
    { count: 100, checkedNodeCount: 100, why: "at least 100" },
    { count: 1000, checkedNodeCount: 420, why: "50 hundredths less one for every 125 nodes" },
    { count: 5000, checkedNodeCount: 500, why: "10 hundredths" }
  ])("the scheduler compares $checkedNodeCount of $count: $why", ({ count, checkedNodeCount }) => {
    const nodes = Array.from({ length: count }, (_none, index) => aNode({ name: `n${index}` }))
    const { nodeInfos } = makeMutableNodeInfos(nodes)
    const place = (start: number) =>
      choosePodNode(aPod({ node: undefined }), nodes, nodeInfos, { startIndex: start })
    expect(place(0)).toMatchObject({ found: true, checkedNodeCount })
    const next = place(checkedNodeCount % count)
    expect(next.found && next.node.metadata.name).toBe(`n${checkedNodeCount % count}`)
  })
})
