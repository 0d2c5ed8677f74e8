import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openChangeDatabase } from "../../../src/store/durable/changeDatabase.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import type { RowToStore } from "../../../src/store/durable/changeDatabase.ts"

const workload = (apiVersion: string, kind: string, spec: string): string => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: ${kind.toLowerCase()} }
spec:
  ${spec}
  template:
    metadata: { labels: { app: ${kind} } }
    spec: { serviceAccountName: robot, containers: [{ name: app, image: "app:1" }], restartPolicy: RESTART }
`
const manifests = [
  "{ apiVersion: v1, kind: ServiceAccount, metadata: { name: robot } }",
  workload("apps/v1", "Deployment", "selector: { matchLabels: { app: Deployment } }").replace(
    "RESTART",
    "Always"
  ),
  workload("apps/v1", "StatefulSet", "selector: { matchLabels: { app: StatefulSet } }").replace(
    "RESTART",
    "Always"
  ),
  workload("batch/v1", "Job", "backoffLimit: 1").replace("RESTART", "Never")
].join("\n---\n")

/** Takes `serviceAccount` out of all Pod templates, as they were stored before it had a default. */
const storeWithoutOlderName = async (directory: string): Promise<number> => {
  const database = await openChangeDatabase(directory, { level: "off" })
  const position = database.position()
  if (position === undefined) throw new Error("nothing is stored")
  const rows = [...database.changes()].filter(({ resource }) => resource !== "pods")
  const older = rows.flatMap((row): ReadonlyArray<RowToStore> => {
    const text = row.object.toString()
    const changed = text.replaceAll(',"serviceAccount":"robot"', "")
    return changed === text ? [] : [{ ...row, object: new Uint8Array(Buffer.from(changed)) }]
  })
  database.commit({ added: older, removedSequences: older.map(({ sequence }) => sequence), position })
  database.close()
  return older.length
}

it("begins no rollout with the next write of a workload that was stored without serviceAccount", async () => {
  const data = mkdtempSync(join(tmpdir(), "charthouse-older-"))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  {
    await using cluster = await openCluster({ data, seed: 7 })
    await cluster.apply(manifests)
    await cluster.rollout("deployment")
    await cluster.advance("30s")
  }
  expect(await storeWithoutOlderName(data)).toBeGreaterThan(3)
  await using cluster = await openCluster({ data })
  const before = (await cluster.list("pods")).items.map(({ metadata }) => metadata.uid)
  await cluster.patch({ resource: "deployments.apps", name: "deployment" }, { spec: { minReadySeconds: 1 } })
  await cluster.patch(
    { resource: "statefulsets.apps", name: "statefulset" },
    { spec: { minReadySeconds: 1 } }
  )
  await cluster.patch({ resource: "jobs.batch", name: "job" }, { spec: { backoffLimit: 2 } })
  await cluster.advance("1m")
  expect((await cluster.list("replicasets.apps")).items).toHaveLength(1)
  expect((await cluster.list("controllerrevisions.apps")).items).toHaveLength(1)
  expect((await cluster.list("pods")).items.map(({ metadata }) => metadata.uid)).toEqual(before)
  const { spec } = await cluster.get({ resource: "deployments.apps", name: "deployment" })
  expect(spec.template.spec).toMatchObject({ serviceAccount: "robot", serviceAccountName: "robot" })
})
