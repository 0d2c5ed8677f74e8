import { describe, expect, it } from "vitest"
import { taintEvictionMillis, withConditionTaints } from "../../../../src/kubernetes/core/taints.ts"
import { aNode, aPod, aTime, startMillis } from "../../../builders.ts"
import type { Node } from "../../../../src/kubernetes/meta/objects.ts"
import type { Taint, Toleration } from "../../../../src/kubernetes/core/taints.ts"

const unreachableTaint: Taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" }
const broken: Taint = { key: "broken", value: "yes", effect: "NoExecute" }
const toleratingUnreachable = (tolerationSeconds?: number): Toleration => ({
  key: unreachableTaint.key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds })
})

interface EvictionCase {
  readonly why: string
  readonly taints: ReadonlyArray<Taint>
  readonly tolerations?: ReadonlyArray<Toleration>
  /** Seconds after the start; the node has NoExecute taints since second 10. */
  readonly evictedAt: number | undefined
}

describe("the eviction from a node with NoExecute taints since 10 s (TestGetMinTolerationTime)", () => {
  it.each<EvictionCase>([
    { why: "no toleration", taints: [unreachableTaint], evictedAt: 10 },
    {
      why: "a toleration of another taint",
      taints: [broken],
      tolerations: [toleratingUnreachable()],
      evictedAt: 10
    },
    {
      why: "a toleration without end",
      taints: [unreachableTaint],
      tolerations: [toleratingUnreachable()],
      evictedAt: undefined
    },
    {
      why: "a toleration for some time",
      taints: [unreachableTaint],
      tolerations: [toleratingUnreachable(37)],
      evictedAt: 47
    },
    {
      why: "a toleration for 0 seconds",
      taints: [unreachableTaint],
      tolerations: [toleratingUnreachable(0)],
      evictedAt: 10
    },
    {
      why: "a toleration for a negative time",
      taints: [unreachableTaint],
      tolerations: [toleratingUnreachable(-3)],
      evictedAt: 10
    },
    {
      why: "the first matching toleration counts",
      taints: [unreachableTaint],
      tolerations: [toleratingUnreachable(90), toleratingUnreachable(7)],
      evictedAt: 100
    },
    {
      why: "one of two taints is not tolerated",
      taints: [unreachableTaint, broken],
      tolerations: [toleratingUnreachable(300)],
      evictedAt: 10
    },
    {
      why: "the shorter of two tolerations counts",
      taints: [unreachableTaint, broken],
      tolerations: [toleratingUnreachable(300), { key: "broken", value: "yes", tolerationSeconds: 13 }],
      evictedAt: 23
    },
    {
      why: "one toleration without end, one with",
      taints: [unreachableTaint, broken],
      tolerations: [toleratingUnreachable(), { operator: "Exists", tolerationSeconds: 11 }],
      evictedAt: 21
    }
  ])("is at $evictedAt: $why", ({ taints, tolerations = [], evictedAt }) => {
    const pod = aPod({ spec: { tolerations: [...tolerations] } })
    const expected = evictedAt === undefined ? undefined : startMillis + evictedAt * 1000
    expect(taintEvictionMillis(pod, taints, startMillis + 10_000)).toBe(expected)
  })

  it("counts from the scheduling of a Pod that came later", () => {
    const pod = aPod({ spec: { tolerations: [toleratingUnreachable(30)] } })
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: aTime(25) }
    const scheduledLater = { ...pod, status: { ...pod.status, conditions: [scheduled] } }
    expect(taintEvictionMillis(scheduledLater, [unreachableTaint], startMillis + 10_000)).toBe(
      startMillis + 55_000
    )
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

const ownTaint = { key: "mine", effect: "NoExecute" }
const unreachable = "node.kubernetes.io/unreachable"
const notReady = "node.kubernetes.io/not-ready"

describe("the taints for the state of a node", () => {
  it.each<{ readonly why: string; readonly node: Node; readonly taints: ReadonlyArray<string> }>([
    { why: "a ready node", node: aNode(), taints: [] },
    {
      why: "an unreachable node",
      node: aNode({ ready: "Unknown" }),
      taints: [`${unreachable}:NoSchedule added`, `${unreachable}:NoExecute added`]
    },
    {
      why: "a node that is not ready",
      node: aNode({ ready: "False" }),
      taints: [`${notReady}:NoSchedule added`, `${notReady}:NoExecute added`]
    },
    {
      why: "a new node, without NoExecute as it has no Pods",
      node: { ...aNode(), status: {} },
      taints: [`${notReady}:NoSchedule added`]
    },
    {
      why: "an unreachable node that was not ready, with a taint of an administrator",
      node: aNode({
        ready: "Unknown",
        spec: {
          taints: [
            { key: notReady, effect: "NoExecute" },
            ownTaint,
            { key: unreachable, effect: "NoSchedule" }
          ]
        }
      }),
      taints: ["mine:NoExecute", `${unreachable}:NoSchedule`, `${unreachable}:NoExecute added`]
    },
    {
      why: "a node that is ready again",
      node: aNode({ spec: { taints: [ownTaint, { key: unreachable, effect: "NoExecute" }] } }),
      taints: ["mine:NoExecute"]
    },
    {
      why: "a cordoned node",
      node: aNode({ spec: { unschedulable: true } }),
      taints: ["node.kubernetes.io/unschedulable:NoSchedule added"]
    },
    {
      why: "a node with memory pressure",
      node: withCondition(aNode(), "MemoryPressure", "True"),
      taints: ["node.kubernetes.io/memory-pressure:NoSchedule added"]
    },
    {
      why: "a node without memory pressure",
      node: withCondition(aNode(), "MemoryPressure", "False"),
      taints: []
    }
  ])("are $taints: $why", ({ node, taints }) => {
    expect(taintTexts(node)).toEqual(taints)
  })

  it("leave the node itself when they are right", () => {
    const tainted = withConditionTaints(aNode({ ready: "Unknown" }), aTime(3))
    expect(withConditionTaints(tainted, aTime(9))).toBe(tainted)
  })
})
