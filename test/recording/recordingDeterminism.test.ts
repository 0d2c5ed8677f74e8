import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { readSnapshot, snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { deploymentManifest } from "../cluster/testCluster.ts"
import { anImage, patchWeb } from "../explain/steps/webCluster.ts"
import { rolledOutWeb } from "./recordedCluster.ts"
import type { FaultGiven } from "../../src/faults/fault.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const faults: ReadonlyArray<FaultGiven> = [
  { fault: "kill", pods: { deployment: "web", count: 1 } },
  { fault: "crash", pods: { deployment: "web", count: 2 }, for: "40s" },
  { fault: "nodeLost", node: "node-2", for: "70s" },
  { fault: "writesSlow", of: "deployment", by: "300ms", for: "5s" },
  { fault: "writesRefused", of: "replicaSet", code: 409, times: 3, for: "5s" },
  { fault: "watchLate", of: "controllers", by: "700ms", for: "20s" },
  { fault: "controllerRestarted", controller: "replicaSet" },
  { fault: "clockJump", by: "3m" }
]

/** A rollout with two faults that depend on the seed. */
const story = async (cluster: OpenCluster, seed: number): Promise<void> => {
  await patchWeb(cluster, { replicas: 3 + (seed % 4), ...anImage(`v${seed}`) })
  for (const offset of [0, 3]) {
    await cluster.advance(200 * (seed % 7) + 50)
    const fault = faults[(seed + offset) % faults.length]
    if (fault !== undefined) await cluster.fault(fault)
  }
  await cluster.settle("20m")
}

const recordingOf = async (seed: number): Promise<string> => {
  await using cluster = await rolledOutWeb({ seed })
  await story(cluster, seed)
  cluster.note("over")
  return cluster.recording()
}

describe("one seed", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "gives the same bytes of the recording each time: seed %i",
    async (seed) => {
      const text = await recordingOf(seed)
      expect(await recordingOf(seed)).toBe(text)
      expect(text).toContain('"type":"fault"')
    }
  )

  it("gives another recording than another seed", async () => {
    expect(await recordingOf(1)).not.toBe(await recordingOf(9))
  })

  it("gives the same recording after a fork and after a snapshot file", async () => {
    await using cluster = await rolledOutWeb({ seed: 5 })
    const record = { title: "after" }
    await using fork = await cluster.fork({ record })
    const from = readSnapshot(snapshotText(await cluster.snapshot()))
    await using again = await openCluster({ from, record })
    for (const each of [fork, again]) await story(each, 5)
    expect(await again.recording()).toBe(await fork.recording())
  })

  it("gives the same changes with and without a recording", async () => {
    const changesOf = async (record: boolean): Promise<string> => {
      await using cluster = await openCluster({ seed: 3, behaviour: "steady", record })
      const lines: Array<string> = []
      cluster.onChange((change) => lines.push(JSON.stringify(change)))
      await cluster.create(deploymentManifest({ replicas: 4 }))
      await cluster.settle()
      await story(cluster, 3)
      if (record) await cluster.recording()
      return lines.join("\n")
    }
    expect(await changesOf(true)).toBe(await changesOf(false))
  })
})
