import { describe, expect, it } from "vitest"
import { Invalid, resources, rolloutStatus } from "../../src/index.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import { desiredReplicasAnnotation } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { isPodReady } from "../../src/kubernetes/pods/podState.ts"
import {
  aDeployment,
  anImage,
  completeRollout,
  imageOf,
  inManualCluster,
  markReady,
  podsOf,
  replicaSetOf,
  replicaSetsOf,
  revisionOf,
  createRolledOut,
  conditionText,
  advanceOneSecond,
  deploymentAddress
} from "./manualCluster.ts"
import type { OpenCluster, ReplicaSet } from "../../src/index.ts"

/** Source: test/integration/deployment/deployment_test.go. */

const resize = (replicas: number): object => ({ spec: { replicas } })
const sizesOf = (replicaSets: ReadonlyArray<ReplicaSet>): ReadonlyArray<number> =>
  replicaSets.map(({ spec }) => spec.replicas)

/** The desired-replicas annotation of a ReplicaSet. */
const desiredOf = ({ metadata }: ReplicaSet): string | undefined =>
  metadata.annotations?.[desiredReplicasAnnotation]

/** The most spec.replicas and the fewest available Pods of all ReplicaSets from now on. */
const watchExtremes = async (cluster: OpenCluster): Promise<{ specReplicas: number; available: number }> => {
  const extremes = { specReplicas: 0, available: Infinity }
  const known = new Map((await replicaSetsOf(cluster)).map((it) => [it.metadata.uid, it]))
  cluster.onChange(({ resource, object, type }) => {
    if (resource !== resources.replicaSets) return
    if (type === "DELETED") known.delete(object.metadata.uid)
    else known.set(object.metadata.uid, object as ReplicaSet)
    const sum = (of: (it: ReplicaSet) => number): number =>
      [...known.values()].reduce((all, it) => all + of(it), 0)
    extremes.specReplicas = Math.max(
      extremes.specReplicas,
      sum(({ spec }) => spec.replicas)
    )
    extremes.available = Math.min(
      extremes.available,
      sum(({ status }) => status.availableReplicas ?? 0)
    )
  })
  return extremes
}

describe("a new Deployment", () => {
  it("sets Available, then Progressing complete, when its Pods are ready at once", () =>
    inManualCluster(
      async (cluster) => {
        await cluster.apply(aDeployment({ replicas: 3 }))
        const { status } = await completeRollout(cluster)
        expect(status.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
          "Available MinimumReplicasAvailable",
          "Progressing NewReplicaSetAvailable"
        ])
      },
      { behaviour: "instant" }
    ))

  it("copies its annotations, but not kubectl's own, to a ReplicaSet named by the template hash (TestNewDeployment)", () =>
    inManualCluster(async (cluster) => {
      const annotations = { test: "travels", "kubectl.kubernetes.io/last-applied-configuration": "stays" }
      await createRolledOut(cluster, {
        replicas: 19,
        metadata: { annotations },
        spec: { minReadySeconds: 4 }
      })
      const [only, ...others] = await replicaSetsOf(cluster)
      expect(others).toEqual([])
      expect(only?.metadata.annotations).toMatchObject({ test: "travels" })
      expect(Object.values(only?.metadata.annotations ?? {})).not.toContain("stays")
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("1")

      const hash = only?.metadata.labels?.[templateHashLabel]
      expect(only?.metadata.name).toBe(`web-${hash}`)
      expect(only?.spec.selector.matchLabels?.[templateHashLabel]).toBe(hash)
      expect(only?.spec.template.metadata?.labels?.[templateHashLabel]).toBe(hash)
      const pods = await podsOf(cluster)
      expect(pods.map(({ metadata }) => metadata.labels?.[templateHashLabel])).toEqual(Array(19).fill(hash))
    }))

  it("has a selector that cannot be changed (TestDeploymentSelectorImmutability)", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(aDeployment({ replicas: 20 }))
      const matchLabels = { app: null, tier: "front" }
      const change = { spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels } } } }
      const refused = cluster.patch(deploymentAddress, change)
      await expect(refused).rejects.toBeInstanceOf(Invalid)
      await expect(refused).rejects.toThrow(/spec\.selector: Invalid value: .*: field is immutable/)
      expect((await cluster.get(deploymentAddress)).spec.selector).toEqual({ matchLabels: { app: "web" } })
    }))
})

