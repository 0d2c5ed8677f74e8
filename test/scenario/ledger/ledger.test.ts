import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deploymentManifest, createObject, replaceSpec } from "../../cluster/testCluster.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import {
  createAtFullSize,
  reportCollision,
  startNew,
  stopOld
} from "../../../src/kubernetes/apps/deploymentCommands.ts"
import { planStart, planStop } from "../../../src/kubernetes/apps/recreate.ts"
import { isComplete } from "../../../src/kubernetes/apps/progress.ts"
import { defineStrategy } from "../../../machines/strategies/strategy.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { violationText } from "../../../src/scenario/ledger/violations.ts"
import { slow, withLedger } from "./withLedger.ts"
import { CurrentWriter } from "../../../src/runtime/reconciler/currentWriter.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { WriterName } from "../../../src/runtime/reconciler/currentWriter.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"

const amounts = (maxSurge: number | string, maxUnavailable: number | string, type = "RollingUpdate") => ({
  strategy: { type, rollingUpdate: { maxSurge, maxUnavailable } }
})

describe("the ledger of a rollout", () => {
  it("has the Pod counts of every instant", async () => {
    const rows = await withLedger({ behaviour: slow }, (cluster, ledger) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 3, spec: amounts(1, 0) }))
        yield* cluster.rollout("web")
        ledger.restart(cluster.nowMillis())
        const from = cluster.nowMillis()
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 3, version: "v2", spec: amounts(1, 0) }))
        yield* cluster.rollout("web")
        yield* cluster.settle(60_000)
        const entry = ledger.of("default/web")
        return (entry?.rows() ?? []).map((row) =>
          [
            (row.atMillis - from) / 1000,
            row.existing,
            row.available,
            row.updated,
            row.updatedReady,
            row.updatedAvailable,
            row.terminating
          ].join(" ")
        )
      })
    )
    // Seconds, existing, available, updated, updated and ready, updated and available, terminating.
    expect(rows).toEqual([
      "0 4 3 1 0 0 0",
      "2 4 3 2 1 1 1",
      "4 4 3 3 2 2 2",
      "6 3 3 3 3 3 3",
      "7 3 3 3 3 3 2",
      "9 3 3 3 3 3 1",
      "11 3 3 3 3 3 0"
    ])
  })

  it("knows to the millisecond when minReadySeconds are over", async () => {
    const availableAt = await withLedger({ behaviour: { ...slow, start: "2.5s" } }, (cluster, ledger) =>
      Effect.gen(function* () {
        const from = cluster.nowMillis()
        yield* createObject(cluster, deploymentManifest({ replicas: 1, spec: { minReadySeconds: 7 } }))
        yield* cluster.advance(20_000)
        ledger.advanceTo(cluster.nowMillis())
        const row = ledger
          .of("default/web")
          ?.rows()
          .find(({ available }) => available === 1)
        return (row?.atMillis ?? 0) - from
      })
    )
    // Ready at 2.5 s, written as 2 s: Kubernetes counts from the written time.
    expect(availableAt).toBe(9000)
  })

  it("has the fewest available, their duration, and the peak of requests", async () => {
    const extremes = await withLedger({ behaviour: slow }, (cluster, ledger) =>
      Effect.gen(function* () {
        const container = { resources: { requests: { cpu: "250m", memory: "1Gi" } } }
        const spec = { strategy: { type: "Recreate" } }
        yield* createObject(cluster, deploymentManifest({ replicas: 5, spec, container }))
        yield* cluster.rollout("web")
        ledger.restart(cluster.nowMillis())
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 5, version: "v2", spec, container }))
        yield* cluster.rollout("web")
        return ledger.of("default/web")?.extremes(cluster.nowMillis())
      })
    )
    expect(extremes).toEqual({
      availableFewest: 0,
      // Five seconds to stop, two to start.
      shortMillis: 7000,
      fewestMillis: 7000,
      podsMost: 5,
      podsMostWithTerminating: 5,
      requestsMost: { cpuMillicores: 1250n, memoryMillibytes: 5n * 1024n ** 3n * 1000n }
    })
  })

  it("has the extremes up to an earlier moment", async () => {
    const [early, late] = await withLedger({ behaviour: slow }, (cluster, ledger) =>
      Effect.gen(function* () {
        const container = { resources: { requests: { cpu: "100m", memory: "1Ki" } } }
        yield* createObject(cluster, deploymentManifest({ replicas: 3, container }))
        yield* cluster.rollout("web")
        ledger.restart(cluster.nowMillis())
        yield* cluster.advance(3000)
        const before = cluster.nowMillis() - 1
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 7, container }))
        yield* cluster.rollout("web")
        yield* replaceSpec(cluster, deploymentManifest({ replicas: 2, container }))
        yield* cluster.rollout("web")
        return [before, cluster.nowMillis()].map((it) => ledger.of("default/web")?.extremes(it))
      })
    )
    const none = { shortMillis: 0, fewestMillis: 0 }
    expect(early).toEqual({
      ...none,
      availableFewest: 3,
      podsMost: 3,
      podsMostWithTerminating: 3,
      requestsMost: { cpuMillicores: 300n, memoryMillibytes: 3072n * 1000n }
    })
    expect(late).toMatchObject({ availableFewest: 2, podsMost: 7, requestsMost: { cpuMillicores: 700n } })
  })
})

