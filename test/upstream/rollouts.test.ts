import { describe, expect, it } from "vitest"
import { resources, rolloutStatus } from "../../src/index.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import {
  aDeployment,
  anImage,
  aReplicaSet,
  completeRollout,
  imageOf,
  inManualCluster,
  markReady,
  ownerOf,
  podsOf,
  replicaSetOf,
  replicaSetsOf,
  revisionOf,
  createRolledOut,
  replicaSetAddress,
  conditionText,
  setPhase,
  advanceOneSecond,
  deploymentAddress
} from "./manualCluster.ts"
import type { OpenCluster, Pod } from "../../src/index.ts"

/** Source: test/e2e/apps/deployment.go. */

const sizesOf = async (cluster: OpenCluster): Promise<ReadonlyArray<number>> =>
  (await replicaSetsOf(cluster)).map(({ spec }) => spec.replicas)

/** A ReplicaSet without a Deployment, its Pods ready. */
const beganAsReplicaSet = async (cluster: OpenCluster, options: Parameters<typeof aReplicaSet>[0]) => {
  await cluster.create(aReplicaSet(options))
  await advanceOneSecond(cluster)
  await markReady(cluster, await podsOf(cluster))
  await advanceOneSecond(cluster)
}

describe("a rollout", () => {
  it("continues from the revision of an adopted ReplicaSet, however large (RollingUpdateDeployment should delete old pods and create new ones)", () =>
    inManualCluster(async (cluster) => {
      const annotations = { "deployment.kubernetes.io/revision": "3546343826724305832" }
      await beganAsReplicaSet(cluster, { metadata: { annotations }, version: "v0" })
      const before = await podsOf(cluster)
      const { metadata } = await createRolledOut(cluster)
      expect(revisionOf(await replicaSetOf(cluster, "v1"))).toBe("3546343826724305833")
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("3546343826724305833")
      const old = await cluster.get(replicaSetAddress)
      expect([ownerOf(old), old.spec.replicas]).toEqual([metadata.uid, 0])
      const after = (await podsOf(cluster)).map((pod) => pod.metadata.uid)
      expect([before.length, after.length]).toEqual([1, 1])
      expect(after).not.toContain(before[0]?.metadata.uid)
    }))

  it("back to an adopted ReplicaSet increments large revisions exactly (TestDeploymentRollingUpdate)", () =>
    inManualCluster(async (cluster) => {
      const annotations = { "deployment.kubernetes.io/revision": "3546343826724305832" }
      await beganAsReplicaSet(cluster, { metadata: { annotations }, version: "v0" })
      await createRolledOut(cluster)
      await cluster.patch(deploymentAddress, anImage("v0"))
      await completeRollout(cluster)
      expect(revisionOf(await cluster.get(replicaSetAddress))).toBe("3546343826724305834")
    }))

  it("never has Pods of two revisions with Recreate (RecreateDeployment should delete old pods and create new ones)", () =>
    inManualCluster(
      async (cluster) => {
        const working = new Map<string, string>()
        let mixed = 0
        cluster.onChange(({ resource, type, object }) => {
          if (resource !== resources.pods) return
          const { metadata, spec } = object as Pod
          if (type === "DELETED") working.delete(metadata.uid)
          else working.set(metadata.uid, spec.containers[0]?.image ?? "")
          if (new Set(working.values()).size > 1) mixed += 1
        })
        await cluster.create(aDeployment({ replicas: 3, spec: { strategy: { type: "Recreate" } } }))
        await cluster.rollout("web")
        await cluster.patch(deploymentAddress, anImage("v2"))
        await advanceOneSecond(cluster)
        expect([...working.values()]).toContain("registry.example/app:v1")
        await cluster.rollout("web")
        expect([mixed, [...working.values()]]).toEqual([0, Array(3).fill("registry.example/app:v2")])
      },
      { behaviour: "steady" }
    ))

  it("deletes old ReplicaSets with revisionHistoryLimit 0 (deployment should delete old replica sets)", () =>
    inManualCluster(async (cluster) => {
      await beganAsReplicaSet(cluster, { version: "v0" })
      let pods = 0
      cluster.onChange(({ resource, type }) => {
        if (resource === resources.pods && type === "ADDED") pods += 1
      })
      await createRolledOut(cluster, { spec: { revisionHistoryLimit: 0 } })
      expect((await replicaSetsOf(cluster)).map(imageOf)).toEqual(["registry.example/app:v1"])
      expect(pods).toBe(1)
    }))

  it("can be superseded by another before it is complete (deployment should support rollover)", () =>
    inManualCluster(async (cluster) => {
      await beganAsReplicaSet(cluster, { version: "v0" })
      const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 }
      const spec = { minReadySeconds: 10, strategy: { rollingUpdate } }
      await cluster.create(aDeployment({ version: "broken", spec }))
      await advanceOneSecond(cluster)
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("1")
      expect(await sizesOf(cluster)).toEqual([1, 1])

      await cluster.patch(deploymentAddress, anImage("v2"))
      // The broken Pod is never ready: marking all Pods ready must not be what ends this.
      for (let second = 0; second < 15; second += 1) {
        await advanceOneSecond(cluster)
        const next = await replicaSetOf(cluster, "v2")
        const unready = (await podsOf(cluster, next)).filter((pod) => pod.status.phase === "Pending")
        await markReady(cluster, unready)
      }
      expect(rolloutStatus(await cluster.get(deploymentAddress)).state).toBe("complete")
      const sizes = (await replicaSetsOf(cluster)).map((it) => [imageOf(it).split(":")[1], it.spec.replicas])
      expect(Object.fromEntries(sizes)).toEqual({ v0: 0, broken: 0, v2: 1 })
    }))

  it("scaled in the middle keeps the proportion of its ReplicaSets (deployment should support proportional scaling)", () =>
    inManualCluster(async (cluster) => {
      const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 }
      await createRolledOut(cluster, { replicas: 10, spec: { strategy: { rollingUpdate } } })
      await cluster.patch(deploymentAddress, anImage("404"))
      await advanceOneSecond(cluster)
      expect(await sizesOf(cluster)).toEqual([8, 5])
      expect((await cluster.get(deploymentAddress)).status.availableReplicas).toBe(8)
      await cluster.patch(deploymentAddress, { spec: { replicas: 30 } })
      await advanceOneSecond(cluster)
      expect(await sizesOf(cluster)).toEqual([20, 13])
      const messages = (
        await cluster.events(await cluster.get(deploymentAddress).then(({ metadata }) => metadata))
      )
        .map(({ message }) => message?.replace(/web-\S+/, "it"))
        .slice(-2)
      expect(messages).toEqual([
        "Scaled up replica set it from 8 to 20",
        "Scaled up replica set it from 5 to 13"
      ])
    }))
})