describe("a rolling update", () => {
  it("keeps to its bounds, and scales superseded ReplicaSets to 0 (TestDeploymentRollingUpdate)", () =>
    inManualCluster(async (cluster) => {
      const rollingUpdate = { maxSurge: "25%", maxUnavailable: "25%" }
      const strategy = { type: "RollingUpdate", rollingUpdate }
      await createRolledOut(cluster, { replicas: 19, spec: { minReadySeconds: 4, strategy } })
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("1")

      // 25 % of 19 is 4.75: 5 more than that, and 4 fewer.
      const extremes = await watchExtremes(cluster)
      await cluster.patch(deploymentAddress, anImage("v2"))
      expect(revisionOf(await completeRollout(cluster))).toBe("2")
      expect(extremes).toEqual({ specReplicas: 24, available: 15 })

      await cluster.patch(deploymentAddress, anImage("unfinished"))
      await advanceOneSecond(cluster)
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("3")
      await cluster.patch(deploymentAddress, anImage("rollover"))
      await advanceOneSecond(cluster)
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("4")
      await completeRollout(cluster)
      expect(extremes).toEqual({ specReplicas: 24, available: 15 })
      const old = (await replicaSetsOf(cluster)).filter((it) => !imageOf(it).endsWith(":rollover"))
      expect(sizesOf(old)).toEqual([0, 0, 0])
    }))

  it("rolls out and scales at once, and annotates every ReplicaSet with the new size (TestScaledRolloutDeployment)", () =>
    inManualCluster(async (cluster) => {
      const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 }
      await createRolledOut(cluster, { replicas: 10, spec: { strategy: { rollingUpdate } } })

      await cluster.patch(deploymentAddress, anImage("v2"))
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status.availableReplicas).toBeGreaterThanOrEqual(8)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([8, 5])
      await cluster.patch(deploymentAddress, { spec: { replicas: 20, ...anImageSpec("v3") } })
      expect(revisionOf(await completeRollout(cluster))).toBe("3")
      expect((await replicaSetsOf(cluster)).map(desiredOf)).toEqual(["20", "20", "20"])

      await cluster.patch(deploymentAddress, anImage("v4"))
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status.availableReplicas).toBeGreaterThanOrEqual(18)
      await cluster.patch(deploymentAddress, { spec: { replicas: 5, ...anImageSpec("v5") } })
      expect(revisionOf(await completeRollout(cluster))).toBe("5")
      const last = ["v3", "v4", "v5"].map((version) => replicaSetOf(cluster, version))
      expect((await Promise.all(last)).map(desiredOf)).toEqual(["5", "5", "5"])
    }))

  it("makes new Pods while old ones still terminate (TestRollingUpdateAndProportionalScalingForDeploymentPodReplacement)", () =>
    inManualCluster(async (cluster) => {
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 }
      const podSpec = { nodeName: "node-1" }
      await createRolledOut(cluster, { replicas: 3, podSpec, spec: { strategy: { rollingUpdate } } })
      await cluster.patch(deploymentAddress, anImage("v2"))
      expect((await completeRollout(cluster)).status).toMatchObject({ replicas: 3, terminatingReplicas: 3 })
      // More than 3 + 1, since no kubelet ends the terminating Pods.
      expect(await podsOf(cluster)).toHaveLength(6)
    }))

  it("scales proportionally without counting terminating Pods (TestRollingUpdateAndProportionalScalingForDeploymentPodReplacement)", () =>
    inManualCluster(async (cluster) => {
      const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 }
      const podSpec = { nodeName: "node-1" }
      await createRolledOut(cluster, { replicas: 10, podSpec, spec: { strategy: { rollingUpdate } } })
      await cluster.patch(deploymentAddress, anImage("v2"))
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status).toMatchObject({
        replicas: 13,
        terminatingReplicas: 2
      })
      await cluster.patch(deploymentAddress, resize(15))
      await advanceOneSecond(cluster)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([11, 7])
      expect((await cluster.get(deploymentAddress)).status).toMatchObject({
        replicas: 18,
        terminatingReplicas: 2
      })
    }))
})

