import { describe, expect, it } from "vitest"
import { Invalid, resources, rolloutStatus } from "../../src/index.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import { desiredReplicasAnnotation } from "../../src/kubernetes/apps/revisions/revisions.ts"
import { isPodReady } from "../../src/kubernetes/pods/podState.ts"
import {
  aDeployment,
  anImage,
  completes,
  imageOf,
  inWorld,
  markReady,
  podsOf,
  replicaSetOf,
  replicaSetsOf,
  revisionOf,
  rolledOut,
  saying,
  soon,
  web
} from "./world.ts"
import type { OpenCluster, ReplicaSet } from "../../src/index.ts"

/** Source of the stories: test/integration/deployment/deployment_test.go. */

const resize = (replicas: number): object => ({ spec: { replicas } })
const sizesOf = (replicaSets: ReadonlyArray<ReplicaSet>): ReadonlyArray<number> =>
  replicaSets.map(({ spec }) => spec.replicas)

/** How many its Deployment wants, as a ReplicaSet remembers it. */
const desiredOf = ({ metadata }: ReplicaSet): string | undefined =>
  metadata.annotations?.[desiredReplicasAnnotation]

/** The worst that the ReplicaSets said, from now on, of all there are: too many asked for, too few available. */
const watchExtremes = async (cluster: OpenCluster): Promise<{ asked: number; available: number }> => {
  const extremes = { asked: 0, available: Infinity }
  const known = new Map((await replicaSetsOf(cluster)).map((it) => [it.metadata.uid, it]))
  cluster.onChange(({ resource, object, type }) => {
    if (resource !== resources.replicaSets) return
    if (type === "DELETED") known.delete(object.metadata.uid)
    else known.set(object.metadata.uid, object as ReplicaSet)
    const sum = (of: (it: ReplicaSet) => number): number =>
      [...known.values()].reduce((all, it) => all + of(it), 0)
    extremes.asked = Math.max(
      extremes.asked,
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
  it("whose Pods are ready at once says that it is available, then that it is complete", () =>
    inWorld(
      async (cluster) => {
        await cluster.apply(aDeployment({ replicas: 3 }))
        const { status } = await completes(cluster)
        expect(status.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
          "Available MinimumReplicasAvailable",
          "Progressing NewReplicaSetAvailable"
        ])
      },
      { behaviour: "instant" }
    ))

  it("hands its annotations, but not kubectl's own, to a ReplicaSet named for its hash (TestNewDeployment)", () =>
    inWorld(async (cluster) => {
      const annotations = { test: "travels", "kubectl.kubernetes.io/last-applied-configuration": "stays" }
      await rolledOut(cluster, { replicas: 19, metadata: { annotations }, spec: { minReadySeconds: 4 } })
      const [only, ...others] = await replicaSetsOf(cluster)
      expect(others).toEqual([])
      expect(only?.metadata.annotations).toMatchObject({ test: "travels" })
      expect(Object.values(only?.metadata.annotations ?? {})).not.toContain("stays")
      expect(revisionOf(await cluster.get(web))).toBe("1")

      const hash = only?.metadata.labels?.[templateHashLabel]
      expect(only?.metadata.name).toBe(`web-${hash}`)
      expect(only?.spec.selector.matchLabels?.[templateHashLabel]).toBe(hash)
      expect(only?.spec.template.metadata?.labels?.[templateHashLabel]).toBe(hash)
      const pods = await podsOf(cluster)
      expect(pods.map(({ metadata }) => metadata.labels?.[templateHashLabel])).toEqual(Array(19).fill(hash))
    }))

  it("has a selector that cannot be changed (TestDeploymentSelectorImmutability)", () =>
    inWorld(async (cluster) => {
      await cluster.create(aDeployment({ replicas: 20 }))
      const matchLabels = { app: null, tier: "front" }
      const change = { spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels } } } }
      const refused = cluster.patch(web, change)
      await expect(refused).rejects.toBeInstanceOf(Invalid)
      await expect(refused).rejects.toThrow(/spec\.selector: Invalid value: .*: field is immutable/)
      expect((await cluster.get(web)).spec.selector).toEqual({ matchLabels: { app: "web" } })
    }))
})

