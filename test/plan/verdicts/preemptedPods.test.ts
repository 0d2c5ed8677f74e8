import { expect, it } from "vitest"
import { objectText, web } from "./mistakenManifests.ts"
import { planMistake } from "./planMistake.ts"
import type { Mistake } from "./planMistake.ts"

const high = objectText("scheduling.k8s.io/v1", "PriorityClass", "high", "value: 1000")
const cpus = (count: number): string => `resources: { requests: { cpu: ${count} } }`
const urgent = (count: number, image = "app:2"): string =>
  web({ name: "urgent", image, replicas: 3, pod: "priorityClassName: high", container: cpus(count) })
    // Its selector must not match the Pods of `web`.
    .replaceAll("app: web", "app: urgent")
const before = web({ replicas: 3, container: cpus(20) })

const rows: ReadonlyArray<Mistake> = [
  {
    why: "another workload takes its place on every node",
    next: [urgent(20), high, before],
    from: [before],
    verdict: "stuck",
    reasons: [
      "never completes: Pods of higher priority preempt its Pods, and no node takes these again: " +
        "Unschedulable: 0/3 nodes are available: 3 Insufficient cpu."
    ]
  },
  {
    why: "another workload takes its place until the Pods that it replaces have stopped",
    next: [urgent(12), high, web({ replicas: 3, container: cpus(12) })],
    from: [high, urgent(12, "app:1"), web({ replicas: 3, container: cpus(12) })],
    verdict: "ships"
  },
  {
    why: "another workload of higher priority fits beside it",
    next: [urgent(10), high, before],
    from: [before],
    verdict: "ships"
  }
]

it.each(rows)("a workload that runs is $verdict when $why", async (row) => {
  expect(await planMistake(row)).toEqual(row)
})
