import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aHeader } from "../../recording/builders.ts"
import { createObject, deploymentManifest } from "../../cluster/testCluster.ts"
import { entriesOf } from "../clusterEntries.ts"
import { eventGroups } from "../../../src/page/history/eventGroups.ts"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { makeClusterHistory } from "../../../src/page/history/clusterHistory.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"

const withImage = (image: string) => ({
  spec: { template: { spec: { containers: [{ name: "app", image }] } } }
})
const daemonSet = everyWorkload.filter(({ metadata }) => metadata.name === "agent")

/** The events of a reason, of a workload whose image was changed once. */
const startedAfterChange = async (
  workload: Draft,
  {
    resource,
    name,
    reason
  }: {
    readonly resource: typeof resources.deployments | typeof resources.daemonSets
    readonly name: string
    readonly reason: string
  }
) => {
  const { entries } = await entriesOf({ seed: 5, nodes: 3 }, (cluster) =>
    Effect.gen(function* () {
      yield* createObject(cluster, workload)
      yield* cluster.settle()
      yield* cluster.patch({ resource, name }, withImage("registry.example/app:v2"))
      yield* cluster.settle()
    })
  )
  const history = makeClusterHistory(aHeader())
  for (const entry of entries) history.add(entry)
  const uid = entries.find(({ object }) => object.metadata.name === name && object.kind === workload.kind)
  const groups = eventGroups(history.fleetAt(undefined), history.ownedBy(uid?.object.metadata.uid ?? ""))
  return groups
    .filter((group) => group.reason === reason)
    .map(({ about, count }) => `${count}: ${about}`)
    .toSorted()
}

describe("the events of a workload with several revisions", () => {
  it("are told by revision, of Pods that are gone as well", async () => {
    const about = { resource: resources.deployments, name: "web", reason: "Started" }
    expect(await startedAfterChange(deploymentManifest({ replicas: 3 }), about)).toEqual([
      "3: 3 Pods of revision 1",
      "3: 3 Pods of revision 2"
    ])
  })

  it("are told by revision of a DaemonSet", async () => {
    const about = { resource: resources.daemonSets, name: "agent", reason: "Started" }
    const [workload] = daemonSet
    if (workload === undefined) throw new Error("there is one")
    expect(await startedAfterChange(workload, about)).toContain("3: 3 Pods of revision 2")
  })
})
