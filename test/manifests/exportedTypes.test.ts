import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/index.ts"
import { explore, plan } from "../../src/plan/plan.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"

const web = { resource: "deployments.apps", name: "web" } as const

/** A finished rollout, as `kubectl get -o yaml` and `cluster.get` return it. */
const running = async (): Promise<Deployment> => {
  await using cluster = await openCluster({ seed: 7 })
  await cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "before" } })
  await cluster.apply({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "web:1" }] }
      }
    }
  })
  await cluster.settle()
  return cluster.get(web)
}

const withImage = (deployment: Deployment, image: string): Deployment => {
  const { spec } = deployment
  const podSpec = { ...spec.template.spec, containers: [{ name: "web", image }] }
  return { ...deployment, spec: { ...spec, template: { ...spec.template, spec: podSpec } } }
}

describe("an object that was read from a cluster", () => {
  it("is a new object in another cluster, with the same spec only", async () => {
    const exported = await running()
    await using otherCluster = await openCluster({ seed: 8 })
    expect((await otherCluster.apply(exported)).map(({ outcome }) => outcome)).toEqual(["created"])
    const recreated = await otherCluster.get(web)
    expect(recreated.spec).toEqual(exported.spec)
    expect(recreated.metadata).toMatchObject({ generation: 1 })
    expect(recreated.metadata.uid).not.toBe(exported.metadata.uid)
    const applied = recreated.metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"] ?? ""
    const { uid, resourceVersion } = exported.metadata
    expect(JSON.parse(applied), "all of it is kept in mind").toMatchObject({
      metadata: { uid, resourceVersion }
    })
    await otherCluster.settle()
    expect((await otherCluster.get(web)).status).toMatchObject({ availableReplicas: 3 })
  })

  it("is not applied over another object with its name", async () => {
    const exported = await running()
    await using otherCluster = await openCluster({ seed: 8 })
    await otherCluster.apply(exported)
    await expect(otherCluster.apply(withImage(exported, "web:2"))).rejects.toThrow(
      "the object has been modified"
    )
    const { resourceVersion: _there, ...metadata } = exported.metadata
    await expect(otherCluster.apply({ ...withImage(exported, "web:2"), metadata })).rejects.toThrow(
      'manifest (document 1): The Deployment "web" is invalid: ' +
        `metadata.uid: Invalid value: "${exported.metadata.uid}": field is immutable`
    )
  })

  it("is applied where it was read while its version is current", async () => {
    await using cluster = await openCluster({ seed: 7 })
    await cluster.apply(await running())
    await cluster.settle()
    const exported = await cluster.get(web)
    await cluster.apply(withImage(exported, "web:2"))
    await expect(cluster.apply(withImage(exported, "web:3"))).rejects.toThrow(
      'Error from server (Conflict): Operation cannot be fulfilled on deployments.apps "web": the object has been modified'
    )
  })

  it("is the current state of a plan, whatever is next", async () => {
    const from = await running()
    const planned = await plan({ from, next: withImage(from, "web:2"), seeds: 2 })
    expect(planned.rollouts).toMatchObject([{ name: "web", isNew: false, desired: 3, stuck: 0 }])
  })

  it("keeps its last-applied annotation in a plan, so that the next manifest removes its fields", async () => {
    const unsized = (image: string) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "web", image }] }
        }
      }
    })
    const probing = { name: "probing", image: "probing:1" }
    const bare = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "bare" },
      spec: { containers: [probing] }
    }
    await using cluster = await openCluster({ seed: 7 })
    await cluster.apply([unsized("web:1"), bare])
    await cluster.patch(web, { spec: { replicas: 5 } })
    await cluster.settle()
    const from = [await cluster.get(web), await cluster.get({ resource: "pods", name: "bare" })]
    const next = [unsized("web:2"), bare]
    const planned = await plan({ from, next, seeds: 2 })
    expect(planned).toMatchObject({
      violations: [],
      rollouts: [{ desired: 5, isNew: false, before: { available: 5 }, available: { fewest: 4 }, stuck: 0 }]
    })
    expect(await plan({ from: JSON.stringify(from[0]), next: unsized("web:2"), seeds: 1 })).toMatchObject({
      rollouts: [{ desired: 5, stuck: 0 }]
    })
    const [explored] = await explore({ from, next, failures: 0 })
    expect(explored?.claims[0]).toMatchObject({
      verdict: "proved",
      says: expect.stringContaining("never more than 7 Pods")
    })
  })
})