/** A strategy that stops old Pods first, against its bounds. */
const stopsOldFirst = defineStrategy({
  type: "Hasty",
  state: "hasty",
  isCreating: ({ newReplicaSet }) => newReplicaSet === undefined,
  guards: {
    isNewMissing: ({ newReplicaSet }) => newReplicaSet === undefined,
    isOldRunning: (seen) => planStop(seen).length > 0,
    isNextSmall: (seen) => planStart(seen).length > 0,
    isDone: isComplete
  },
  commands: { createAtFullSize, reportCollision, startNew, stopOld },
  chart: {
    initial: "deciding",
    states: {
      deciding: {
        always: [
          { guard: "isOldRunning", target: "stopping" },
          { guard: "isNewMissing", target: "creating" },
          { guard: "isNextSmall", target: "starting" },
          { guard: "isDone", target: "done" },
          { target: "waiting" }
        ]
      },
      stopping: { entry: ["stopOld", "reportStatus"] },
      creating: { entry: ["createAtFullSize", "reportStatus"] },
      starting: { entry: ["startNew", "reportStatus"] },
      waiting: { entry: ["reportStatus"] },
      done: { type: "final" }
    }
  }
})

const violationsOfRollout = (strategy: object, strategies: ReadonlyArray<typeof stopsOldFirst>) =>
  withLedger({ strategies, behaviour: "instant" }, (cluster, ledger) =>
    Effect.gen(function* () {
      yield* createObject(cluster, deploymentManifest({ replicas: 4, spec: strategy }))
      yield* cluster.rollout("web")
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 4, version: "v2", spec: strategy }))
      yield* cluster.rollout("web")
      return ledger.violations()
    })
  )

describe("a rule that a strategy violates", () => {
  it("is reported with actor, action and sums when there are more Pods than the surge allows", async () => {
    const [first, ...others] = await violationsOfRollout(amounts(1, 0, "BlueGreen"), [blueGreen])
    expect(others).toEqual([])
    expect(first).toMatchObject({ rule: "ceiling", subject: "default/web", who: "Deployment controller" })
    expect(first === undefined ? "" : violationText(first, 1).replaceAll(/web-[\w]+/g, "web-x")).toMatch(
      new RegExp(
        String.raw`^\[1\] \+\d+\.000s  default/web: Deployment controller scaled ReplicaSet web-x from \d to 4
      web-x 4 \+ web-x 4 = 8 Pods asked for; desired 4 \+ surge 1 = 5
      broken: Pods <= desired \+ maxSurge: 8 <= 5$`
      )
    )
  })

  it("is reported when too few Pods stay available", async () => {
    const [first] = await violationsOfRollout(amounts(0, 1, "Hasty"), [stopsOldFirst])
    expect(first).toMatchObject({
      rule: "floor",
      sums: "4 available, 4 to go of which 0 are not available: 4 - 4 = 0; desired 4 - unavailable 1 = 3",
      broken: "available >= desired - maxUnavailable: 0 >= 3"
    })
  })

  it("is not reported of a strategy without bounds", async () => {
    expect(await violationsOfRollout({ strategy: { type: "Hasty" } }, [stopsOldFirst])).toEqual([])
    expect(await violationsOfRollout({ strategy: { type: "BlueGreen" } }, [blueGreen])).toEqual([])
  })
})

