import { describe, expect, it } from "vitest"
import { resources } from "../../src/index.ts"
import { nextReplicaSetName } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { templateHashLabel } from "../../src/kubernetes/apps/revisions/podTemplates.ts"
import {
  desiredReplicasAnnotation,
  revisionHistoryAnnotation
} from "../../src/kubernetes/apps/revisions/revisions.ts"
import {
  aDeployment,
  anImage,
  aReplicaSet,
  completes,
  inWorld,
  named,
  ownerOf,
  podsOf,
  replicaSetOf,
  replicaSetsOf,
  revisionOf,
  rolledOut,
  rs,
  soon,
  web
} from "./world.ts"
import type { OpenCluster, ReplicaSet } from "../../src/index.ts"

/** Source of the stories: test/integration/deployment/deployment_test.go, pkg/controller/deployment/sync.go. */

const onlyReplicaSet = async (cluster: OpenCluster): Promise<ReplicaSet> => {
  const [only, ...others] = await replicaSetsOf(cluster)
  if (only === undefined || others.length > 0) throw new Error(`${others.length + 1} ReplicaSets`)
  return only
}

describe("a name that is taken", () => {
  it("by its own ReplicaSet of another template costs a collision and no more (TestDeploymentHashCollision)", () =>
    inWorld(async (cluster) => {
      await cluster.create(aDeployment())
      await soon(cluster)
      const changed = { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } }
      await cluster.patch(named(await onlyReplicaSet(cluster)), changed)
      await soon(cluster)
      expect((await cluster.get(web)).status.collisionCount).toBe(1)
      expect(revisionOf(await cluster.get(web))).toBe("2")
      expect(await replicaSetsOf(cluster)).toHaveLength(2)
      await completes(cluster)
    }))

  it("by a stranger's ReplicaSet is left to the stranger", () =>
    inWorld(async (cluster) => {
      const { metadata } = await rolledOut(cluster, { replicas: 2 })
      const name = nextReplicaSetName({ ...(await cluster.get(web)), status: {} })
      await cluster.delete(web, { propagationPolicy: "Foreground" })
      await cluster.settle()
      await cluster.create(aReplicaSet({ name, labels: { app: "other" }, replicas: 3 }))
      await cluster.create(aDeployment({ replicas: 2 }))
      const again = await completes(cluster)
      expect(again.metadata.uid).not.toBe(metadata.uid)
      expect(again.status.collisionCount).toBe(1)
      expect(revisionOf(again)).toBe("1")
      const stranger = await cluster.get({ ...rs, name })
      expect([stranger.metadata.ownerReferences, stranger.spec.replicas]).toEqual([undefined, 3])
      expect(again.status.replicas).toBe(2)
    }))
})

describe("two Deployments with one selector", () => {
  it("have a ReplicaSet each, and scaling one does not touch the other's (TestOverlappingDeployments)", () =>
    inWorld(async (cluster) => {
      const first = await rolledOut(cluster, { name: "first" })
      const second = await rolledOut(cluster, { name: "second" })
      await cluster.patch({ ...web, name: "first" }, { spec: { replicas: 2 } })
      await completes(cluster, "first")
      const sizes = (await replicaSetsOf(cluster)).map((it) => `${ownerOf(it)} ${it.spec.replicas}`)
      expect(new Set(sizes)).toEqual(new Set([`${first.metadata.uid} 2`, `${second.metadata.uid} 1`]))
    }))
})

