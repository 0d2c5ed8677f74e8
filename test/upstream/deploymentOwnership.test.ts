import { describe, expect, it } from "vitest"
import { aManifest } from "../builders.ts"
import { resources } from "../../src/index.ts"
import { newReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import {
  desiredReplicasAnnotation,
  revisionHistoryAnnotation
} from "../../src/kubernetes/apps/revisions/revisions.ts"
import {
  aDeployment,
  anImage,
  aReplicaSet,
  completeRollout,
  inManualCluster,
  addressOf,
  ownerOf,
  podsOf,
  replicaSetOf,
  replicaSetsOf,
  revisionOf,
  createRolledOut,
  replicaSetAddress,
  advanceOneSecond,
  deploymentAddress
} from "./manualCluster.ts"
import type { OpenCluster, ReplicaSet } from "../../src/index.ts"

/** Source: test/integration/deployment/deployment_test.go, pkg/controller/deployment/sync.go. */

const onlyReplicaSet = async (cluster: OpenCluster): Promise<ReplicaSet> => {
  const [only, ...others] = await replicaSetsOf(cluster)
  if (only === undefined || others.length > 0) throw new Error(`${others.length + 1} ReplicaSets`)
  return only
}

describe("the name of a new ReplicaSet that is taken", () => {
  it("by its own ReplicaSet of another template raises collisionCount (TestDeploymentHashCollision)", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(aDeployment())
      await advanceOneSecond(cluster)
      const changed = { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } }
      await cluster.patch(addressOf(await onlyReplicaSet(cluster)), changed)
      await advanceOneSecond(cluster)
      expect((await cluster.get(deploymentAddress)).status.collisionCount).toBe(1)
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("2")
      expect(await replicaSetsOf(cluster)).toHaveLength(2)
      await completeRollout(cluster)
    }))

  it("by a ReplicaSet of another owner is left alone, and another name is used", () =>
    inManualCluster(async (cluster) => {
      const { metadata } = await createRolledOut(cluster, { replicas: 2 })
      const name = newReplicaSetName({ ...(await cluster.get(deploymentAddress)), status: {} })
      await cluster.delete(deploymentAddress, { propagationPolicy: "Foreground" })
      await cluster.settle()
      await cluster.create(aReplicaSet({ name, labels: { app: "other" }, replicas: 3 }))
      await cluster.create(aDeployment({ replicas: 2 }))
      const again = await completeRollout(cluster)
      expect(again.metadata.uid).not.toBe(metadata.uid)
      expect(again.status.collisionCount).toBe(1)
      expect(revisionOf(again)).toBe("1")
      const stranger = await cluster.get({ ...replicaSetAddress, name })
      expect([stranger.metadata.ownerReferences, stranger.spec.replicas]).toEqual([undefined, 3])
      expect(again.status.replicas).toBe(2)
    }))
})

describe("two Deployments with one selector", () => {
  it("have a ReplicaSet each, and scaling one does not touch the other's (TestOverlappingDeployments)", () =>
    inManualCluster(async (cluster) => {
      const first = await createRolledOut(cluster, { name: "first" })
      const second = await createRolledOut(cluster, { name: "second" })
      await cluster.patch({ ...deploymentAddress, name: "first" }, { spec: { replicas: 2 } })
      await completeRollout(cluster, "first")
      const sizes = (await replicaSetsOf(cluster)).map((it) => `${ownerOf(it)} ${it.spec.replicas}`)
      expect(new Set(sizes)).toEqual(new Set([`${first.metadata.uid} 2`, `${second.metadata.uid} 1`]))
    }))
})

