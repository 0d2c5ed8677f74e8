import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { forkCluster } from "../../src/cluster/cluster.ts"
import { tell } from "./world.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Living } from "../cluster/worlds.ts"

/** What a recording has heard of faults: `BEGAN fault-1`. */
const heard = (cluster: Living): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Effect.orDie(cluster.recording), (recorder) =>
    recorder
      .text()
      .split("\n")
      .filter((line) => line.includes('"type":"fault"'))
      .map((line) => JSON.parse(line) as { readonly change: string; readonly id: string })
      .map(({ change, id }) => `${change} ${id}`)
  )

const silent: Fault = { fault: "nodeLost", node: "node-1" }
const partsOf = (cluster: Living): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(Effect.orDie(cluster.snapshot), ({ memories }) => [...(memories.get("faults")?.keys() ?? [])])

describe("what is told of faults", () => {
  it("is when each began and ended, by a number; a deed is over at once, and what could not be has not been", () =>
    tell({}, ({ cluster, strike, refusal, pass }) =>
      Effect.gen(function* () {
        expect(yield* heard(cluster)).toEqual([])
        yield* strike({ ...silent, for: "9s" })
        const cordoned = yield* strike({ fault: "nodeCordoned", node: "node-2" })
        yield* strike({ fault: "kill", pods: { count: 1 } })
        yield* refusal({ fault: "nodeFull", node: "node-7" })
        yield* pass(10)
        yield* cordoned.end
        yield* cordoned.end
        expect(yield* heard(cluster)).toEqual([
          "BEGAN fault-1",
          "BEGAN fault-2",
          "BEGAN fault-3",
          "ENDED fault-3",
          "ENDED fault-1",
          "ENDED fault-2"
        ])
      })
    ))

  it("counts on in a world that goes on from a snapshot, so that no two have one name", () =>
    tell({}, ({ cluster, strike }) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* strike(silent)
          const fork = yield* forkCluster(cluster)
          yield* heard(fork)
          yield* Effect.orDie(fork.faults.begin({ fault: "nodeCordoned", node: "node-2" }))
          for (const { end } of fork.faults.active()) yield* end
          expect(yield* heard(fork)).toEqual([
            "BEGAN fault-1",
            "BEGAN fault-2",
            "ENDED fault-1",
            "ENDED fault-2"
          ])
        })
      )
    ))
})

describe("a snapshot", () => {
  it("holds nothing of faults where none has ever been, and little where they are over", () =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        expect(yield* partsOf(cluster)).toEqual([])
        const { end } = yield* strike(silent)
        expect(yield* partsOf(cluster)).toEqual(["begun", "holds", "lasting"])
        yield* end
        expect(yield* partsOf(cluster)).toEqual(["begun"])
      })
    ))

  it("can be taken when a fault has been ended before its time: nothing of it is still to come", () =>
    tell({}, ({ cluster, strike, pass }) =>
      Effect.gen(function* () {
        const { end } = yield* strike({ ...silent, for: "1h" })
        yield* end
        expect(yield* partsOf(cluster)).toEqual(["begun"])
        yield* pass(4000)
        expect(yield* partsOf(cluster)).toEqual(["begun"])
      })
    ))
})

describe("a fault that never rests", () => {
  it.each<{ readonly fault: Fault; readonly is: boolean; readonly why: string }>([
    { fault: { fault: "flap", pods: {}, ready: "7s", unready: "3s" }, is: true, why: "it goes on for ever" },
    {
      fault: { fault: "flap", pods: {}, ready: "7s", unready: "3s", for: "1m" },
      is: false,
      why: "its end will come"
    },
    { fault: silent, is: false, why: "nothing moves by it" }
  ])("is one that moves and has no end: $why", ({ fault, is }) =>
    tell({}, ({ cluster, strike }) =>
      Effect.gen(function* () {
        yield* strike(fault)
        expect(cluster.faults.active().map(cluster.faults.keepsMoving)).toEqual([is])
      })
    )
  )
})
