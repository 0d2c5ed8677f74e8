import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { faultNames } from "../../src/faults/kinds/faultKinds.ts"
import { snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { setVersion } from "./rollouts.ts"
import { inFaultCluster } from "./faultCluster.ts"
import type { Fault } from "../../src/faults/fault.ts"

const missingDeployment = { deployment: "absent" }

/** Well-formed faults that cannot begin in this cluster. */
const refused: ReadonlyArray<Fault> = [
  { fault: "crash", pods: missingDeployment },
  { fault: "fail", pods: { node: "node-9" } },
  { fault: "kill", pods: missingDeployment },
  { fault: "flap", pods: {}, ready: "0s", unready: "0s" },
  { fault: "hang", pods: missingDeployment },
  { fault: "slowStart", pods: missingDeployment, by: "7s" },
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

/** Faults that can begin in any cluster. */
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

/** A rollout under a fault, after `attempts` were refused: the fault's id, the snapshot and the recording. */
const rolloutAfter = (attempts: ReadonlyArray<Fault>) =>
  inFaultCluster({ cluster: { record: true } }, ({ cluster, beginFault, refusal, pass }) =>
    Effect.gen(function* () {
      for (const fault of attempts) yield* refusal(fault)
      const { id } = yield* beginFault({ fault: "nodeCordoned", node: "node-2" })
      yield* setVersion(cluster, 5)
      yield* pass(9)
      const snapshot = snapshotText(yield* Effect.orDie(cluster.snapshot))
      return { id, snapshot, recording: (yield* Effect.orDie(cluster.clusterRecorder)).text() }
    })
  )

describe("a fault that is refused", () => {
  it.each(refused.map((fault) => ({ text: JSON.stringify(fault), fault })))(
    "leaves no trace, and the next fault gets its number: $text",
    async ({ fault }) => {
      const state = await rolloutAfter([fault, fault])
      expect(state).toEqual(await rolloutAfter([]))
      expect(state.id).toBe("fault-1")
    }
  )

  it("may be of any kind that needs an object of the cluster", () => {
    const kinds = [...refused.map(({ fault }) => fault), ...neverRefused]
    expect(new Set(kinds)).toEqual(new Set(faultNames))
  })
})