describe("a ReplicaSet without a controller", () => {
  const rows = [
    {
      why: "an owner that is no controller stays beside the Deployment",
      reference: { apiVersion: "v1", kind: "ConfigMap", name: "settings", controller: false },
      isOwn: false,
      references: 2
    },
    {
      why: "the Deployment's own reference becomes the controller reference",
      reference: { apiVersion: "apps/v1", kind: "Deployment", name: "web", controller: false },
      isOwn: true,
      references: 1
    }
  ]
  it.each(rows)("is adopted, and $why (TestGeneralReplicaSetAdoption)", ({ reference, isOwn, references }) =>
    inManualCluster(async (cluster) => {
      const { metadata } = await createRolledOut(cluster)
      const other = await cluster.create(aManifest("ConfigMap", { name: "settings" }))
      const uid = isOwn ? metadata.uid : other.metadata.uid
      const { name } = (await onlyReplicaSet(cluster)).metadata
      await cluster.patch(
        { ...replicaSetAddress, name },
        { metadata: { ownerReferences: [{ ...reference, uid }] } }
      )
      await advanceOneSecond(cluster)
      const adopted = await onlyReplicaSet(cluster)
      expect(ownerOf(adopted)).toBe(metadata.uid)
      expect(adopted.metadata.ownerReferences).toHaveLength(references)
      // A new reference comes first: so a strategic merge patch leaves a list.
      expect(adopted.metadata.ownerReferences?.[0]).toEqual({
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "web",
        uid: metadata.uid,
        controller: true,
        blockOwnerDeletion: true
      })
    })
  )

  it("is adopted without the hash label as it is", () =>
    inManualCluster(async (cluster) => {
      await cluster.create(aReplicaSet({ replicas: 2 }))
      await advanceOneSecond(cluster)
      const pods = (await podsOf(cluster)).map(({ metadata }) => metadata.uid)
      await createRolledOut(cluster, { replicas: 2 })
      const { metadata, spec } = await onlyReplicaSet(cluster)
      expect([metadata.name, metadata.labels, spec.selector]).toEqual([
        "rs",
        { app: "web" },
        { matchLabels: { app: "web" } }
      ])
      expect(spec.template.metadata?.labels?.[templateHashLabel]).toBeUndefined()
      expect(metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "1" })
      expect((await podsOf(cluster)).map((pod) => pod.metadata.uid)).toEqual(pods)
    }))
})

describe("a ReplicaSet whose labels no longer match", () => {
  it("is released, replaced under another name, and adopted when they match again (TestReplicaSetOrphaningAndAdoptionWhenLabelsChange)", () =>
    inManualCluster(async (cluster) => {
      const { metadata } = await createRolledOut(cluster)
      const former = await onlyReplicaSet(cluster)
      expect(ownerOf(former)).toBe(metadata.uid)

      await cluster.patch(addressOf(former), { metadata: { labels: { app: null, role: "retired" } } })
      await advanceOneSecond(cluster)
      expect(
        (await cluster.get({ ...replicaSetAddress, name: former.metadata.name })).metadata.ownerReferences
      ).toBeUndefined()
      const [, replacement, ...others] = await replicaSetsOf(cluster)
      expect(others).toEqual([])
      expect(replacement?.metadata.uid).not.toBe(former.metadata.uid)
      expect(replacement === undefined ? undefined : ownerOf(replacement)).toBe(metadata.uid)
      expect((await cluster.get(deploymentAddress)).status.collisionCount).toBe(1)

      await cluster.patch(addressOf(former), { metadata: { labels: { app: "web" } } })
      await advanceOneSecond(cluster)
      expect(ownerOf(await cluster.get({ ...replicaSetAddress, name: former.metadata.name }))).toBe(
        metadata.uid
      )
      // Both have the template: the oldest counts as new, the other is scaled down.
      await completeRollout(cluster)
      expect((await replicaSetsOf(cluster)).map(({ spec }) => spec.replicas)).toEqual([1, 0])
    }))
})

describe("a ReplicaSet that a client changes", () => {
  it("is created again under its name, with the next revision, when it is deleted", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 3 })
      await cluster.patch(deploymentAddress, anImage("v2"))
      await completeRollout(cluster)
      const deleted = await replicaSetOf(cluster, "v2")
      const pods = await podsOf(cluster)
      await cluster.delete(addressOf(deleted))
      await completeRollout(cluster)
      const again = await replicaSetOf(cluster, "v2")
      expect(again.metadata.name).toBe(deleted.metadata.name)
      expect(again.metadata.uid).not.toBe(deleted.metadata.uid)
      // One more than the old ReplicaSet's revision.
      expect(revisionOf(again)).toBe("2")
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("2")
      const formerPods = (await podsOf(cluster)).filter((pod) =>
        pods.some((it) => it.metadata.uid === pod.metadata.uid)
      )
      expect(formerPods).toEqual([])
    }))

  it.each([{ replicas: 7 }, { replicas: 1 }])(
    "is scaled back when a client scales it to $replicas",
    ({ replicas }) =>
      inManualCluster(async (cluster) => {
        await createRolledOut(cluster, { replicas: 3 })
        await cluster.patch(addressOf(await onlyReplicaSet(cluster)), { spec: { replicas } })
        await completeRollout(cluster)
        expect((await onlyReplicaSet(cluster)).spec.replicas).toBe(3)
        expect(await podsOf(cluster)).toHaveLength(3)
      })
  )

  it("is scaled back to 0 when it is an old one that a client scales up", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 3 })
      await cluster.patch(deploymentAddress, anImage("v2"))
      await completeRollout(cluster)
      const old = await replicaSetOf(cluster, "v1")
      await cluster.patch(addressOf(old), { spec: { replicas: 2 } })
      await completeRollout(cluster)
      expect((await replicaSetsOf(cluster)).map(({ spec }) => spec.replicas)).toEqual([0, 3])
      expect((await podsOf(cluster)).map(ownerOf)).not.toContain(old.metadata.uid)
    }))
})

