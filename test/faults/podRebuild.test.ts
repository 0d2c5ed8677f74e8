import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { deploymentManifest, replaceSpec } from "../cluster/testCluster.ts"
import { drawRandomFaults } from "../../src/faults/randomFaults.ts"
import { inFaultCluster, textOf } from "./faultCluster.ts"
import type { Fault, RandomFaults } from "../../src/faults/fault.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

/** Every state of each Pod, in order. */
const historyOf = (cluster: ClusterService): Readonly<Record<string, ReadonlyArray<string>>> => {
  const histories: Record<string, Array<string>> = {}
  cluster.onChange(({ resource, type, object }) => {
    if (resource !== resources.pods) return
    const history = (histories[object.metadata.name] ??= [])
    const text = type === "DELETED" ? "gone" : textOf(object as Pod)
    if (history.at(-1) !== text) history.push(text)
  })
  return histories
}

const probes = {
  readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 3, failureThreshold: 2 },
  livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 10, failureThreshold: 3 }
}
const web = { deployment: "web" } as const

describe("kubelets after a restart", () => {
  const faults: ReadonlyArray<Fault> = [
    { fault: "crash", pods: { ...web, count: 2 } },
    { fault: "crash", pods: web, for: "30s" },
    { fault: "hang", pods: { ...web, count: 2 } },
    { fault: "hang", pods: web, for: "10s" },
    { fault: "fail", pods: { ...web, count: 1 } },
    { fault: "pullFails", image: "*", for: "50s" }
  ]
  const story = (fault: Fault, restarts: ReadonlyArray<number>) =>
    inFaultCluster({ manifest: { replicas: 3, container: probes } }, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const history = historyOf(cluster)
        yield* beginFault({ fault: "kill", pods: { ...web, count: 1 } })
        yield* beginFault(fault)
        for (let second = 0; second < 400; second += 1) {
          if (restarts.includes(second)) {
            yield* beginFault({ fault: "controllerRestarted", controller: "pod" })
          }
          yield* pass(1)
        }
        return history
      })
    )

  it.each(faults)("play the same fault on their Pods: $fault", async (fault) => {
    const undisturbed = await story(fault, [])
    expect(Object.keys(undisturbed).length).toBeGreaterThan(0)
    expect(await story(fault, [0, 1, 2, 11, 27])).toEqual(undisturbed)
  })
})

describe("a cluster restored from a snapshot", () => {
  it("keeps the faults of Pods: its future equals the original's", () =>
    inFaultCluster({ manifest: { replicas: 6, container: probes } }, ({ cluster, beginFault, pass }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const slow = yield* beginFault({ fault: "slowStart", pods: web, by: { uniform: ["20s", "50s"] } })
          yield* beginFault({ fault: "kill", pods: { ...web, count: 2 } })
          yield* pass(1)
          yield* slow.end
          yield* beginFault({ fault: "crash", pods: { ...web, count: 1 } })
          yield* beginFault({ fault: "fail", pods: { ...web, count: 1 } })
          yield* pass(0.5)
          const other = yield* cluster.fork()
          const futures = [historyOf(cluster), historyOf(other)] as const
          yield* Effect.orDie(cluster.advance(300_000))
          yield* Effect.orDie(other.advance(300_000))
          expect(Object.values(futures[0]).flat()).toContain("Failed (Evicted)")
          expect(futures[1]).toEqual(futures[0])
        })
      )
    ))
})

describe("random faults during a rollout", () => {
  const weather: RandomFaults = {
    every: "20s",
    until: "10m",
    faults: [
      { fault: "crash", pods: { ...web, count: 1 }, weight: 3 },
      { fault: "crash", pods: { ...web, count: 2 }, for: "40s" },
      { fault: "fail", pods: { count: 1 } },
      { fault: "kill", pods: { count: 2 } },
      { fault: "hang", pods: { ...web, count: 2 }, for: "1m" },
      { fault: "flap", pods: { count: 2 }, ready: "5s", unready: "4s", for: "45s" },
      { fault: "slowStart", pods: {}, by: { uniform: ["1s", "20s"] }, for: "30s" },
      { fault: "pullFails", image: "*", for: "25s" },
      { fault: "nodeLost", node: "node-1", for: "80s" },
      { fault: "nodeDrained", node: "node-2", for: "50s" },
      { fault: "nodeCordoned", node: "node-3", for: "20s" },
      { fault: "nodeFull", node: "node-2", for: "70s" },
      { fault: "quotaExhausted", for: "30s" },
      { fault: "clockJump", by: "13s" }
    ]
  }
  const play = (seed: number) =>
    inFaultCluster(
      { manifest: { replicas: 7, container: probes }, cluster: { seed, nodes: 4 } },
      ({ cluster, beginFault, pods, pass }) =>
        Effect.gen(function* () {
          const beganMillis = cluster.nowMillis()
          const nodesAndQuotas = nodesAndQuotasOf(cluster)
          const lines: Array<string> = []
          cluster.onChange(({ type, object }) => lines.push(`${type} ${JSON.stringify(object)}`))
          yield* replaceSpec(cluster, deploymentManifest({ replicas: 7, version: "v2", container: probes }))
          for (const { atMillis, fault } of drawRandomFaults(weather, seed)) {
            // A clockJump may have passed this time already.
            const waitMillis = beganMillis + atMillis - cluster.nowMillis()
            if (waitMillis > 0) yield* pass(waitMillis / 1000)
            yield* beginFault(fault)
          }
          yield* pass(1800)
          expect(cluster.faultInjector.active()).toEqual([])
          expect(nodesAndQuotasOf(cluster)).toEqual(nodesAndQuotas)
          return { lines, pods: pods() }
        })
    )

  it.each([1, 2, 3, 4, 5, 6])(
    "end with all Pods ready, nodes and quotas as before, the same to the byte: seed %i",
    async (seed) => {
      const { lines, pods } = await play(seed)
      expect(pods.filter((text) => text.startsWith("Running ready"))).toHaveLength(7)
      expect(pods.filter((text) => !/^Running ready|^Failed/.test(text))).toEqual([])
      expect((await play(seed)).lines).toEqual(lines)
    }
  )
})

const nodesAndQuotasOf = ({ view }: ClusterService): object => ({
  quotas: [...view.all(resources.resourceQuotas)],
  nodes: [...view.all(resources.nodes)].map(({ metadata: { annotations }, spec, status }) => ({
    annotations,
    spec,
    allocatable: status.allocatable
  }))
})
