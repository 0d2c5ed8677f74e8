import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { drawRandomFaults } from "../../../src/faults/randomFaults.ts"
import { violationText } from "../../../src/scenario/ledger/violations.ts"
import { withLedger } from "./withLedger.ts"
import type { Fault } from "../../../src/faults/fault.ts"
import type { LedgerExcuse } from "../../../src/faults/faultKind.ts"

const pods = { deployment: "web", count: 1 } as const
const controllers = ["deployment", "replicaSet", "pod", "scheduler", "endpoints"] as const
const codes = [409, 429, 500, 504] as const

/** Faults of Pods and nodes excuse no controller. */
const podAndNodeFaults: ReadonlyArray<Fault> = [
  { fault: "crash", pods },
  { fault: "crash", pods: { deployment: "web", count: 2 }, for: "20s" },
  { fault: "fail", pods },
  { fault: "kill", pods },
  { fault: "kill", pods, gracePeriodSeconds: 0 },
  { fault: "flap", pods, ready: "3s", unready: "2s", for: "15s" },
  { fault: "hang", pods, for: "30s" },
  { fault: "slowStart", pods: { deployment: "web" }, by: "10s", for: "20s" },
  { fault: "pullFails", image: "*", for: "20s" },
  { fault: "nodeLost", node: "node-1", for: "90s" },
  { fault: "nodeDrained", node: "node-2", for: "40s" },
  { fault: "nodeCordoned", node: "node-3", for: "40s" },
  { fault: "quotaExhausted", for: "20s" }
]
const controllerFaults: ReadonlyArray<Fault> = controllers.flatMap((controller): ReadonlyArray<Fault> => [
  { fault: "controllerStopped", controller, for: "10s" },
  { fault: "controllerSlow", controller, by: "500ms", for: "20s" },
  { fault: "controllerRestarted", controller, afterWrites: 2 }
])
const refusedWrites: ReadonlyArray<Fault> = codes.flatMap((code): ReadonlyArray<Fault> => [
  { fault: "writesRefused", of: "controllers", code, times: 5, for: "10s" },
  { fault: "writesRefused", of: "replicaSet", code, times: 2, for: "10s" }
])
const lateWatches: ReadonlyArray<Fault> = [
  { fault: "writesSlow", of: "controllers", by: "300ms", for: "20s" },
  { fault: "watchLate", of: "controllers", by: "2s", for: "20s" },
  { fault: "watchDropped", of: "deployment", for: "15s" },
  { fault: "watchRepeated", of: "controllers", for: "20s" },
  { fault: "staleReads", of: "replicaSet", for: "10s" }
]
/** Every fault that delays one controller. */
const faultsDelaying = (of: "replicaSet" | "pod"): ReadonlyArray<Fault> => [
  { fault: "controllerStopped", controller: of, for: "10s" },
  { fault: "writesRefused", of, code: 504, times: 3, for: "10s" },
  { fault: "writesRefused", of, code: 429, times: 3, for: "10s" },
  { fault: "writesSlow", of, by: "700ms", for: "20s" },
  { fault: "watchLate", of, by: "2s", for: "20s" },
  { fault: "watchDropped", of, for: "15s" },
  { fault: "staleReads", of, for: "10s" }
]

const strategies: ReadonlyArray<object> = [
  { type: "Recreate" },
  { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  { rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
  { rollingUpdate: { maxSurge: "60%", maxUnavailable: "60%" } }
]

/** The violations of four more rollouts, some of them paused, under random faults, and half an hour to settle. */
const violationsUnder = (seed: number, faults: ReadonlyArray<Fault>, hindrance?: LedgerExcuse) =>
  withLedger({ seed, nodes: 3 }, (cluster, ledger) =>
    Effect.gen(function* () {
      const replicas = 1 + (seed % 9)
      const spec = { minReadySeconds: [0, 3, 11][seed % 3], strategy: strategies[seed % strategies.length] }
      yield* cluster.create(
        Object.assign(
          { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" } },
          { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }
        )
      )
      yield* createObject(cluster, deploymentManifest({ replicas, spec }))
      if (hindrance !== undefined) ledger.excuse(hindrance)
      const beganMillis = cluster.nowMillis()
      const advanceTo = (millis: number) =>
        cluster.until(() => false, Math.max(0, beganMillis + millis - cluster.nowMillis()))
      const coming = [
        ...drawRandomFaults({ every: "6s", from: "5s", until: "90s", faults }, seed),
        ...["v2", "v3", "v1", "v4"].map((version, index) => ({ version, atMillis: 15_000 + 25_000 * index }))
      ].sort((a, b) => a.atMillis - b.atMillis)
      for (const it of coming) {
        yield* advanceTo(it.atMillis)
        if ("fault" in it) yield* Effect.ignore(cluster.faultInjector.begin(it.fault))
        else {
          const isLast = it.version === "v4"
          const paused = !isLast && (seed + it.atMillis) % 4 === 0
          const size = isLast ? replicas : 1 + ((replicas + it.atMillis / 1000) % 9)
          yield* replaceSpec(
            cluster,
            deploymentManifest({ replicas: size, version: it.version, spec: { ...spec, paused } })
          )
        }
      }
      yield* cluster.until(() => false, 1_800_000)
      ledger.advanceTo(cluster.nowMillis())
      ledger.checkSettled()
      const totals = ledger.ofService("default/web")?.totals(cluster.nowMillis())
      expect(totals?.lost).toBeLessThanOrEqual(totals?.requests ?? 0)
      return ledger.violations().map((it, index) => `seed ${seed}: ${violationText(it, index + 1)}`)
    })
  )

describe("no rule is violated under random faults", () => {
  const rows: ReadonlyArray<{
    readonly weather: string
    readonly faults: ReadonlyArray<Fault>
    readonly hindrance?: LedgerExcuse
  }> = [
    { weather: "of Pods and nodes", faults: podAndNodeFaults },
    {
      weather: "that interrupt controllers",
      faults: [...controllerFaults, ...podAndNodeFaults],
      hindrance: {}
    },
    {
      weather: "that refuse or lose writes",
      faults: [...refusedWrites, ...podAndNodeFaults],
      hindrance: { isViewLate: true, areAnswersLost: true }
    },
    {
      weather: "that delay, repeat or drop watches",
      faults: [...lateWatches, ...podAndNodeFaults],
      hindrance: { isViewLate: true }
    },
    {
      weather: "that delay the ReplicaSet controller, by the Deployment controller",
      faults: [...faultsDelaying("replicaSet"), ...podAndNodeFaults],
      hindrance: { controller: "replicaSet", isViewLate: true, areAnswersLost: true }
    },
    { weather: "that delay kubelets", faults: [...faultsDelaying("pod"), ...podAndNodeFaults] }
  ]
  it.for(rows)("$weather", async ({ faults, hindrance }) => {
    for (let seed = 1; seed <= 8; seed += 1)
      expect(await violationsUnder(seed, faults, hindrance)).toEqual([])
  })
})
