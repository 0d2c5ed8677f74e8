import { describe, expect } from "vitest"
import { test } from "../../src/testing/vitest.ts"

/** Tests that fail, for `vitestFixture.test.ts`, which looks at how that is told. */
describe("a suite", () => {
  test("that never comes to look so", async ({ object }) => {
    await expect(object({ resource: "nodes", name: "node-1" })).toEventuallyMatch(
      { metadata: { labels: { blue: "yes" } } },
      { within: "3m" }
    )
  })
})

describe("a suite with a seed", () => {
  test.override({ clusterOptions: { seed: 4711, nodes: 1 } })
  test("that never rolls out", async ({ cluster, served }) => {
    expect((await cluster.list("nodes")).items).toHaveLength(1)
    cluster.intercept({ verb: "list", resource: "nodes" }, { type: "drop" })
    await fetch(`${served.url}/healthz`)
    await expect(cluster).toRollOut("web")
  })
})

test("that passes says nothing of its seed", async ({ cluster }) => {
  expect(cluster.namespace).toBe("default")
})

test("that asks the wrong thing", async ({ cluster }) => {
  await expect(cluster).toEventuallyMatch({})
})