describe("a rolling update", () => {
  it("keeps to its bounds, and one that is rolled over leaves no Pods behind (TestDeploymentRollingUpdate)", () =>
    inWorld(async (cluster) => {
      const rollingUpdate = { maxSurge: "25%", maxUnavailable: "25%" }
      const strategy = { type: "RollingUpdate", rollingUpdate }
      await rolledOut(cluster, { replicas: 19, spec: { minReadySeconds: 4, strategy } })
      expect(revisionOf(await cluster.get(web))).toBe("1")

      // 25 % of 19 is 4.75: 5 more than that, and 4 fewer.
      const extremes = await watchExtremes(cluster)
      await cluster.patch(web, anImage("v2"))
      expect(revisionOf(await completes(cluster))).toBe("2")
      expect(extremes).toEqual({ asked: 24, available: 15 })

      await cluster.patch(web, anImage("unfinished"))
      await soon(cluster)
      expect(revisionOf(await cluster.get(web))).toBe("3")
      await cluster.patch(web, anImage("rollover"))
      await soon(cluster)
      expect(revisionOf(await cluster.get(web))).toBe("4")
      await completes(cluster)
      expect(extremes).toEqual({ asked: 24, available: 15 })
      const old = (await replicaSetsOf(cluster)).filter((it) => !imageOf(it).endsWith(":rollover"))
      expect(sizesOf(old)).toEqual([0, 0, 0])
    }))

  it("with a new size takes both on, and every ReplicaSet remembers the size (TestScaledRolloutDeployment)", () =>
    inWorld(async (cluster) => {
      const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 }
      await rolledOut(cluster, { replicas: 10, spec: { strategy: { rollingUpdate } } })

      await cluster.patch(web, anImage("v2"))
      await soon(cluster)
      expect((await cluster.get(web)).status.availableReplicas).toBeGreaterThanOrEqual(8)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([8, 5])
      await cluster.patch(web, { spec: { replicas: 20, ...anImageSpec("v3") } })
      expect(revisionOf(await completes(cluster))).toBe("3")
      expect((await replicaSetsOf(cluster)).map(desiredOf)).toEqual(["20", "20", "20"])

      await cluster.patch(web, anImage("v4"))
      await soon(cluster)
      expect((await cluster.get(web)).status.availableReplicas).toBeGreaterThanOrEqual(18)
      await cluster.patch(web, { spec: { replicas: 5, ...anImageSpec("v5") } })
      expect(revisionOf(await completes(cluster))).toBe("5")
      const last = ["v3", "v4", "v5"].map((version) => replicaSetOf(cluster, version))
      expect((await Promise.all(last)).map(desiredOf)).toEqual(["5", "5", "5"])
    }))

  it("makes new Pods while old ones still terminate (TestRollingUpdateAndProportionalScalingForDeploymentPodReplacement)", () =>
    inWorld(async (cluster) => {
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 }
      const podSpec = { nodeName: "node-1" }
      await rolledOut(cluster, { replicas: 3, podSpec, spec: { strategy: { rollingUpdate } } })
      await cluster.patch(web, anImage("v2"))
      expect((await completes(cluster)).status).toMatchObject({ replicas: 3, terminatingReplicas: 3 })
      // More than 3 + 1, for nobody ends those that were told to stop.
      expect(await podsOf(cluster)).toHaveLength(6)
    }))

  it("shares out a new size as if terminating Pods were gone (TestRollingUpdateAndProportionalScalingForDeploymentPodReplacement)", () =>
    inWorld(async (cluster) => {
      const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 }
      const podSpec = { nodeName: "node-1" }
      await rolledOut(cluster, { replicas: 10, podSpec, spec: { strategy: { rollingUpdate } } })
      await cluster.patch(web, anImage("v2"))
      await soon(cluster)
      expect((await cluster.get(web)).status).toMatchObject({ replicas: 13, terminatingReplicas: 2 })
      await cluster.patch(web, resize(15))
      await soon(cluster)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([11, 7])
      expect((await cluster.get(web)).status).toMatchObject({ replicas: 18, terminatingReplicas: 2 })
    }))
})

