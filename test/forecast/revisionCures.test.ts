import { describe, expect, it } from "vitest"
import { changeOutcomeText } from "../../src/forecast/forecastText.ts"
import { everyWorkload } from "../controllers/workloads/everyWorkload.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { ChangeRequest } from "../../src/kubernetes/meta/changeRequest.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const imagePatch = (image: string) => ({
  spec: { template: { spec: { containers: [{ name: "app", image }] } } }
})
const db = { resource: resources.statefulSets, name: "db" }
const agent = { resource: resources.daemonSets, name: "agent" }

const opened = async (): Promise<OpenCluster> => {
  const cluster = await openCluster({
    seed: 3,
    nodes: 3,
    behaviours: [{ name: "missing", match: { image: "*:missing" }, pull: { failures: "forever" } }]
  })
  for (const workload of everyWorkload.filter(({ metadata }) => ["db", "agent"].includes(metadata.name)))
    await cluster.create(workload)
  await cluster.advance("1m")
  return cluster
}

describe("the cures of a workload under a fault", () => {
  it("end a fault whose glob matches an image of the workload, and set no other image", async () => {
    await using cluster = await opened()
    await cluster.fault({ fault: "pullFails", image: "db:*" })
    await cluster.patch(db, imagePatch("db:2"))
    await cluster.advance("1m")
    const titles = (await cluster.forecast("sts/db", { seeds: 0 })).cures.map(({ cure }) => cure.title)
    expect(titles).toContain("End the fault: images db:* cannot be pulled")
    expect(titles.filter((title) => title.startsWith("Set an image"))).toEqual([])
    const { cures } = await cluster.forecast("ds/agent", { seeds: 0 })
    expect(cures).toEqual([])
  })
})

/** Each cure with its outcome, where times are written as `TIME`. */
const curesOf = async (cluster: OpenCluster, workload: string): Promise<ReadonlyArray<string>> => {
  const forecast = await cluster.forecast(workload, { seeds: 0 })
  return forecast.cures.map(
    (it) =>
      `${it.cure.title} [${it.cure.command ?? ""}]: ${changeOutcomeText(it, forecast).replaceAll(/in [\d.]+m?s/gu, "in TIME")}`
  )
}

const send = async (cluster: OpenCluster, { method, path, contentType, body }: ChangeRequest) => {
  const headers = contentType === undefined ? {} : { "content-type": contentType }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const { ok } = await cluster.fetch(`https://cluster${path}`, { method, headers, ...sent })
  expect(ok).toBe(true)
}

describe("the cures of a workload with revisions", () => {
  it("undo a StatefulSet and delete the Pod that OrderedReady waits for, in one press", async () => {
    await using cluster = await opened()
    expect(await curesOf(cluster, "sts/db")).toEqual([])
    await cluster.patch(db, imagePatch("db:missing"))
    await cluster.advance("1m")
    expect(await curesOf(cluster, "sts/db")).toEqual([
      "Undo to revision 1 (db:1), and delete db-2 [kubectl rollout undo statefulset/db --to-revision=1 && kubectl delete pod db-2]: complete in TIME, at least 2 of 3 available until then",
      "Set an image of app that can be pulled, and delete db-2 [kubectl set image statefulset/db app=IMAGE && kubectl delete pod db-2]: complete in TIME, at least 2 of 3 available until then"
    ])
    const { cures } = await cluster.forecast("sts/db", { seeds: 0 })
    const [undo] = cures
    if (undo?.cure.request === undefined || undo.cure.followUp === undefined || !("future" in undo))
      throw new Error("the undo is not complete")
    // The template alone is not enough.
    await send(cluster, undo.cure.request)
    await cluster.advance("1m")
    expect(await curesOf(cluster, "sts/db")).toEqual([
      expect.stringMatching(/^Delete db-2 \[kubectl delete pod db-2\]: complete in TIME/u) as string,
      expect.stringMatching(/^Undo to revision \d \(db:missing\)/u) as string
    ])
    await send(cluster, undo.cure.followUp)
    const { outcome } = await cluster.rollout("sts/db")
    expect(outcome).toBe("complete")
  })

  it("undo a DaemonSet, and bring back a node that it has lost", async () => {
    await using cluster = await opened()
    await cluster.patch(agent, imagePatch("agent:missing"))
    await cluster.advance("1m")
    await cluster.fault({ fault: "nodeLost", node: "node-3" })
    await cluster.advance("1m")
    expect((await curesOf(cluster, "ds/agent")).map((it) => it.replace(/ \[.*/u, ""))).toEqual([
      "Undo to revision 1 (agent:1)",
      "Bring node-3 back",
      "Set an image of app that can be pulled"
    ])
  })
})
