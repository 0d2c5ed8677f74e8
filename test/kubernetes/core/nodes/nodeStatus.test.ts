import { describe, expect, it } from "vitest"
import {
  isKubeletRunning,
  healthyNodeConditions,
  kubeletStateAnnotation,
  unknownNodeConditions
} from "../../../../src/kubernetes/core/nodeStatus.ts"
import { evictingTaints, tolerates, withConditionTaints } from "../../../../src/kubernetes/core/taints.ts"
import { aNode, aTime, startMillis } from "../../../builders.ts"
import type { Node } from "../../../../src/kubernetes/meta/objects.ts"

type Conditions = NonNullable<Node["status"]["conditions"]>

const nodeWith = (conditions: Conditions | undefined): Node => ({
  ...aNode({ created: 3 }),
  status: conditions === undefined ? {} : { conditions }
})

/** `Ready True since 9 heartbeat 20: KubeletReady`, in seconds after the start. */
const textsOf = (conditions: ReadonlyArray<Conditions[number]>): ReadonlyArray<string> =>
  conditions.map(({ type, status, reason, lastTransitionTime, lastHeartbeatTime }) => {
    const [since, heartbeat] = [lastTransitionTime, lastHeartbeatTime].map((time) =>
      time === undefined ? "never" : (Date.parse(time) - startMillis) / 1000
    )
    return `${type} ${status} since ${since} heartbeat ${heartbeat}: ${reason}`
  })

const now = startMillis + 20_000
const wellKnown = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]
const network = {
  type: "NetworkUnavailable",
  status: "False",
  reason: "RouteCreated",
  lastTransitionTime: aTime(1),
  lastHeartbeatTime: aTime(1)
}
const ready = (status: string, more: Partial<Conditions[number]> = {}): Conditions[number] => ({
  type: "Ready",
  status,
  reason: "Said",
  lastTransitionTime: aTime(9),
  lastHeartbeatTime: aTime(10),
  ...more
})
const networkText = "NetworkUnavailable False since 1 heartbeat 1: RouteCreated"

describe("the conditions of a healthy node", () => {
  const pressures = [
    "MemoryPressure False since 20 heartbeat 20: KubeletHasSufficientMemory",
    "DiskPressure False since 20 heartbeat 20: KubeletHasNoDiskPressure",
    "PIDPressure False since 20 heartbeat 20: KubeletHasSufficientPID"
  ]
  const readySince = (seconds: number) => `Ready True since ${seconds} heartbeat 20: KubeletReady`
  const { lastTransitionTime: _time, ...withoutTime } = ready("True")

  it.each([
    { why: "it had none", node: nodeWith(undefined), texts: [...pressures, readySince(20)] },
    { why: "it was ready before", node: nodeWith([ready("True")]), texts: [...pressures, readySince(9)] },
    { why: "it was lost before", node: nodeWith([ready("Unknown")]), texts: [...pressures, readySince(20)] },
    { why: "Ready had no time", node: nodeWith([withoutTime]), texts: [...pressures, readySince(20)] },
    {
      why: "others stay in front",
      node: nodeWith([ready("True"), network]),
      texts: [networkText, ...pressures, readySince(9)]
    }
  ])("are set: $why", ({ node, texts }) => {
    expect(textsOf(healthyNodeConditions(node, now))).toEqual(texts)
  })
})

describe("the conditions of a lost node", () => {
  const never = (type: string) => `${type} Unknown since 20 heartbeat 3: NodeStatusNeverUpdated`

  it.each([
    { why: "it never had any", node: nodeWith(undefined), texts: wellKnown.map(never) },
    {
      why: "it was ready before",
      node: nodeWith([ready("True")]),
      texts: [
        "Ready Unknown since 20 heartbeat 10: NodeStatusUnknown",
        ...["MemoryPressure", "DiskPressure", "PIDPressure"].map(never)
      ]
    },
    {
      why: "they were Unknown before, and others stay",
      node: nodeWith([
        network,
        ready("Unknown"),
        ...wellKnown.slice(0, 3).map((type) => ready("Unknown", { type }))
      ]),
      texts: [
        networkText,
        "Ready Unknown since 9 heartbeat 10: Said",
        ...wellKnown.slice(0, 3).map((type) => `${type} Unknown since 9 heartbeat 10: Said`)
      ]
    }
  ])("are Unknown: $why", ({ node, texts }) => {
    expect(textsOf(unknownNodeConditions(node, now))).toEqual(texts)
  })

  it("are all Unknown after it was healthy", () => {
    const well = nodeWith([...healthyNodeConditions(nodeWith([network]), startMillis)])
    const texts = textsOf(unknownNodeConditions(well, now))
    expect(texts).toEqual([
      networkText,
      ...wellKnown.map((type) => `${type} Unknown since 20 heartbeat 0: NodeStatusUnknown`)
    ])
  })
})

describe("the taints of a node", () => {
  const noExecute = { key: "broken", effect: "NoExecute" }
  const tainted = (...taints: NonNullable<Node["spec"]["taints"]>) => aNode({ spec: { taints } })

  it("evict Pods only with NoExecute", () => {
    expect(evictingTaints(aNode())).toEqual([])
    expect(evictingTaints(tainted({ key: "gpu", effect: "NoSchedule" }, noExecute))).toEqual([noExecute])
  })

  it.each([
    { effect: "NoSchedule", stays: false, why: "it tells the state of the node" },
    { effect: "NoExecute", stays: false, why: "it tells the state of the node" },
    { effect: "PreferNoSchedule", stays: true, why: "it is an administrator's" }
  ])(
    "of a former state are removed, except PreferNoSchedule: $effect stays: $stays: $why",
    ({ effect, stays }) => {
      const { spec } = withConditionTaints(
        tainted({ key: "node.kubernetes.io/unreachable", effect }),
        aTime(5)
      )
      expect("taints" in spec).toBe(stays)
    }
  )

  it.each([
    { toleration: { operator: "Exists" }, tolerated: true, why: "every taint" },
    { toleration: { key: "broken", operator: "Exists" }, tolerated: true, why: "every taint of the key" },
    { toleration: { key: "broken", value: "" }, tolerated: true, why: "an empty value equals no value" },
    { toleration: { key: "broken", value: "so" }, tolerated: false, why: "another value" },
    { toleration: { key: "other", operator: "Exists" }, tolerated: false, why: "another key" }
  ])("are tolerated by $toleration: $tolerated: $why", ({ toleration, tolerated }) => {
    expect(tolerates(toleration, noExecute)).toBe(tolerated)
  })
})

describe("a kubelet", () => {
  it.each([
    { why: "runs on a node", node: aNode(), isThere: true },
    {
      why: "runs where its annotation has another value",
      node: aNode({ annotations: { [kubeletStateAnnotation]: "x" } }),
      isThere: true
    },
    {
      why: "is silent where it is stopped",
      node: aNode({ annotations: { [kubeletStateAnnotation]: "stopped" } }),
      isThere: false
    },
    { why: "is not where there is no node", node: undefined, isThere: false }
  ])("$why", ({ node, isThere }) => {
    expect(isKubeletRunning(node)).toBe(isThere)
  })
})