/** The spec of a patch to another image. */
const anImageSpec = (version: string): object => (anImage(version) as { readonly spec: object }).spec

describe("a paused Deployment", () => {
  it("makes no ReplicaSet until it is resumed, and none of a new template after that (TestPausedDeployment)", () =>
    inWorld(async (cluster) => {
      const podSpec = { terminationGracePeriodSeconds: 1 }
      await cluster.create(aDeployment({ podSpec, spec: { paused: true } }))
      await soon(cluster)
      expect((await cluster.get(web)).status.observedGeneration).toBe(1)
      expect(await replicaSetsOf(cluster)).toEqual([])

      await cluster.patch(web, { spec: { paused: false } })
      expect(revisionOf(await completes(cluster))).toBe("1")
      await cluster.patch(web, { spec: { paused: true } })
      await soon(cluster)
      await cluster.patch(web, { spec: { template: { spec: { terminationGracePeriodSeconds: 0 } } } })
      await soon(cluster)
      const { metadata, status } = await cluster.get(web)
      expect(status.observedGeneration).toBe(metadata.generation)
      expect(status.updatedReplicas).toBeUndefined()
      const graces = (await replicaSetsOf(cluster)).map(({ spec }) => spec.template.spec)
      expect(graces.map((spec) => spec?.terminationGracePeriodSeconds)).toEqual([1])
    }))

  it("follows a change of its size (TestScalePausedDeployment)", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { podSpec: { terminationGracePeriodSeconds: 1 } })
      await cluster.patch(web, { spec: { paused: true } })
      await soon(cluster)
      await cluster.patch(web, resize(9))
      await soon(cluster)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([9])
      await markReady(cluster, await podsOf(cluster))
      await soon(cluster)
      expect((await cluster.get(web)).status).toMatchObject({ replicas: 9, availableReplicas: 9 })
      expect(saying(await cluster.get(web), "Progressing")).toBe("Unknown DeploymentPaused")
    }))
})

describe("a Deployment that gets nowhere", () => {
  it("says so after its deadline and takes it back when it is complete (TestFailedDeployment)", () =>
    inWorld(async (cluster) => {
      await cluster.create(aDeployment({ spec: { progressDeadlineSeconds: 3 } }))
      await soon(cluster)
      expect((await cluster.get(web)).status.updatedReplicas).toBe(1)
      expect(saying(await cluster.get(web), "Progressing")).toBe("True ReplicaSetUpdated")
      await cluster.advance("5s")
      expect(saying(await cluster.get(web), "Progressing")).toBe("False ProgressDeadlineExceeded")
      expect(saying(await completes(cluster), "Progressing")).toBe("True NewReplicaSetAvailable")
    }))

  it("is available when as many Pods as it may not miss were ready for long enough (TestDeploymentAvailableCondition)", () =>
    inWorld(async (cluster) => {
      const spec = { minReadySeconds: 3600, progressDeadlineSeconds: 7200 }
      await cluster.create(aDeployment({ replicas: 10, spec }))
      await soon(cluster)
      const all = { replicas: 10, updatedReplicas: 10 }
      expect((await cluster.get(web)).status).toMatchObject({ ...all, unavailableReplicas: 10 })
      expect(saying(await cluster.get(web), "Available")).toBe("False MinimumReplicasUnavailable")

      await markReady(cluster, await podsOf(cluster))
      await soon(cluster)
      const { status } = await cluster.get(web)
      expect(status).toMatchObject({ ...all, readyReplicas: 10, unavailableReplicas: 10 })
      expect(status.availableReplicas ?? 0).toBe(0)
      expect(saying(await cluster.get(web), "Available")).toBe("False MinimumReplicasUnavailable")

      await cluster.patch(web, { spec: { minReadySeconds: 1 } })
      await cluster.advance("2s")
      const later = (await cluster.get(web)).status
      expect(later).toMatchObject({ ...all, readyReplicas: 10, availableReplicas: 10 })
      expect(later.unavailableReplicas ?? 0).toBe(0)
      expect(saying(await cluster.get(web), "Available")).toBe("True MinimumReplicasAvailable")
    }))
})

