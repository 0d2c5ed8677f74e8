import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { inFaultCluster } from "./faultCluster.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

/** The fault entries of the recording: `BEGAN fault-1`. */
const recordedFaults = (cluster: ClusterService): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Effect.orDie(cluster.clusterRecorder), (recorder) =>
    recorder
      .text()
      .split("\n")
      .filter((line) => line.includes('"type":"fault"'))
      .map((line) => JSON.parse(line) as { readonly change: string; readonly id: string })
      .map(({ change, id }) => `${change} ${id}`)
  )

const nodeLost: Fault = { fault: "nodeLost", node: "node-1" }
const faultStateNames = (cluster: ClusterService): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Effect.orDie(cluster.snapshot), ({ memories }) => [...(memories.get("faults")?.keys() ?? [])])

describe("the recording of faults", () => {
  it("has the beginning and end of each fault by number, of an instant fault both at once, of a refused fault neither", () =>
    inFaultCluster({}, ({ cluster, beginFault, refusal, pass }) =>
      Effect.gen(function* () {
        expect(yield* recordedFaults(cluster)).toEqual([])
        yield* beginFault({ ...nodeLost, for: "9s" })
        const cordoned = yield* beginFault({ fault: "nodeCordoned", node: "node-2" })
        yield* beginFault({ fault: "kill", pods: { count: 1 } })
        yield* refusal({ fault: "nodeFull", node: "node-7" })
        yield* pass(10)
        yield* cordoned.end
        yield* cordoned.end
        expect(yield* recordedFaults(cluster)).toEqual([
          "BEGAN fault-1",
          "BEGAN fault-2",
          "BEGAN fault-3",
          "ENDED fault-3",
          "ENDED fault-1",
          "ENDED fault-2"
        ])
      })
    ))

  it("goes on counting in a cluster restored from a snapshot", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* beginFault(nodeLost)
          const fork = yield* cluster.fork()
          yield* recordedFaults(fork)
          yield* Effect.orDie(fork.faultInjector.begin({ fault: "nodeCordoned", node: "node-2" }))
          for (const { end } of fork.faultInjector.active()) yield* end
          expect(yield* recordedFaults(fork)).toEqual([
            "BEGAN fault-1",
            "BEGAN fault-2",
            "ENDED fault-1",
            "ENDED fault-2"
          ])
        })
      )
    ))
})

describe("a snapshot and faults", () => {
  it("holds no fault state before the first fault, and only the counter when all are over", () =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        expect(yield* faultStateNames(cluster)).toEqual([])
        const { end } = yield* beginFault(nodeLost)
        expect(yield* faultStateNames(cluster)).toEqual(["begun", "holds", "lasting"])
        yield* end
        expect(yield* faultStateNames(cluster)).toEqual(["begun"])
      })
    ))

  it("holds no timer of a fault that was ended early", () =>
    inFaultCluster({}, ({ cluster, beginFault, pass }) =>
      Effect.gen(function* () {
        const { end } = yield* beginFault({ ...nodeLost, for: "1h" })
        yield* end
        expect(yield* faultStateNames(cluster)).toEqual(["begun"])
        yield* pass(4000)
        expect(yield* faultStateNames(cluster)).toEqual(["begun"])
      })
    ))
})

describe("a fault that keeps the cluster moving", () => {
  it.each<{ readonly fault: Fault; readonly is: boolean; readonly why: string }>([
    { fault: { fault: "flap", pods: {}, ready: "7s", unready: "3s" }, is: true, why: "it has no end" },
    {
      fault: { fault: "flap", pods: {}, ready: "7s", unready: "3s", for: "1m" },
      is: false,
      why: "it ends"
    },
    { fault: nodeLost, is: false, why: "it moves nothing" }
  ])("is a moving fault without an end: $why", ({ fault, is }) =>
    inFaultCluster({}, ({ cluster, beginFault }) =>
      Effect.gen(function* () {
        yield* beginFault(fault)
        expect(cluster.faultInjector.active().map(cluster.faultInjector.keepsMoving)).toEqual([is])
      })
    )
  )
})
