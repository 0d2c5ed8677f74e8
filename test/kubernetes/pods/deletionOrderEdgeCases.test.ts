import { describe, expect, it } from "vitest"
import { ageBucketEndMillis, deletionClass } from "../../../src/kubernetes/pods/deletionOrder.ts"
import { aContainerStatus, aPod, startMillis } from "../../builders.ts"
import { compareForDeletion } from "./slowDeletionOrder.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"

describe("the class of a Pod in the order of deletion", () => {
  const nodes = [undefined, "n1"]
  const phases = ["Pending", "Unknown", "Running"]
  const readiness = [false, true]
  const costs = ["-2147483648", "-1", "0", "2147483647"]

  const podsInOrder = nodes.flatMap((node) =>
    phases.flatMap((phase) =>
      readiness.flatMap((ready) => costs.map((cost) => aPod({ node, phase, ready, cost })))
    )
  )

  it("depends on the node, then on the phase, then on readiness, then on the cost", () => {
    const classes = podsInOrder.map(deletionClass)
    expect(classes).toHaveLength(48)
    expect(classes.toSorted((a, b) => a - b)).toEqual(classes)
    expect(new Set(classes).size).toBe(48)
  })

  it("is that of Pending for an unknown phase", () => {
    expect(deletionClass(aPod({ phase: "Odd" }))).toBe(deletionClass(aPod({ phase: "Pending" })))
  })

  it("is a safe integer", () => {
    for (const one of podsInOrder.map(deletionClass)) expect(Number.isSafeInteger(one)).toBe(true)
  })
})

describe("the order of deletion by restarts", () => {
  const withSidecar = (name: string, restarts: number): Pod => {
    const pod = aPod({
      name,
      spec: {
        initContainers: [{ name: "proxy", restartPolicy: "Always" }, { name: "migrate" }]
      }
    })
    const proxy = aContainerStatus({ name: "proxy", restartCount: restarts })
    const migrate = aContainerStatus({ name: "migrate", restartCount: 7 })
    return { ...pod, status: { ...pod.status, initContainerStatuses: [migrate, proxy] } }
  }

  it.each([
    {
      why: "one restart against none",
      a: aPod({ name: "a", restarts: [1] }),
      b: aPod({ name: "b", restarts: [0] })
    },
    { why: "one restart against no status", a: aPod({ name: "a", restarts: [1] }), b: aPod({ name: "b" }) },
    { why: "one restart of a sidecar against none", a: withSidecar("a", 1), b: withSidecar("b", 0) },
    { why: "one restart of a sidecar against no sidecar", a: withSidecar("a", 1), b: aPod({ name: "b" }) },
    {
      why: "restarts of init containers do not count",
      a: withSidecar("a", 1),
      b: aPod({ name: "b", spec: { initContainers: [{ name: "migrate" }] } })
    }
  ])("deletes the Pod with more restarts first: $why", ({ a, b }) => {
    const now = startMillis + 60_000
    expect(compareForDeletion({ pod: a, rank: 1 }, { pod: b, rank: 1 }, now)).toBeLessThan(0)
    expect(compareForDeletion({ pod: b, rank: 1 }, { pod: a, rank: 1 }, now)).toBeGreaterThan(0)
  })
})

describe("the end of an age bucket", () => {
  it.each([
    { why: "from 0", ageMillis: 0, endMillis: 1 },
    { why: "1 ms is 10^6 ns, just below 2^20 ns", ageMillis: 1, endMillis: 2 ** 20 / 1e6 },
    { why: "a minute", ageMillis: 60_000, endMillis: 2 ** 36 / 1e6 }
  ])("is $endMillis ms after creation for an age of $ageMillis ms: $why", ({ ageMillis, endMillis }) => {
    expect(ageBucketEndMillis(startMillis, startMillis + ageMillis)).toBe(startMillis + endMillis)
  })
})
