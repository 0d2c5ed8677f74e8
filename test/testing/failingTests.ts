import { describe, expect } from "vitest"
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

describe("a suite with a seed", () => {
  test.override({ clusterOptions: { seed: 4711, nodes: 1 } })
  test("a rollout never completes", async ({ cluster, served }) => {
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
