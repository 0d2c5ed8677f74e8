import { describe, expect, it } from "vitest"
import { planMistake } from "./planMistake.ts"
import { web } from "./mistakenManifests.ts"
import type { Mistake } from "./planMistake.ts"

const node = (name: string, system: string, fields = "") => `
apiVersion: v1
kind: Node
metadata: { name: ${name}, labels: { kubernetes.io/os: ${system} } }
spec: { ${fields} }
status: { allocatable: { cpu: "4", memory: 8Gi, pods: "110" } }
`
const linux = node("n1", "linux")
const windows = node("n2", "windows")
const tainted = node("n1", "linux", "taints: [{ key: os, value: linux, effect: NoSchedule }]")

const webOf = (pod: string, more: Parameters<typeof web>[0] = {}) => web({ pod, replicas: 1, ...more })
const ofWindows = "os: { name: windows }"
const selecting = `${ofWindows}\n      nodeSelector: { kubernetes.io/os: windows }`
const rejected =
  "PodOSNotSupported: nodes of linux may take its Pods, and their kubelets reject Pods of windows"

const rows: ReadonlyArray<Mistake> = [
  {
    why: "no node is of the Pod's system",
    from: [linux],
    next: [webOf(ofWindows)],
    verdict: "stuck",
    reasons: [`never completes: ${rejected}`]
  },
  {
    why: "its Pods may be placed on nodes of another system",
    from: [linux, windows],
    next: [webOf(ofWindows)],
    verdict: "unknown",
    reasons: [`${rejected}: a nodeSelector kubernetes.io/os: windows keeps them off`]
  },
  {
    why: "a DaemonSet runs on nodes of another system",
    from: [linux, windows],
    next: [
      webOf(ofWindows)
        .replace("kind: Deployment", "kind: DaemonSet")
        .replace(/ {2}(?:replicas|progress).*\n/gu, "")
    ],
    verdict: "stuck",
    reasons: [`never completes: ${rejected}`]
  },
  {
    why: "its Pods select nodes of their system",
    from: [linux, windows],
    next: [webOf(selecting)],
    verdict: "ships"
  },
  {
    why: "its Pods do not tolerate the nodes of another system",
    from: [tainted, windows],
    next: [webOf(ofWindows)],
    verdict: "ships"
  },
  {
    why: "all nodes are of the Pod's system",
    from: [windows],
    next: [webOf(ofWindows)],
    verdict: "ships"
  },
  {
    why: "its Pods say nothing of a system",
    from: [linux, windows],
    next: [webOf("dnsPolicy: Default")],
    verdict: "ships"
  },
  {
    why: "only the default nodes are known",
    next: [webOf(ofWindows)],
    verdict: "unknown",
    reasons: [
      "the default nodes have no label kubernetes.io/os: windows: say with --nodes FILE what yours have"
    ]
  }
]

describe("what the nodes' operating systems make of a verdict", () => {
  it.each(rows)("is $verdict where $why", async (row) => {
    expect(await planMistake(row)).toEqual(row)
  })
})