describe("the annotations of a Deployment", () => {
  const annotate = (cluster: OpenCluster, annotations: object) =>
    cluster.patch(deploymentAddress, { metadata: { annotations } })

  it("are copied to the ReplicaSet, empty ones too, and stay there when the Deployment loses them", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster)
      await annotate(cluster, { team: "shop", empty: "", "kubernetes.io/change-cause": "begun" })
      await advanceOneSecond(cluster)
      const arrived = { team: "shop", empty: "", "kubernetes.io/change-cause": "begun" }
      expect((await onlyReplicaSet(cluster)).metadata.annotations).toMatchObject(arrived)
      await annotate(cluster, { team: null, empty: null, "kubernetes.io/change-cause": "renamed" })
      await advanceOneSecond(cluster)
      const changed = { ...arrived, "kubernetes.io/change-cause": "renamed" }
      expect((await onlyReplicaSet(cluster)).metadata.annotations).toMatchObject(changed)
    }))

  it("that belong to one object are not copied", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 3 })
      await annotate(cluster, { [desiredReplicasAnnotation]: "8", [revisionHistoryAnnotation]: "4,5" })
      await advanceOneSecond(cluster)
      const { metadata, spec } = await onlyReplicaSet(cluster)
      expect(metadata.annotations).toMatchObject({ [desiredReplicasAnnotation]: "3" })
      expect(metadata.annotations).not.toHaveProperty([revisionHistoryAnnotation])
      expect(spec.replicas).toBe(3)
    }))

  it("tell the change cause of each revision, and a revision that comes back has its former number in the history", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster)
      for (const version of ["v2", "v3", "v2"]) {
        const annotations = { "kubernetes.io/change-cause": `to ${version}` }
        await cluster.patch(deploymentAddress, { ...anImage(version), metadata: { annotations } })
        await completeRollout(cluster)
      }
      const history = (await replicaSetsOf(cluster)).map(({ metadata: { annotations } }) =>
        ["deployment.kubernetes.io/revision", revisionHistoryAnnotation, "kubernetes.io/change-cause"].map(
          (name) => annotations?.[name]
        )
      )
      expect(history).toEqual([
        ["1", undefined, undefined],
        ["4", "2", "to v2"],
        ["3", undefined, "to v3"]
      ])
      expect(revisionOf(await cluster.get(deploymentAddress))).toBe("4")
    }))
})

describe("a Deployment that is being deleted", () => {
  it("neither adopts, nor releases, nor creates ReplicaSets", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { replicas: 2, metadata: { finalizers: ["example.com/hold"] } })
      const own = await onlyReplicaSet(cluster)
      await cluster.delete(deploymentAddress, { propagationPolicy: "Orphan" })
      await cluster.settle()
      const dying = await cluster.get(deploymentAddress)
      expect(dying.metadata.finalizers).toEqual(["example.com/hold"])
      await cluster.create(aReplicaSet())
      await cluster.patch(deploymentAddress, anImage("v2"))
      await cluster.settle()
      const present = await replicaSetsOf(cluster)
      expect(present.map(({ metadata }) => [metadata.name, metadata.ownerReferences])).toEqual(
        expect.arrayContaining([
          ["rs", undefined],
          [own.metadata.name, undefined]
        ])
      )
      expect(present).toHaveLength(2)
      expect((await cluster.list(resources.pods)).items).toHaveLength(3)
      expect((await cluster.get(deploymentAddress)).status.observedGeneration).toBe(
        (await cluster.get(deploymentAddress)).metadata.generation
      )
    }))

  it("keeps a ReplicaSet that no longer matches", () =>
    inManualCluster(async (cluster) => {
      await createRolledOut(cluster, { metadata: { finalizers: ["example.com/hold"] } })
      await cluster.delete(deploymentAddress, { propagationPolicy: "Background" })
      await advanceOneSecond(cluster)
      const own = await onlyReplicaSet(cluster)
      await cluster.patch(addressOf(own), { metadata: { labels: { app: "retired" } } })
      await advanceOneSecond(cluster)
      expect(ownerOf(await onlyReplicaSet(cluster))).toBe((await cluster.get(deploymentAddress)).metadata.uid)
    }))
})