/** The spec of a patch to another image. */
const anImageSpec = (version: string): object => (anImage(version) as { readonly spec: object }).spec

describe("a paused Deployment", () => {
  it("makes no ReplicaSet until it is resumed, and none of a new template after that (TestPausedDeployment)", () =>
    inManualCluster(async (cluster) => {
      const podSpec = { terminationGracePeriodSeconds: 1 }
      await cluster.create(aDeployment({ podSpec, spec: { paused: true } }))
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status.observedGeneration).toBe(1)
      expect(await replicaSetsOf(cluster)).toEqual([])

      await cluster.patch(deploymentAddress, { spec: { paused: false } })
      expect(revisionOf(await completeRollout(cluster))).toBe("1")
      await cluster.patch(deploymentAddress, { spec: { paused: true } })
      await advanceOneSecond(cluster)
      await cluster.patch(deploymentAddress, {
        spec: { template: { spec: { terminationGracePeriodSeconds: 0 } } }
      })
      await advanceOneSecond(cluster)
      const { metadata, status } = await cluster.get(deploymentAddress)
      expect(status.observedGeneration).toBe(metadata.generation)
      expect(status.updatedReplicas).toBeUndefined()
      const graces = (await replicaSetsOf(cluster)).map(({ spec }) => spec.template.spec)
      expect(graces.map((spec) => spec?.terminationGracePeriodSeconds)).toEqual([1])
    }))

  it("is scaled when its replicas change (TestScalePausedDeployment)", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { podSpec: { terminationGracePeriodSeconds: 1 } })
      await cluster.patch(deploymentAddress, { spec: { paused: true } })
      await advanceOneSecond(cluster)
      await cluster.patch(deploymentAddress, resize(9))
      await advanceOneSecond(cluster)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([9])
      await markReady(cluster, await podsOf(cluster))
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status).toMatchObject({
        replicas: 9,
        availableReplicas: 9
      })
      expect(conditionText(await cluster.get(deploymentAddress), "Progressing")).toBe(
        "Unknown DeploymentPaused"
      )
    }))
})

describe("a Deployment without progress", () => {
  it("sets ProgressDeadlineExceeded after its deadline, until it is complete (TestFailedDeployment)", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(aDeployment({ spec: { progressDeadlineSeconds: 3 } }))
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status.updatedReplicas).toBe(1)
      expect(conditionText(await cluster.get(deploymentAddress), "Progressing")).toBe(
        "True ReplicaSetUpdated"
      )
      await cluster.advance("5s")
      expect(conditionText(await cluster.get(deploymentAddress), "Progressing")).toBe(
        "False ProgressDeadlineExceeded"
      )
      expect(conditionText(await completeRollout(cluster), "Progressing")).toBe("True NewReplicaSetAvailable")
    }))

  it("is Available when enough Pods have been ready for minReadySeconds (TestDeploymentAvailableCondition)", () =>
    inManualCluster(async (cluster) => {
      const spec = { minReadySeconds: 3600, progressDeadlineSeconds: 7200 }
      await cluster.create(aDeployment({ replicas: 10, spec }))
      await advanceOneSecond(cluster)
      const all = { replicas: 10, updatedReplicas: 10 }
      expect((await cluster.get(deploymentAddress)).status).toMatchObject({ ...all, unavailableReplicas: 10 })
      expect(conditionText(await cluster.get(deploymentAddress), "Available")).toBe(
        "False MinimumReplicasUnavailable"
      )

      await markReady(cluster, await podsOf(cluster))
      await advanceOneSecond(cluster)
      const { status } = await cluster.get(deploymentAddress)
      expect(status).toMatchObject({ ...all, readyReplicas: 10, unavailableReplicas: 10 })
      expect(status.availableReplicas ?? 0).toBe(0)
      expect(conditionText(await cluster.get(deploymentAddress), "Available")).toBe(
        "False MinimumReplicasUnavailable"
      )

      await cluster.patch(deploymentAddress, { spec: { minReadySeconds: 1 } })
      await cluster.advance("2s")
      const later = (await cluster.get(deploymentAddress)).status
      expect(later).toMatchObject({ ...all, readyReplicas: 10, availableReplicas: 10 })
      expect(later.unavailableReplicas ?? 0).toBe(0)
      expect(conditionText(await cluster.get(deploymentAddress), "Available")).toBe(
        "True MinimumReplicasAvailable"
      )
    }))
})