describe("an observedGeneration above the generation and a lower revision", () => {
  it.for<{ readonly why: string; readonly by: WriterName; readonly broken: ReadonlyArray<string> }>([
    {
      why: "are reported when the controller writes them",
      by: "deployment",
      broken: ["observedGeneration", "revisionsGrow"]
    },
    { why: "are not reported when a client writes them", by: "client", broken: [] }
  ])("$why", async ({ by, broken }) => {
    const rules = await withLedger({ behaviour: "manual" }, (cluster, ledger) =>
      Effect.gen(function* () {
        yield* createObject(cluster, deploymentManifest({ replicas: 2 }))
        yield* cluster.advance(0)
        const ref = { resource: resources.deployments, key: "default/web" }
        const modify = (next: (object: KubeObject) => KubeObject, status = false) =>
          cluster.run(Effect.provideService(cluster.store.modify(ref, next, { status }), CurrentWriter, by))
        const status = { observedGeneration: 77, replicas: 2, updatedReplicas: 2 }
        yield* modify((object) => Object.assign({}, object, { status }), true)
        yield* modify((object) => ({
          ...object,
          metadata: {
            ...object.metadata,
            annotations: { ...object.metadata.annotations, "deployment.kubernetes.io/revision": "0" }
          }
        }))
        yield* cluster.advance(10_000)
        return ledger.violations().map(({ rule }) => rule)
      })
    )
    expect(rules).toEqual(broken)
  })
})

it("no rule is violated by random rollouts of Pods that crash, flap and are late", async () => {
  const intOrPercent = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom("0%", "10%", "25%", "60%"))
  const steps = fc.array(
    fc.record({
      replicas: fc.integer({ min: 0, max: 9 }),
      version: fc.constantFrom("v1", "v2", "v3", "crash", "flap"),
      surge: intOrPercent,
      unavailable: intOrPercent,
      minReadySeconds: fc.constantFrom(0, 0, 3, 11),
      waitMillis: fc.constantFrom(0, 700, 2300, 9000, 60_000)
    }),
    { minLength: 2, maxLength: 5 }
  )
  const behaviours: ReadonlyArray<Behaviour> = [
    { name: "crash", match: { image: "*:crash" }, exit: { after: { exponential: { mean: "8s" } } } },
    {
      name: "flap",
      match: { image: "*:flap" },
      flap: { ready: { exponential: { mean: "5s" } }, unready: "2s", times: 5 }
    }
  ]
  const law = fc.asyncProperty(steps, fc.integer({ min: 1, max: 999 }), async (story, seed) => {
    const violations = await withLedger({ seed, behaviours, shuffleSeed: seed }, (cluster, ledger) =>
      Effect.gen(function* () {
        for (const [index, step] of story.entries()) {
          const isStill = (amount: number | string): boolean => Number.parseInt(String(amount), 10) === 0
          const surge = isStill(step.surge) && isStill(step.unavailable) ? 1 : step.surge
          const { replicas, version, minReadySeconds } = step
          const manifest = deploymentManifest({
            replicas,
            version,
            spec: { ...amounts(surge, step.unavailable), minReadySeconds }
          })
          yield* index === 0 ? createObject(cluster, manifest) : replaceSpec(cluster, manifest)
          yield* cluster.advance(step.waitMillis)
        }
        yield* cluster.until(() => false, 90_000)
        ledger.advanceTo(cluster.nowMillis())
        return ledger.violations()
      })
    )
    expect(violations.map((it, index) => violationText(it, index + 1))).toEqual([])
  })
  await fc.assert(law, { seed: 20, numRuns: 25 })
})
