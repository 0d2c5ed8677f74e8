import { expect, it } from "vitest"
import { planMistake } from "./planMistake.ts"
import { web } from "./mistakenManifests.ts"
import type { Mistake } from "./planMistake.ts"

const taintedNode = `
apiVersion: v1
kind: Node
metadata: { name: n1 }
spec: { taints: [{ key: spot, effect: NoExecute }] }
status: { allocatable: { cpu: "4", memory: 8Gi, pods: "110" } }
`

const toleratedFor = (seconds: string): string =>
  `tolerations: [{ key: spot, operator: Exists, effect: NoExecute, tolerationSeconds: ${seconds} }]`

const job = `
apiVersion: batch/v1
kind: Job
metadata: { name: web }
spec:
  template:
    spec:
      restartPolicy: Never
      ${toleratedFor("60")}
      containers: [{ name: app, image: "app:2" }]
`

const rows: ReadonlyArray<Mistake> = [
  {
    why: "Pods tolerate the taint of their node for a minute",
    next: [taintedNode, web({ pod: toleratedFor("60") })],
    verdict: "risky",
    reasons: ["Pods on n1 are evicted after 60s: they tolerate its taint spot:NoExecute no longer"]
  },
  {
    why: "Pods tolerate the taint of their node without limit",
    next: [taintedNode, web({ pod: toleratedFor("null") })],
    verdict: "ships"
  },
  {
    why: "Pods are evicted before they start, each one in the place of the one before",
    next: [taintedNode, web({ pod: toleratedFor("60"), replicas: 1 })],
    options: { assume: "start=2m", slowStart: 0 },
    verdict: "stuck",
    reasons: [
      "never completes: Pods on n1 are evicted after 60s: they tolerate its taint spot:NoExecute no longer"
    ]
  },
  {
    why: "a Job is done before its Pod is evicted",
    next: [taintedNode, job],
    verdict: "ships"
  }
]

it.each(rows)("a rollout is $verdict when $why", async (row) => {
  expect(await planMistake(row)).toEqual(row)
})