describe("a change of spec.replicas", () => {
  const isSized = async (cluster: OpenCluster, replicas: number): Promise<void> => {
    await cluster.patch(deploymentAddress, resize(replicas))
    await advanceOneSecond(cluster)
    expect(sizesOf(await replicaSetsOf(cluster))).toEqual([replicas])
  }

  it("reaches the ReplicaSet of a Recreate Deployment, and any other change is observed (TestSpecReplicasChange)", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(aDeployment({ spec: { strategy: { type: "Recreate" } } }))
      await advanceOneSecond(cluster)
      for (const replicas of [2, 0, 1]) await isSized(cluster, replicas)
      const { metadata } = await cluster.get(deploymentAddress)
      await cluster.patch(deploymentAddress, { spec: { revisionHistoryLimit: 4 } })
      await advanceOneSecond(cluster)
      const later = await cluster.get(deploymentAddress)
      expect(later.metadata.generation).toBe((metadata.generation ?? 0) + 1)
      expect(later.status.observedGeneration).toBe(later.metadata.generation)
    }))

  it("up and down to 0 creates and deletes the Pods (TestDeploymentScaleSubresource)", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 2 })
      for (const replicas of [3, 0]) {
        await isSized(cluster, replicas)
        expect(await podsOf(cluster)).toHaveLength(replicas)
      }
      expect(rolloutStatus(await cluster.get(deploymentAddress)).state).toBe("complete")
    }))
})

describe("terminating Pods", () => {
  const podSpec = { nodeName: "node-2" }

  it("are counted in terminatingReplicas until they are gone (TestTerminatingReplicasDeploymentStatus)", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 5, podSpec })
      await cluster.patch(deploymentAddress, resize(3))
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status).toMatchObject({
        replicas: 3,
        terminatingReplicas: 2
      })
      const stopping = (await podsOf(cluster)).filter(({ metadata }) => metadata.deletionTimestamp)
      expect(stopping).toHaveLength(2)
      for (const { metadata } of stopping) {
        await cluster.delete({ resource: resources.pods, name: metadata.name }, { gracePeriodSeconds: 0 })
      }
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status).toMatchObject({
        replicas: 3,
        terminatingReplicas: 0
      })
    }))

  it("keep Recreate waiting until the last of them is gone (TestRecreateDeploymentForPodReplacement)", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 3, podSpec, spec: { strategy: { type: "Recreate" } } })
      await cluster.patch(deploymentAddress, anImage("v2"))
      await advanceOneSecond(cluster)
      const old = await podsOf(cluster)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([0])
      for (const [gone, { metadata }] of old.entries()) {
        expect((await podsOf(cluster)).length).toBe(3 - gone)
        await cluster.delete({ resource: resources.pods, name: metadata.name }, { gracePeriodSeconds: 0 })
        await advanceOneSecond(cluster)
      }
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([0, 3])
      expect((await completeRollout(cluster)).status).toMatchObject({ replicas: 3, updatedReplicas: 3 })
    }))

  it("do not keep Recreate from replacing a Pod that a client deleted (TestRecreateDeploymentForPodReplacement)", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 3, podSpec, spec: { strategy: { type: "Recreate" } } })
      const [first] = await podsOf(cluster)
      await cluster.delete({ resource: resources.pods, name: first?.metadata.name ?? "" })
      await advanceOneSecond(cluster)
      const pods = await podsOf(cluster)
      expect([pods.length, pods.filter(isPodReady).length]).toEqual([4, 3])
      expect((await cluster.get(deploymentAddress)).status).toMatchObject({
        replicas: 3,
        terminatingReplicas: 1
      })
    }))
})
