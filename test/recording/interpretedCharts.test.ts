import { describe, expect, it } from "vitest"
import { snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { anImage, patchWeb } from "../explain/steps/webCluster.ts"
import { rolledOutWeb } from "./recordedCluster.ts"
import type { FaultGiven } from "../../src/faults/fault.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

/** Each leads the charts through other states: crashes, evictions, refusals, restarts, lateness. */
const faults: ReadonlyArray<FaultGiven> = [
  { fault: "crash", pods: { deployment: "web", count: 2 }, for: "40s" },
  { fault: "hang", pods: { deployment: "web", count: 1 }, for: "2m" },
  { fault: "flap", pods: { deployment: "web", count: 2 }, ready: "7s", unready: "3s", for: "1m" },
  { fault: "nodeLost", node: "node-2", for: "7m" },
  { fault: "quotaExhausted", for: "30s" },
  { fault: "pullFails", image: "*", for: "50s" },
  { fault: "controllerRestarted", controller: "deployment", afterWrites: 2 },
  { fault: "clockJump", by: "12m" }
]

const playRollouts = async (cluster: OpenCluster, fault: FaultGiven): Promise<void> => {
  await cluster.fault(fault)
  await patchWeb(cluster, { replicas: 5, ...anImage("v2") })
  await cluster.advance("2s")
  await patchWeb(cluster, { paused: true })
  await cluster.advance("10s")
  await patchWeb(cluster, { paused: false, strategy: { type: "Recreate", rollingUpdate: null } })
  await cluster.settle("20m")
}

/** All that a cluster tells of its charts; `inspect` makes XState's interpreter run them. */
const tellOf = async (seed: number, fault: FaultGiven, isInterpreted: boolean) => {
  await using cluster = await rolledOutWeb({ seed, ...(isInterpreted ? { inspect: () => {} } : {}) })
  await playRollouts(cluster, fault)
  const pods = await cluster.list("pods")
  return {
    recording: await cluster.recording(),
    snapshot: snapshotText(await cluster.snapshot()),
    steps: await cluster.why({ resource: "deployments.apps", name: "web" }),
    podSteps: await Promise.all(
      pods.items.map(({ metadata: { name } }) => cluster.why({ resource: "pods", name }))
    )
  }
}

describe("compiled charts", () => {
  it.each(faults.map((fault, index) => ({ fault, seed: index + 1 })))(
    "tell the same as interpreted ones: $fault.fault, seed $seed",
    async ({ fault, seed }) => {
      const [compiled, interpreted] = [await tellOf(seed, fault, false), await tellOf(seed, fault, true)]
      expect(compiled.recording).toBe(interpreted.recording)
      expect(compiled.snapshot).toBe(interpreted.snapshot)
      expect(compiled.steps).toEqual(interpreted.steps)
      expect(compiled.podSteps).toEqual(interpreted.podSteps)
      expect(compiled.podSteps.flat().length).toBeGreaterThan(0)
    }
  )
})
