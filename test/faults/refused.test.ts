import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { faultNames } from "../../src/faults/activeFaults.ts"
import { snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { roll } from "./rollouts.ts"
import { tell } from "./world.ts"
import type { Fault } from "../../src/faults/fault.ts"

const nobody = { deployment: "nobody" }

/** Whatever can be said of a fault in good order, and yet cannot be here. */
const refused: ReadonlyArray<Fault> = [
  { fault: "crash", pods: nobody },
  { fault: "fail", pods: { node: "node-9" } },
  { fault: "kill", pods: nobody },
  { fault: "flap", pods: {}, ready: "0s", unready: "0s" },
  { fault: "hang", pods: nobody },
  { fault: "slowStart", pods: nobody, by: "7s" },
  { fault: "nodeLost", node: "node-7" },
  { fault: "nodeDrained", node: "node-7" },
  { fault: "nodeCordoned", node: "node-7" },
  { fault: "nodeFull", node: "node-7" },
  { fault: "quotaExhausted", namespace: "nowhere" },
  { fault: "quotaExhausted", hard: { pods: "-3" } },
  { fault: "writesRefused", of: "pod", code: 500, resource: "cats" },
  { fault: "writesRefused", of: "clients", code: 409, verb: "create" },
  { fault: "clockJump", by: "0s" }
]

/** Nothing is asked of the world that these could not be in. */
const neverRefused = [
  "pullFails",
  "controllerStopped",
  "controllerSlow",
  "controllerRestarted",
  "writesSlow",
  "watchLate",
  "watchDropped",
  "watchRepeated",
  "staleReads"
]

/** A rollout under a fault, after others that were refused: its name, and all that is kept of the cluster. */
const endAfter = (attempts: ReadonlyArray<Fault>) =>
  tell({ cluster: { record: true } }, ({ cluster, strike, refusal, pass }) =>
    Effect.gen(function* () {
      for (const fault of attempts) yield* refusal(fault)
      const { id } = yield* strike({ fault: "nodeCordoned", node: "node-2" })
      yield* roll(cluster, 5)
      yield* pass(9)
      const snapshot = snapshotText(yield* Effect.orDie(cluster.snapshot))
      return { id, snapshot, recording: (yield* Effect.orDie(cluster.recording)).text() }
    })
  )

describe("a fault that is refused", () => {
  it.each(refused.map((fault) => ({ told: JSON.stringify(fault), fault })))(
    "leaves no trace, and the next has its number: $told",
    async ({ fault }) => {
      const left = await endAfter([fault, fault])
      expect(left).toEqual(await endAfter([]))
      expect(left.id).toBe("fault-1")
    }
  )

  it("may be of any kind but those of which nothing is asked", () => {
    const kinds = [...refused.map(({ fault }) => fault), ...neverRefused]
    expect(new Set(kinds)).toEqual(new Set(faultNames))
  })
})
