import { describe, expect, it } from "vitest"
import { openCluster, readSnapshot, resources, snapshotText } from "../../../src/index.ts"
import { progressingCondition } from "../../../src/kubernetes/apps/progress.ts"
import {
  aDeployment,
  anImage,
  markReady,
  podsOf,
  replicaSetsOf,
  setPhase,
  deploymentAddress
} from "../../upstream/manualCluster.ts"
import type { ClusterOptions, OpenCluster, Pod } from "../../../src/index.ts"

/**
 * Recreate with an old Pod that has failed and remains, and another that is terminating: only statuses since release
 * 1.33, or the progress check, make the Deployment notice that the second one is gone.
 *
 * Source: pkg/controller/deployment/progress.go (requeueStuckDeployment); client-go util/workqueue/delaying_queue.go,
 * where a key waits for the earliest of its times.
 */

const withoutTerminatingReplicas = { featureGates: { DeploymentReplicaSetTerminatingReplicas: false } }
const recreate = { strategy: { type: "Recreate" }, progressDeadlineSeconds: 8 }

/** Half past a second, as stored times have whole seconds. */
const startMillis = Date.UTC(2026, 0, 1) + 500

const advanceTo = (cluster: OpenCluster, second: number): Promise<void> =>
  cluster.advance(startMillis + second * 1000 - cluster.now().getTime())

/** A cluster with version 1 complete at 0 s: one Pod has failed and remains, two are ready. */
const openWithFailedPod = async ({
  spec = recreate,
  ...options
}: ClusterOptions & { readonly spec?: object }): Promise<OpenCluster> => {
  const cluster = await openCluster({ behaviour: "manual", startMillis, ...options })
  await cluster.create(aDeployment({ replicas: 2, podSpec: { nodeName: "node-1" }, spec }))
  await cluster.advance(0)
  const [first] = await podsOf(cluster)
  if (first !== undefined) await setPhase(cluster, first, "Failed")
  await cluster.advance(0)
  await markReady(cluster, (await podsOf(cluster)).filter(isLive))
  await cluster.advance(0)
  return cluster
}

const isNotTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined
const isLive = ({ status }: Pod): boolean => status.phase !== "Failed"

/** Removes the terminating old Pods; the failed one remains. */
const removeTerminatingPods = async (cluster: OpenCluster): Promise<void> => {
  for (const { metadata } of (await podsOf(cluster)).filter(isLive)) {
    await cluster.delete({ resource: resources.pods, name: metadata.name }, { gracePeriodSeconds: 0 })
  }
  await cluster.advance(0)
}

const revisions = async (cluster: OpenCluster): Promise<number> => (await replicaSetsOf(cluster)).length

/** Advances by half seconds until there is a second ReplicaSet, 20 s at most. Returns the second. */
const secondOfNewReplicaSet = async (cluster: OpenCluster): Promise<number> => {
  for (let half = 0; half < 40; half += 1) {
    if ((await revisions(cluster)) > 1) break
    await cluster.advance(500)
  }
  return (cluster.now().getTime() - startMillis) / 1000
}

const reasonOf = async (cluster: OpenCluster): Promise<string | undefined> =>
  progressingCondition(await cluster.get(deploymentAddress))?.reason