describe("a ReplicaSet without a controller", () => {
  const rows = [
    {
      why: "somebody who does not control it stays beside the Deployment",
      reference: { apiVersion: "v1", kind: "ConfigMap", name: "settings", controller: false },
      isOwn: false,
      references: 2
    },
    {
      why: "the Deployment's own reference becomes that of a controller",
      reference: { apiVersion: "apps/v1", kind: "Deployment", name: "web", controller: false },
      isOwn: true,
      references: 1
    }
  ]
  it.each(rows)("is adopted, and $why (TestGeneralReplicaSetAdoption)", ({ reference, isOwn, references }) =>
    inWorld(async (cluster) => {
      const { metadata } = await rolledOut(cluster)
      const other = await cluster.create({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "settings" }
      })
      const uid = isOwn ? metadata.uid : other.metadata.uid
      const { name } = (await onlyReplicaSet(cluster)).metadata
      await cluster.patch({ ...rs, name }, { metadata: { ownerReferences: [{ ...reference, uid }] } })
      await soon(cluster)
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

  it("and without the hash label is used as it is", () =>
    inWorld(async (cluster) => {
      await cluster.create(aReplicaSet({ replicas: 2 }))
      await soon(cluster)
      const pods = (await podsOf(cluster)).map(({ metadata }) => metadata.uid)
      await rolledOut(cluster, { replicas: 2 })
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
  it("is let go, replaced under another name, and adopted when they match again (TestReplicaSetOrphaningAndAdoptionWhenLabelsChange)", () =>
    inWorld(async (cluster) => {
      const { metadata } = await rolledOut(cluster)
      const former = await onlyReplicaSet(cluster)
      expect(ownerOf(former)).toBe(metadata.uid)

      await cluster.patch(named(former), { metadata: { labels: { app: null, role: "retired" } } })
      await soon(cluster)
      expect(
        (await cluster.get({ ...rs, name: former.metadata.name })).metadata.ownerReferences
      ).toBeUndefined()
      const [, replacement, ...others] = await replicaSetsOf(cluster)
      expect(others).toEqual([])
      expect(replacement?.metadata.uid).not.toBe(former.metadata.uid)
      expect(replacement === undefined ? undefined : ownerOf(replacement)).toBe(metadata.uid)
      expect((await cluster.get(web)).status.collisionCount).toBe(1)

      await cluster.patch(named(former), { metadata: { labels: { app: "web" } } })
      await soon(cluster)
      expect(ownerOf(await cluster.get({ ...rs, name: former.metadata.name }))).toBe(metadata.uid)
      // Both have the template: the oldest is the new one, the other has to go.
      await completes(cluster)
      expect((await replicaSetsOf(cluster)).map(({ spec }) => spec.replicas)).toEqual([1, 0])
    }))
})

describe("a ReplicaSet that somebody lays hands on", () => {
  it("is made again under its name, with the next revision, when it is deleted", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 3 })
      await cluster.patch(web, anImage("v2"))
      await completes(cluster)
      const deleted = await replicaSetOf(cluster, "v2")
      const pods = await podsOf(cluster)
      await cluster.delete(named(deleted))
      await completes(cluster)
      const again = await replicaSetOf(cluster, "v2")
      expect(again.metadata.name).toBe(deleted.metadata.name)
      expect(again.metadata.uid).not.toBe(deleted.metadata.uid)
      // One more than that of the old one, which is the revision that was lost.
      expect(revisionOf(again)).toBe("2")
      expect(revisionOf(await cluster.get(web))).toBe("2")
      const kept = (await podsOf(cluster)).filter((pod) =>
        pods.some((it) => it.metadata.uid === pod.metadata.uid)
      )
      expect(kept).toEqual([])
    }))

  it.each([{ replicas: 7 }, { replicas: 1 }])("is put back when it is scaled to $replicas", ({ replicas }) =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 3 })
      await cluster.patch(named(await onlyReplicaSet(cluster)), { spec: { replicas } })
      await completes(cluster)
      expect((await onlyReplicaSet(cluster)).spec.replicas).toBe(3)
      expect(await podsOf(cluster)).toHaveLength(3)
    })
  )

  it("is put back when an old one is scaled up", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 3 })
      await cluster.patch(web, anImage("v2"))
      await completes(cluster)
      const old = await replicaSetOf(cluster, "v1")
      await cluster.patch(named(old), { spec: { replicas: 2 } })
      await completes(cluster)
      expect((await replicaSetsOf(cluster)).map(({ spec }) => spec.replicas)).toEqual([0, 3])
      expect((await podsOf(cluster)).map(ownerOf)).not.toContain(old.metadata.uid)
    }))
})

describe("the annotations of a Deployment", () => {
  const annotate = (cluster: OpenCluster, annotations: object) =>
    cluster.patch(web, { metadata: { annotations } })

  it("arrive at the ReplicaSet, empty ones too, and stay there when the Deployment loses them", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster)
      await annotate(cluster, { team: "shop", empty: "", "kubernetes.io/change-cause": "begun" })
      await soon(cluster)
      const arrived = { team: "shop", empty: "", "kubernetes.io/change-cause": "begun" }
      expect((await onlyReplicaSet(cluster)).metadata.annotations).toMatchObject(arrived)
      await annotate(cluster, { team: null, empty: null, "kubernetes.io/change-cause": "renamed" })
      await soon(cluster)
      const changed = { ...arrived, "kubernetes.io/change-cause": "renamed" }
      expect((await onlyReplicaSet(cluster)).metadata.annotations).toMatchObject(changed)
    }))

  it("that speak of one object alone do not travel", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 3 })
      await annotate(cluster, { [desiredReplicasAnnotation]: "8", [revisionHistoryAnnotation]: "4,5" })
      await soon(cluster)
      const { metadata, spec } = await onlyReplicaSet(cluster)
      expect(metadata.annotations).toMatchObject({ [desiredReplicasAnnotation]: "3" })
      expect(metadata.annotations).not.toHaveProperty([revisionHistoryAnnotation])
      expect(spec.replicas).toBe(3)
    }))

  it("say which change led to which revision, and a revision that comes back keeps its former number", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster)
      for (const version of ["v2", "v3", "v2"]) {
        const annotations = { "kubernetes.io/change-cause": `to ${version}` }
        await cluster.patch(web, { ...anImage(version), metadata: { annotations } })
        await completes(cluster)
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
      expect(revisionOf(await cluster.get(web))).toBe("4")
    }))
})

describe("a Deployment that is being deleted", () => {
  it("neither adopts, nor lets go, nor creates", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { replicas: 2, metadata: { finalizers: ["example.com/hold"] } })
      const own = await onlyReplicaSet(cluster)
      await cluster.delete(web, { propagationPolicy: "Orphan" })
      await cluster.settle()
      const dying = await cluster.get(web)
      expect(dying.metadata.finalizers).toEqual(["example.com/hold"])
      await cluster.create(aReplicaSet())
      await cluster.patch(web, anImage("v2"))
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
      expect((await cluster.get(web)).status.observedGeneration).toBe(
        (await cluster.get(web)).metadata.generation
      )
    }))

  it("keeps a ReplicaSet that no longer matches", () =>
    inWorld(async (cluster) => {
      await rolledOut(cluster, { metadata: { finalizers: ["example.com/hold"] } })
      await cluster.delete(web, { propagationPolicy: "Background" })
      await soon(cluster)
      const own = await onlyReplicaSet(cluster)
      await cluster.patch(named(own), { metadata: { labels: { app: "retired" } } })
      await soon(cluster)
      expect(ownerOf(await onlyReplicaSet(cluster))).toBe((await cluster.get(web)).metadata.uid)
    }))
})
