// node --test scripts/examples/nodeTest.test.ts
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { startCluster } from "charthouse/testing"

const manifest = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")

test("an update is complete within five minutes", async () => {
  await using world = await startCluster({ seed: 7 })
  await world.cluster.apply(manifest("web-v1.yaml"))
  await world.rolledOut("web")
  await world.cluster.apply(manifest("web-v2.yaml"))
  const { status } = await world.rolledOut("web", { within: "5m" })
  assert.equal(status.updatedReplicas, 5)
})

test("a Pod that is deleted comes back", async () => {
  await using world = await startCluster({ seed: 7 })
  await world.cluster.apply(manifest("web-v1.yaml"))
  await world.rolledOut("web")
  const pods = world.objects("pods", { labelSelector: "app=web" })
  const [first] = await pods()
  assert.ok(first)
  await world.cluster.delete({ resource: "pods", name: first.metadata.name })
  await world.eventually(async () => {
    const ready = (await pods()).filter(({ status }) =>
      status.conditions?.some(({ type, status }) => type === "Ready" && status === "True")
    )
    assert.equal(ready.length, 5)
    assert.ok(!ready.some(({ metadata }) => metadata.uid === first.metadata.uid))
  })
})