describe("the deletion of a Deployment", () => {
  it("deletes its ReplicaSets and Pods (deployment reaping should cascade to its replica sets and pods)", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 3 })
      await cluster.delete(deploymentAddress)
      await cluster.settle()
      expect([await replicaSetsOf(cluster), await podsOf(cluster)]).toEqual([[], []])
    }))

  it("with Orphan leaves its ReplicaSet for a Deployment of the same template to adopt (test Deployment ReplicaSet orphaning and adoption regarding controllerRef)", () =>
    inManualCluster(async (cluster) => {
      const first = await createRolledOut(cluster)
      const [before] = await replicaSetsOf(cluster)
      expect([before, ...(await podsOf(cluster))].map((it) => it && ownerOf(it))).toEqual([
        first.metadata.uid,
        before?.metadata.uid
      ])
      await cluster.delete(deploymentAddress, { propagationPolicy: "Orphan" })
      await cluster.settle()
      const [orphan] = await replicaSetsOf(cluster)
      expect(orphan?.metadata.ownerReferences).toBeUndefined()
      expect(await podsOf(cluster, orphan)).toHaveLength(1)

      const second = await createRolledOut(cluster, { name: "adopter" })
      const adopted = await replicaSetsOf(cluster)
      expect(adopted.map(({ metadata }) => metadata.uid)).toEqual([before?.metadata.uid])
      expect(adopted.map(ownerOf)).toEqual([second.metadata.uid])
    }))
})

