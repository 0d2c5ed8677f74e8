import { behaviourApiVersion, type BehaviourSpec } from "../../src/behaviours/behaviour.ts"

export const aDocument = (spec: unknown, name = "flaky") => ({
  apiVersion: behaviourApiVersion,
  kind: "Behaviour",
  metadata: { name },
  spec
})

export const everything: BehaviourSpec = {
  match: { image: "registry.local/*/web:*", name: "web-*", labels: { app: "web", tier: "front" } },
  mover: "kubelet",
  schedule: { uniform: ["7ms", "31ms"] },
  pull: { delay: { normal: { mean: "900ms", deviation: "130ms" } }, failures: 3, error: "toomanyrequests" },
  start: { exponential: { mean: "170ms" } },
  ready: "2.5s",
  exit: { after: "1m30s", code: 137, reason: "OOMKilled", times: 2 },
  flap: { ready: "11s", unready: "3s", times: 5 },
  hang: "1h30m",
  terminate: { uniform: ["0s", "1.1s"] },
  terminateCode: 143,
  containers: {
    sidecar: { pull: { failures: "forever" }, ready: "0s", terminateCode: 0 },
    "log-shipper": { exit: { after: "700ms", code: 0, times: "forever" } }
  }
}
