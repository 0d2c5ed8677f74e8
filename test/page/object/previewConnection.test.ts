import { describe, expect, it } from "vitest"
import { connectionTo } from "./clusterConnection.ts"
import { deploymentManifest } from "../../builders.ts"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { killPod, setKubeletState, setSuspended } from "../../../src/page/object/actions.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { parseRecording } from "../../../src/page/source/pageSource.ts"
import { previewConnection } from "../../../src/page/object/previewConnection.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { CronJob } from "../../../src/kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { PageAddress } from "../../../src/page/pageAddress.ts"
import type { PreviewConnection } from "../../../src/page/object/previewConnection.ts"

/** What a preview says of an action on an object of a cluster. */
const previewIn = async (
  cluster: OpenCluster,
  address: PageAddress,
  act: (connection: PreviewConnection) => Promise<string>
): Promise<string> => {
  const opened = parseRecording(await cluster.recording())
  if (!("history" in opened)) throw new Error(opened.problem)
  const fleet = opened.history.fleetAt(undefined)
  const connection = previewConnection(connectionTo(cluster), address, {
    fleet: () => fleet,
    millis: () => Number(cluster.now())
  })
  return connection.outcomeOf(act(connection))
}

const node = (name: string): PageAddress => ({ kind: "Node", namespace: "", name })

describe("a preview", () => {
  it("of a lost node tells of each workload with Pods there, and of a killed Pod tells of its Deployment", async () => {
    await using cluster = await openCluster({ record: true, nodes: 2 })
    for (const name of ["web", "api"]) await cluster.create(deploymentManifest({ name, replicas: 4 }))
    await cluster.advance("1m")
    const version = (await cluster.list(resources.pods)).resourceVersion
    const lost = await previewIn(cluster, node("node-2"), (it) => setKubeletState(it, "node-2", "stopped"))
    expect(lost).toMatch(
      /^In a copy: the kubelet of node-2 has stopped\. Then: .*web: .*\. The cluster is as it was\.$/
    )
    expect(lost).toMatch(/api: .*of 4 available/)
    const [pod] = (await cluster.list(resources.pods)).items
    const { name = "" } = pod?.metadata ?? {}
    const address: PageAddress = { kind: "Pod", namespace: "default", name }
    const killed = await previewIn(cluster, address, (it) => killPod(it, address))
    expect(killed).toMatch(
      /^In a copy: Pod .* is being deleted\. Then: (web|api): complete in .*at least 3 of 4 available/
    )
    expect((await cluster.list(resources.pods)).resourceVersion).toBe(version)
  })

  it("of what concerns no rollout is the server's answer to a dry run", async () => {
    await using cluster = await openCluster({ record: true, nodes: 1 })
    const minutely = everyWorkload.find(({ kind }) => kind === "CronJob")
    if (minutely === undefined) throw new Error("there is no CronJob")
    await cluster.create(minutely)
    await cluster.advance("10s")
    const cronJob: CronJob = await cluster.get({ resource: resources.cronJobs, name: "minutely" })
    const address: PageAddress = { kind: "CronJob", namespace: "default", name: "minutely" }
    expect(await previewIn(cluster, address, (it) => setSuspended(it, cronJob, true))).toBe(
      "The server would accept it: minutely is suspended. It is suspended (spec.suspend): no Job starts. Nothing was changed."
    )
    expect(await previewIn(cluster, node("node-1"), (it) => setKubeletState(it, "node-1", "stopped"))).toBe(
      "The server would accept it: the kubelet of node-1 has stopped. No workload has to replace a Pod. Nothing was changed."
    )
    const gone: PageAddress = { kind: "Pod", namespace: "default", name: "gone" }
    await expect(previewIn(cluster, gone, (it) => killPod(it, gone))).rejects.toThrow('pods "gone" not found')
  })
})