describe("a change of size", () => {
  const isSized = async (cluster: OpenCluster, replicas: number): Promise<void> => {
    await cluster.patch(web, resize(replicas))
    await soon(cluster)
    expect(sizesOf(await replicaSetsOf(cluster))).toEqual([replicas])
  }

  it("reaches the ReplicaSet of a Recreate Deployment, and any other change is observed (TestSpecReplicasChange)", () =>
    inWorld(async (cluster) => {
      await cluster.create(aDeployment({ spec: { strategy: { type: "Recreate" } } }))
      await soon(cluster)
      for (const replicas of [2, 0, 1]) await isSized(cluster, replicas)
      const { metadata } = await cluster.get(web)
      await cluster.patch(web, { spec: { revisionHistoryLimit: 4 } })
      await soon(cluster)
      const later = await cluster.get(web)
      expect(later.metadata.generation).toBe((metadata.generation ?? 0) + 1)
      expect(later.status.observedGeneration).toBe(later.metadata.generation)
    }))

  it("up and down to nothing is followed to the last Pod (TestDeploymentScaleSubresource)", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 2 })
      for (const replicas of [3, 0]) {
        await isSized(cluster, replicas)
        expect(await podsOf(cluster)).toHaveLength(replicas)
      }
      expect(rolloutStatus(await cluster.get(web)).state).toBe("complete")
    }))
})

describe("Pods that are told to stop", () => {
  const podSpec = { nodeName: "node-2" }

  it("are counted apart until they are gone (TestTerminatingReplicasDeploymentStatus)", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 5, podSpec })
      await cluster.patch(web, resize(3))
      await soon(cluster)
      expect((await cluster.get(web)).status).toMatchObject({ replicas: 3, terminatingReplicas: 2 })
      const stopping = (await podsOf(cluster)).filter(({ metadata }) => metadata.deletionTimestamp)
      expect(stopping).toHaveLength(2)
      for (const { metadata } of stopping) {
        await cluster.delete({ resource: resources.pods, name: metadata.name }, { gracePeriodSeconds: 0 })
      }
      await soon(cluster)
      expect((await cluster.get(web)).status).toMatchObject({ replicas: 3, terminatingReplicas: 0 })
    }))

  it("keep Recreate waiting till the last of them is gone (TestRecreateDeploymentForPodReplacement)", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 3, podSpec, spec: { strategy: { type: "Recreate" } } })
      await cluster.patch(web, anImage("v2"))
      await soon(cluster)
      const old = await podsOf(cluster)
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([0])
      for (const [gone, { metadata }] of old.entries()) {
        expect((await podsOf(cluster)).length).toBe(3 - gone)
        await cluster.delete({ resource: resources.pods, name: metadata.name }, { gracePeriodSeconds: 0 })
        await soon(cluster)
      }
      expect(sizesOf(await replicaSetsOf(cluster))).toEqual([0, 3])
      expect((await completes(cluster)).status).toMatchObject({ replicas: 3, updatedReplicas: 3 })
    }))

  it("do not keep Recreate from replacing a Pod that was deleted by hand (TestRecreateDeploymentForPodReplacement)", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 3, podSpec, spec: { strategy: { type: "Recreate" } } })
      const [first] = await podsOf(cluster)
      await cluster.delete({ resource: resources.pods, name: first?.metadata.name ?? "" })
      await soon(cluster)
      const pods = await podsOf(cluster)
      expect([pods.length, pods.filter(isPodReady).length]).toEqual([4, 3])
      expect((await cluster.get(web)).status).toMatchObject({ replicas: 3, terminatingReplicas: 1 })
    }))
})
