import { join } from "node:path"
import { expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { temporaryFolder } from "../../cli/harness/kubeconfigs.ts"

it("a data directory keeps its clock's speed, also where `clock` is given as undefined", async () => {
  const data = join(temporaryFolder(), "data")
  const cluster = await openCluster({ data, clock: "real" })
  await cluster.close()
  const withoutClock: object = { clock: undefined }
  await using again = await openCluster({ data, ...withoutClock })
  expect(again.clock.state().speed).toBe(1)
})