describe("the status of a Deployment", () => {
  it("keeps a condition that a client wrote (Deployment should validate Deployment Status endpoints)", () =>
    inManualCluster(async (cluster) => {
      const { status } = await createRolledOut(cluster, { replicas: 2 })
      const theirs = { type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a story" }
      const conditions = [...(status.conditions ?? []), theirs]
      await cluster.patch(deploymentAddress, { status: { conditions } }, { status: true })
      await cluster.patch(deploymentAddress, anImage("v2"))
      expect(conditionText(await completeRollout(cluster), "StatusUpdate")).toBe("True E2E")
    }))
})

/** Random numbers from 0 to 1 by seed (mulberry32). */
const chance = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe("twenty changes in a row, some during the rollout before", () => {
  const marks = new Set<string>()

  const changeOnce = async (cluster: OpenCluster, draw: () => number, turn: number): Promise<void> => {
    const lot = draw()
    const deployment = await cluster.get(deploymentAddress)
    const replicas = deployment.spec.replicas
    if (lot < 0.2) {
      marks.add("template")
      await cluster.patch(deploymentAddress, anImage(`turn-${turn}`))
    } else if (lot < 0.4) {
      marks.add("back")
      const annotations = { "deprecated.deployment.rollback.to": "0" }
      await cluster.patch(deploymentAddress, { metadata: { annotations } })
    } else if (lot < 0.6) {
      marks.add("size")
      const wanted = replicas <= 2 || draw() < 0.5 ? replicas + 2 : replicas - 2
      await cluster.patch(deploymentAddress, { spec: { replicas: wanted } })
    } else if (lot < 0.8) {
      const isPaused = deployment.spec.paused === true
      marks.add(isPaused ? "resumed" : "paused")
      await cluster.patch(deploymentAddress, { spec: { paused: !isPaused } })
    } else {
      marks.add("deleted")
      for (const pod of await podsOf(cluster)) {
        if (draw() < 0.5 && !isTerminating(pod)) {
          await cluster.delete({ resource: resources.pods, name: pod.metadata.name })
        }
      }
    }
  }

  it.each([{ seed: 5 }, { seed: 17 }, { seed: 23 }, { seed: 42 }])(
    "end with all Pods of the last template (iterative rollouts should eventually progress), seed $seed",
    ({ seed }) =>
      inManualCluster(async (cluster) => {
        const draw = chance(seed)
        await createRolledOut(cluster, {
          replicas: 6,
          spec: { progressDeadlineSeconds: 30, revisionHistoryLimit: 2 }
        })
        for (let turn = 1; turn <= 20; turn += 1) {
          if (draw() < 0.4) await advanceOneSecond(cluster)
          // Some Pods become ready and one may fail; the next change does not wait for the others.
          const pending = (await podsOf(cluster)).filter(({ status }) => status.phase === "Pending")
          await markReady(cluster, pending.slice(0, Math.ceil(pending.length * draw())))
          const [last] = (await podsOf(cluster)).slice(-1)
          if (last !== undefined && draw() < 0.1) await setPhase(cluster, last, "Failed")
          await changeOnce(cluster, draw, turn)
        }
        await cluster.patch(deploymentAddress, { spec: { paused: false } })
        const { spec, status } = await completeRollout(cluster)
        expect(conditionText(await cluster.get(deploymentAddress), "Progressing")).toBe(
          "True NewReplicaSetAvailable"
        )
        expect(status).toMatchObject({ replicas: spec.replicas, updatedReplicas: spec.replicas })
        const working = (await replicaSetsOf(cluster)).filter((it) => it.spec.replicas > 0)
        expect(working.map(imageOf)).toEqual([imageOf(await cluster.get(deploymentAddress))])
      })
  )

  it("include every kind of change", () => {
    expect([...marks].sort()).toEqual(["back", "deleted", "paused", "resumed", "size", "template"])
  })
})
