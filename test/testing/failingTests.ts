import { describe, expect, it } from "vitest"
import { startCluster } from "../../src/testing/testing.ts"
import { web } from "../server/traffic/recordedTraffic.ts"
import { test } from "../../src/testing/vitest.ts"

/** Failing tests for `vitestFixture.test.ts`, which checks their output. */
describe("a suite", () => {
  test("a condition never holds", async ({ object }) => {
    await expect(object({ resource: "nodes", name: "node-1" })).toEventuallyMatch(
      { metadata: { labels: { blue: "yes" } } },
      { within: "3m" }
    )
  })
})

/** Long enough for a busy machine to compare once. */
const timeout = 4000

describe.concurrent("a suite whose tests run into their timeout", () => {
  test.override({ clusterOptions: { clock: "real" } })

  test("a value never matches in time", { timeout }, async ({ object }) => {
    await expect(object({ resource: "nodes", name: "node-1" })).toEventuallyMatch({
      metadata: { labels: { green: "yes" } }
    })
  })

  test("a rollout is paused", { timeout }, async ({ cluster }) => {
    const { spec, ...deployment } = web(1)
    await cluster.apply({ ...deployment, spec: { ...spec, paused: true } })
    await expect(cluster).toRollOut("web")
  })

  test("a value would have to match for longer", { timeout }, async ({ consistently }) => {
    await consistently(() => true)
  })

  test("an assertion never returns", { timeout }, async ({ eventually }) => {
    await eventually(() => new Promise(() => {}))
  })

  test("each try ends at the timeout", { timeout, retry: 1 }, async ({ eventually, task }) => {
    await eventually(() => expect(`try ${task.result?.retryCount}`).toBe("done"))
  })
})

it("a cluster without a fixture waits", { timeout }, async () => {
  await using world = await startCluster({ clock: "real" })
  await world.eventually(() => expect("yellow").toBe("purple"))
})

describe("a suite with a seed", () => {
  test.override({ clusterOptions: { seed: 4711, nodes: 1 } })
  // On a busy machine it takes more than the runner's five seconds to serve.
  test("a rollout never completes", { timeout: 60_000 }, async ({ cluster, served }) => {
    expect((await cluster.list("nodes")).items).toHaveLength(1)
    cluster.intercept({ verb: "list", resource: "nodes" }, { type: "drop" })
    await fetch(`${served.url}/healthz`)
    await expect(cluster).toRollOut("web")
  })
})

test("a test passes without printing its seed", async ({ cluster }) => {
  expect(cluster.namespace).toBe("default")
})

test("a test passes a wrong argument to toEventuallyMatch", async ({ cluster }) => {
  await expect(cluster).toEventuallyMatch({})
})
