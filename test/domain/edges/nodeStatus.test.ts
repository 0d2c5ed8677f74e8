import { describe, expect, it } from "vitest"
import { healthyNodeConditions, unknownNodeConditions } from "../../../src/kubernetes/core/nodeStatus.ts"
import { evictingTaints, tolerates, withConditionTaints } from "../../../src/kubernetes/core/taints.ts"
import { aNode, aTime, startMillis } from "../../builders.ts"
import type { Node } from "../../../src/kubernetes/meta/objects.ts"

type Conditions = NonNullable<Node["status"]["conditions"]>

const saying = (conditions: Conditions | undefined): Node => ({
  ...aNode({ created: 3 }),
  status: conditions === undefined ? {} : { conditions }
})

/** `Ready True since 9 heard 20: KubeletReady`, in seconds after the start. */
const textsOf = (conditions: ReadonlyArray<Conditions[number]>): ReadonlyArray<string> =>
  conditions.map(({ type, status, reason, lastTransitionTime, lastHeartbeatTime }) => {
    const [since, heard] = [lastTransitionTime, lastHeartbeatTime].map((time) =>
      time === undefined ? "never" : (Date.parse(time) - startMillis) / 1000
    )
    return `${type} ${status} since ${since} heard ${heard}: ${reason}`
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
const untouched = "NetworkUnavailable False since 1 heard 1: RouteCreated"

describe("what a healthy kubelet says of its node", () => {
  const pressures = [
    "MemoryPressure False since 20 heard 20: KubeletHasSufficientMemory",
    "DiskPressure False since 20 heard 20: KubeletHasNoDiskPressure",
    "PIDPressure False since 20 heard 20: KubeletHasSufficientPID"
  ]
  const readySince = (seconds: number) => `Ready True since ${seconds} heard 20: KubeletReady`
  const { lastTransitionTime: _time, ...timeless } = ready("True")

  it.each([
    { why: "nothing was said", node: saying(undefined), texts: [...pressures, readySince(20)] },
    { why: "it is as it was", node: saying([ready("True")]), texts: [...pressures, readySince(9)] },
    { why: "it was lost", node: saying([ready("Unknown")]), texts: [...pressures, readySince(20)] },
    { why: "nobody said when", node: saying([timeless]), texts: [...pressures, readySince(20)] },
    {
      why: "others said something as well",
      node: saying([ready("True"), network]),
      texts: [untouched, ...pressures, readySince(9)]
    }
  ])("is that all is well: $why", ({ node, texts }) => {
    expect(textsOf(healthyNodeConditions(node, now))).toEqual(texts)
  })
})

describe("what is said of a node of whose kubelet nothing is heard", () => {
  const never = (type: string) => `${type} Unknown since 20 heard 3: NodeStatusNeverUpdated`

  it.each([
    { why: "nothing was ever heard", node: saying(undefined), texts: wellKnown.map(never) },
    {
      why: "it was well",
      node: saying([ready("True")]),
      texts: [
        "Ready Unknown since 20 heard 10: NodeStatusUnknown",
        ...["MemoryPressure", "DiskPressure", "PIDPressure"].map(never)
      ]
    },
    {
      why: "that was said before, and by others something else",
      node: saying([
        network,
        ready("Unknown"),
        ...wellKnown.slice(0, 3).map((type) => ready("Unknown", { type }))
      ]),
      texts: [
        untouched,
        "Ready Unknown since 9 heard 10: Said",
        ...wellKnown.slice(0, 3).map((type) => `${type} Unknown since 9 heard 10: Said`)
      ]
    }
  ])("is that nobody knows: $why", ({ node, texts }) => {
    expect(textsOf(unknownNodeConditions(node, now))).toEqual(texts)
  })

  it("is that all it said is unknown when it is lost", () => {
    const well = saying([...healthyNodeConditions(saying([network]), startMillis)])
    const texts = textsOf(unknownNodeConditions(well, now))
    expect(texts).toEqual([
      untouched,
      ...wellKnown.map((type) => `${type} Unknown since 20 heard 0: NodeStatusUnknown`)
    ])
  })
})

describe("the taints of a node", () => {
  const driving = { key: "broken", effect: "NoExecute" }
  const tainted = (...taints: NonNullable<Node["spec"]["taints"]>) => aNode({ spec: { taints } })

  it("drive Pods away only where they say so", () => {
    expect(evictingTaints(aNode())).toEqual([])
    expect(evictingTaints(tainted({ key: "gpu", effect: "NoSchedule" }, driving))).toEqual([driving])
  })

  it.each([
    { effect: "NoSchedule", stays: false, why: "that is how its state was told" },
    { effect: "NoExecute", stays: false, why: "that is how its state was told" },
    { effect: "PreferNoSchedule", stays: true, why: "that is somebody's own" }
  ])("that speak of another state go, but for wishes: $effect stays: $stays: $why", ({ effect, stays }) => {
    const { spec } = withConditionTaints(tainted({ key: "node.kubernetes.io/unreachable", effect }), aTime(5))
    expect("taints" in spec).toBe(stays)
  })

  it.each([
    { toleration: { operator: "Exists" }, tolerated: true, why: "every taint" },
    { toleration: { key: "broken", operator: "Exists" }, tolerated: true, why: "every one of this key" },
    { toleration: { key: "broken", value: "" }, tolerated: true, why: "no value is none" },
    { toleration: { key: "broken", value: "so" }, tolerated: false, why: "another value" },
    { toleration: { key: "other", operator: "Exists" }, tolerated: false, why: "another key" }
  ])("are tolerated by $toleration: $tolerated: $why", ({ toleration, tolerated }) => {
    expect(tolerates(toleration, driving)).toBe(tolerated)
  })
})
