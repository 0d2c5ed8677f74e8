// node --experimental-vm-modules node_modules/jest/bin/jest.js --testMatch '**/*.test.mjs' scripts/examples
/* global test, expect, beforeEach, afterEach */
import { readFileSync } from "node:fs"
import { startCluster } from "charthouse/testing"

const manifest = (name) => readFileSync(new URL(name, import.meta.url), "utf8")

/** No image of this name can be pulled. */
const broken = { name: "broken", match: { image: "*:broken" }, pull: { failures: 1000 } }

let world
beforeEach(async () => {
  world = await startCluster({ seed: 7, behaviours: [broken], serve: true })
})
afterEach(() => world.stop())

test("a bad image misses its deadline and takes nothing away that worked", async () => {
  const { cluster, object, rolledOut } = world
  await cluster.apply(manifest("web-v1.yaml"))
  await rolledOut("web")
  await cluster.apply(manifest("web-bad.yaml"))
  await expect(rolledOut("web")).rejects.toThrow("exceeded its progress deadline")
  const { status } = await object({ resource: "deployments.apps", name: "web" })()
  expect(status.availableReplicas).toBe(4)
})

test("clients are counted", async () => {
  await fetch(`${world.url}/api/v1/pods`, { headers: { authorization: "Bearer wrong" } })
  expect(world.requests.seen()).toBe(0)
})
