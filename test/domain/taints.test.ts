import { describe, expect, it } from "vitest"
import { taintEvictionMillis, withConditionTaints } from "../../src/kubernetes/core/taints.ts"
import { aNode, aPod, aTime, startMillis } from "../builders.ts"
import type { Node } from "../../src/kubernetes/meta/objects.ts"
import type { Taint, Toleration } from "../../src/kubernetes/core/taints.ts"

const lost: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" }
const broken: Taint = { key: "broken", value: "yes", effect: "NoExecute" }
const forLost = (tolerationSeconds?: number): Toleration => ({
  key: lost.key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds })
})

interface Leaving {
  readonly why: string
  readonly taints: ReadonlyArray<Taint>
  readonly tolerations?: ReadonlyArray<Toleration>
  /** Seconds after the start; the node has driven Pods away since 10. */
  readonly leaves: number | undefined
}

describe("when a Pod must leave a node that has driven Pods away since 10 s (TestGetMinTolerationTime)", () => {
  it.each<Leaving>([
    { why: "it tolerates nothing", taints: [lost], leaves: 10 },
    { why: "it tolerates something else", taints: [broken], tolerations: [forLost()], leaves: 10 },
    { why: "it tolerates it without end", taints: [lost], tolerations: [forLost()], leaves: undefined },
    { why: "it tolerates it for a time", taints: [lost], tolerations: [forLost(37)], leaves: 47 },
    { why: "for no time", taints: [lost], tolerations: [forLost(0)], leaves: 10 },
    { why: "for less than that", taints: [lost], tolerations: [forLost(-3)], leaves: 10 },
    {
      why: "the first that fits is used",
      taints: [lost],
      tolerations: [forLost(90), forLost(7)],
      leaves: 100
    },
    {
      why: "one of two taints is not tolerated",
      taints: [lost, broken],
      tolerations: [forLost(300)],
      leaves: 10
    },
    {
      why: "the shorter of two tolerations counts",
      taints: [lost, broken],
      tolerations: [forLost(300), { key: "broken", value: "yes", tolerationSeconds: 13 }],
      leaves: 23
    },
    {
      why: "one without end and one with an end",
      taints: [lost, broken],
      tolerations: [forLost(), { operator: "Exists", tolerationSeconds: 11 }],
      leaves: 21
    }
  ])("$leaves: $why", ({ taints, tolerations = [], leaves }) => {
    const pod = aPod({ spec: { tolerations: [...tolerations] } })
    const expected = leaves === undefined ? undefined : startMillis + leaves * 1000
    expect(taintEvictionMillis(pod, taints, startMillis + 10_000)).toBe(expected)
  })

  it("a Pod that came later has its time from then on", () => {
    const pod = aPod({ spec: { tolerations: [forLost(30)] } })
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: aTime(25) }
    const late = { ...pod, status: { ...pod.status, conditions: [scheduled] } }
    expect(taintEvictionMillis(late, [lost], startMillis + 10_000)).toBe(startMillis + 55_000)
  })
})

const withCondition = (node: Node, type: string, status: string): Node => ({
  ...node,
  status: { ...node.status, conditions: [...(node.status.conditions ?? []), { type, status }] }
})

const taintTexts = (node: Node): ReadonlyArray<string> =>
  (withConditionTaints(node, aTime(5)).spec.taints ?? []).map(
    ({ key, effect, timeAdded }) => `${key}:${effect}${timeAdded === undefined ? "" : " added"}`
  )

const mine = { key: "mine", effect: "NoExecute" }
const unreachable = "node.kubernetes.io/unreachable"
const notReady = "node.kubernetes.io/not-ready"

describe("the taints of a node say what its conditions say", () => {
  it.each<{ readonly why: string; readonly node: Node; readonly taints: ReadonlyArray<string> }>([
    { why: "ready", node: aNode(), taints: [] },
    {
      why: "lost",
      node: aNode({ ready: "Unknown" }),
      taints: [`${unreachable}:NoSchedule added`, `${unreachable}:NoExecute added`]
    },
    {
      why: "not ready",
      node: aNode({ ready: "False" }),
      taints: [`${notReady}:NoSchedule added`, `${notReady}:NoExecute added`]
    },
    {
      why: "new: nothing runs there that could be driven away",
      node: { ...aNode(), status: {} },
      taints: [`${notReady}:NoSchedule added`]
    },
    {
      why: "from not ready to lost, and somebody's own stays",
      node: aNode({
        ready: "Unknown",
        spec: {
          taints: [{ key: notReady, effect: "NoExecute" }, mine, { key: unreachable, effect: "NoSchedule" }]
        }
      }),
      taints: ["mine:NoExecute", `${unreachable}:NoSchedule`, `${unreachable}:NoExecute added`]
    },
    {
      why: "back again",
      node: aNode({ spec: { taints: [mine, { key: unreachable, effect: "NoExecute" }] } }),
      taints: ["mine:NoExecute"]
    },
    {
      why: "cordoned",
      node: aNode({ spec: { unschedulable: true } }),
      taints: ["node.kubernetes.io/unschedulable:NoSchedule added"]
    },
    {
      why: "short of memory",
      node: withCondition(aNode(), "MemoryPressure", "True"),
      taints: ["node.kubernetes.io/memory-pressure:NoSchedule added"]
    },
    { why: "not short of memory", node: withCondition(aNode(), "MemoryPressure", "False"), taints: [] }
  ])("$taints: $why", ({ node, taints }) => {
    expect(taintTexts(node)).toEqual(taints)
  })

  it("a node whose taints fit is left as it is", () => {
    const tainted = withConditionTaints(aNode({ ready: "Unknown" }), aTime(3))
    expect(withConditionTaints(tainted, aTime(9))).toBe(tainted)
  })
})