describe("Recreate beside a failed old Pod that remains", () => {
  it("continues when the last running Pod is gone, with terminatingReplicas", async () => {
    await using cluster = await openWithFailedPod({})
    await advanceTo(cluster, 2)
    await cluster.patch(deploymentAddress, anImage("v2"))
    await advanceTo(cluster, 4)
    expect((await cluster.get(deploymentAddress)).status.terminatingReplicas).toBe(2)
    await removeTerminatingPods(cluster)
    expect(await revisions(cluster)).toBe(2)
  })

  it("continues at the progress check without terminatingReplicas, though Progressing is of the old revision", async () => {
    await using cluster = await openWithFailedPod(withoutTerminatingReplicas)
    await advanceTo(cluster, 2)
    await cluster.patch(deploymentAddress, anImage("v2"))
    await advanceTo(cluster, 4)
    expect(await reasonOf(cluster)).toBe("NewReplicaSetAvailable")
    await removeTerminatingPods(cluster)
    expect(await secondOfNewReplicaSet(cluster)).toBe(8.5)
    expect(await reasonOf(cluster)).toBe("ReplicaSetUpdated")
  })

  it("continues at once without terminatingReplicas, once the old revision's deadline is over", async () => {
    await using cluster = await openWithFailedPod(withoutTerminatingReplicas)
    await advanceTo(cluster, 30)
    await cluster.patch(deploymentAddress, anImage("v2"))
    await advanceTo(cluster, 34)
    await removeTerminatingPods(cluster)
    expect(await secondOfNewReplicaSet(cluster)).toBe(34.5)
  })

  it("is checked at the earliest requested time, and does not exceed its deadline", async () => {
    await using cluster = await openWithFailedPod(withoutTerminatingReplicas)
    const reasons: Array<string | undefined> = []
    cluster.onChange(({ object }) => {
      if (object.kind === "Deployment") reasons.push(progressingCondition(object as never)?.reason)
    })
    await advanceTo(cluster, 2)
    await cluster.patch(deploymentAddress, { spec: { paused: true } })
    await cluster.advance(0)
    await cluster.patch(deploymentAddress, { spec: { paused: false } })
    await cluster.advance(0)
    await cluster.patch(deploymentAddress, anImage("v2"))
    await advanceTo(cluster, 4)
    await removeTerminatingPods(cluster)
    expect(await secondOfNewReplicaSet(cluster)).toBe(8.5)
    expect(reasons).not.toContain("ProgressDeadlineExceeded")
  })

  it("is waited for by settle", async () => {
    await using cluster = await openWithFailedPod(withoutTerminatingReplicas)
    await advanceTo(cluster, 2)
    await cluster.patch(deploymentAddress, anImage("v2"))
    await advanceTo(cluster, 4)
    await removeTerminatingPods(cluster)
    expect(await cluster.settle()).toBe(true)
    expect(await revisions(cluster)).toBe(2)
  })
})

describe("a rolling update without terminatingReplicas", () => {
  it("settles when complete, while old Pods are terminating", async () => {
    const rolling = { strategy: { type: "RollingUpdate" }, progressDeadlineSeconds: 8 }
    await using cluster = await openWithFailedPod({ ...withoutTerminatingReplicas, spec: rolling })
    await cluster.patch(deploymentAddress, anImage("v2"))
    for (let turn = 0; turn < 4; turn += 1) {
      await cluster.advance("1s")
      await markReady(cluster, (await podsOf(cluster)).filter(isNotTerminating).filter(isLive))
    }
    await cluster.advance("1s")
    expect(await reasonOf(cluster)).toBe("NewReplicaSetAvailable")
    expect((await podsOf(cluster)).filter((pod) => !isNotTerminating(pod))).toHaveLength(2)
    expect(await cluster.settle("1s")).toBe(true)
  })
})

describe("the feature gate DeploymentReplicaSetTerminatingReplicas", () => {
  it("keeps terminatingReplicas out of all statuses when off, including clients' writes", async () => {
    await using cluster = await openWithFailedPod(withoutTerminatingReplicas)
    const seen = new Set<unknown>()
    cluster.onChange(({ object }) => {
      const { status } = object as { readonly status?: { readonly terminatingReplicas?: number } }
      seen.add(status?.terminatingReplicas)
    })
    await cluster.patch(deploymentAddress, anImage("v2"))
    await cluster.advance("1s")
    await cluster.patch(deploymentAddress, { status: { terminatingReplicas: 7 } }, { status: true })
    await removeTerminatingPods(cluster)
    await cluster.create(aDeployment({ name: "none", replicas: 0 }))
    await cluster.advance("1s")
    expect([...seen]).toEqual([undefined])
  })

  it("is part of a snapshot, and cannot be set when opening one", async () => {
    await using cluster = await openWithFailedPod(withoutTerminatingReplicas)
    const snapshot = readSnapshot(snapshotText(await cluster.snapshot()))
    await using later = await openCluster({ from: snapshot })
    await later.patch(deploymentAddress, anImage("v2"))
    await later.advance("1s")
    expect((await later.get(deploymentAddress)).status).not.toHaveProperty("terminatingReplicas")
    await expect(openCluster({ from: snapshot, featureGates: {} })).rejects.toThrow(
      "featureGates comes from the snapshot, and cannot be given with it"
    )
  })

  it.each([
    { featureGates: { Other: true }, problem: "unrecognized feature gate: Other" },
    { featureGates: "Other=true", problem: 'featureGates must be an object of gates, not "Other=true"' },
    {
      featureGates: { DeploymentReplicaSetTerminatingReplicas: "false" },
      problem: 'invalid value of DeploymentReplicaSetTerminatingReplicas="false", not a boolean'
    }
  ])("is refused with an invalid value: $problem", async ({ featureGates, problem }) => {
    await expect(openCluster({ featureGates: featureGates as never })).rejects.toThrow(problem)
  })
})
