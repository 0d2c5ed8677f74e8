import assert from "node:assert/strict"
import { afterEach, describe, mock, test } from "node:test"
import { startCluster } from "../../src/testing/testing.ts"
import { web } from "../server/traffic/recordedTraffic.ts"

/** Tests of node:test for `timeouts.test.ts`, which checks their output. */

/** Long enough for a busy machine to compare once. */
const timeout = 2000

void describe("tests that run into their timeout", { concurrency: true }, () => {
  void test("a value never matches", { timeout }, async () => {
    await using world = await startCluster({ clock: "real" })
    await world.eventually(() => assert.deepEqual({ color: "green" }, { color: "blue" }))
  })

  void test("a rollout is paused", { timeout }, async () => {
    await using world = await startCluster({ clock: "real" })
    const { spec, ...deployment } = web(1)
    await world.cluster.apply({ ...deployment, spec: { ...spec, paused: true } })
    await world.rolledOut("web")
  })

  void test("the signal is given", { timeout }, async ({ signal }) => {
    await using world = await startCluster({ clock: "real", signal })
    await world.consistently(() => true)
  })
})

void test("timers are fake", async () => {
  mock.timers.enable()
  await using virtual = await startCluster()
  await virtual.cluster.apply(web(2))
  await virtual.rolledOut("web")
  mock.timers.tick(1000)
  await using world = await startCluster({ clock: { speed: 600 }, serve: true })
  await world.cluster.apply(web(2))
  await world.rolledOut("web")
  await world.eventually(async () => assert.equal((await world.objects("pods")()).length, 2), {
    quiet: "20ms"
  })
})

afterEach(() => mock.timers.reset())
