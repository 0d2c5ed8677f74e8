import { describe, expect, it } from "vitest"
import { ageBucketEndMillis, deletionClass } from "../../../src/kubernetes/pods/deletionOrder.ts"
import { aPod, someContainerStatus, startMillis } from "../../builders.ts"
import { compareForDeletion } from "../deletionOracle.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

describe("the order of classes", () => {
  const nodes = [undefined, "n1"]
  const phases = ["Pending", "Unknown", "Running"]
  const readiness = [false, true]
  const costs = ["-2147483648", "-1", "0", "2147483647"]

  /** Every kind of Pod, each to go before the next. */
  const ladder = nodes.flatMap((node) =>
    phases.flatMap((phase) =>
      readiness.flatMap((ready) => costs.map((cost) => aPod({ node, phase, ready, cost })))
    )
  )

  it("asks for the node before the phase, the phase before readiness, and all of them before the cost", () => {
    const classes = ladder.map(deletionClass)
    expect(classes).toHaveLength(48)
    expect(classes.toSorted((a, b) => a - b)).toEqual(classes)
    expect(new Set(classes).size).toBe(48)
  })

  it("takes a phase it does not know for Pending", () => {
    expect(deletionClass(aPod({ phase: "Odd" }))).toBe(deletionClass(aPod({ phase: "Pending" })))
  })

  it("is told in whole numbers that lose nothing", () => {
    for (const one of ladder.map(deletionClass)) expect(Number.isSafeInteger(one)).toBe(true)
  })
})

describe("the order by restarts", () => {
  const withSidecar = (name: string, restarts: number): Pod => {
    const pod = aPod({
      name,
      spec: {
        initContainers: [{ name: "proxy", restartPolicy: "Always" }, { name: "migrate" }]
      }
    })
    const proxy = { ...someContainerStatus(restarts), name: "proxy" }
    const migrate = { ...someContainerStatus(7), name: "migrate" }
    return { ...pod, status: { ...pod.status, initContainerStatuses: [migrate, proxy] } }
  }

  it.each([
    {
      why: "once is more than never",
      a: aPod({ name: "a", restarts: [1] }),
      b: aPod({ name: "b", restarts: [0] })
    },
    { why: "and more than not told", a: aPod({ name: "a", restarts: [1] }), b: aPod({ name: "b" }) },
    { why: "of a sidecar likewise", a: withSidecar("a", 1), b: withSidecar("b", 0) },
    { why: "and more than to have none", a: withSidecar("a", 1), b: aPod({ name: "b" }) },
    {
      why: "an init container that ended does not count",
      a: withSidecar("a", 1),
      b: aPod({ name: "b", spec: { initContainers: [{ name: "migrate" }] } })
    }
  ])("who restarted more goes first: $why", ({ a, b }) => {
    const now = startMillis + 60_000
    expect(compareForDeletion({ pod: a, rank: 1 }, { pod: b, rank: 1 }, now)).toBeLessThan(0)
    expect(compareForDeletion({ pod: b, rank: 1 }, { pod: a, rank: 1 }, now)).toBeGreaterThan(0)
  })
})

describe("the end of a stroke of ages", () => {
  it.each([
    { why: "from nothing to something", ageMillis: 0, endMillis: 1 },
    { why: "1 ms is 10^6 ns, and 2^20 ns are a little more", ageMillis: 1, endMillis: 2 ** 20 / 1e6 },
    { why: "a minute", ageMillis: 60_000, endMillis: 2 ** 36 / 1e6 }
  ])("comes $endMillis ms after the birth of who is $ageMillis ms old: $why", ({ ageMillis, endMillis }) => {
    expect(ageBucketEndMillis(startMillis, startMillis + ageMillis)).toBe(startMillis + endMillis)
  })
})
