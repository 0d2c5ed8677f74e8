import { describe, expect } from "vitest"
import { ManifestsRefused } from "../../src/manifests/manifestsRefused.ts"
import { Conflict, Invalid, NotFound } from "../../src/store/storeErrors.ts"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { test } from "../../src/testing/vitest.ts"

/**
 * Tests for both kinds of clusters: here in the process, and `realCluster.test.ts` runs this file with
 * a kubeconfig.
 */
const web = (replicas: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "registry.example/web:1.0" }] }
`
const deployment = { resource: "deployments.apps", name: "web" } as const

describe("a test", () => {
  test("rolls out and scales on any cluster", async ({ cluster, object, objects }) => {
    const [applied] = await cluster.apply(web(3))
    expect(applied?.outcome).toBe("created")
    await expect(cluster).toRollOut("web")
    await cluster.patch(deployment, { spec: { replicas: 5 } })
    await expect(object(deployment)).toEventuallyMatch({ status: { readyReplicas: 5, updatedReplicas: 5 } })
    expect(await objects("pods", { labelSelector: "app=web" })()).toHaveLength(5)
    const [again] = await cluster.apply(web(3))
    expect(again?.outcome).toBe("configured")
    await expect(object(deployment)).toEventuallyMatch({ status: { replicas: 3 } })
    const [same] = await cluster.apply(web(3))
    expect(same?.outcome).toBe("unchanged")
  })

  test("has a namespace of its own", async ({ cluster }) => {
    expect((await cluster.list("pods")).items).toEqual([])
    const created = await cluster.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "own" } })
    expect(created.metadata.namespace).toBe(cluster.namespace)
    const stated = { resource: "configmaps", name: "own", namespace: "default" }
    expect((await cluster.get(stated)).metadata.uid).toBe(created.metadata.uid)
  })

  test("gets the same errors and messages", async ({ cluster }) => {
    const missing = await cluster.get(deployment).catch((error: unknown) => error)
    expect(missing).toBeInstanceOf(NotFound)
    expect(missing).toHaveProperty("message", 'deployments.apps "web" not found')
    await expect(cluster.delete(deployment)).rejects.toThrow(NotFound)
    const refused = await cluster.apply(web(-1)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ManifestsRefused)
    expect(refused).toHaveProperty(
      "message",
      'manifest:6:3: The Deployment "web" is invalid: spec.replicas: Invalid value: -1: ' +
        "must be greater than or equal to 0"
    )
    await cluster.apply(web(1))
    const invalid = cluster.patch(deployment, { spec: { selector: { matchLabels: { app: "other" } } } })
    await expect(invalid).rejects.toThrow(Invalid)
    const stale = cluster.patch(deployment, { metadata: { resourceVersion: "1" }, spec: { replicas: 2 } })
    await expect(stale).rejects.toThrow(Conflict)
  })

  test("watches changes and reads events", async ({ cluster, rolledOut }) => {
    const seen: Array<string> = []
    const watching = (async () => {
      for await (const { type, object, old } of cluster.watch("pods")) {
        seen.push(`${type} ${object.metadata.labels?.["app"] ?? ""}`)
        if (type === "MODIFIED") expect(old?.metadata.uid).toBe(object.metadata.uid)
        if (type === "DELETED") return
      }
    })()
    await cluster.apply(web(1))
    const { metadata } = await rolledOut("web")
    await cluster.patch(deployment, { spec: { replicas: 0 } })
    await cluster.settle()
    await watching
    expect(seen[0]).toBe("ADDED web")
    expect(seen.at(-1)).toBe("DELETED web")
    expect((await cluster.events({ uid: metadata.uid })).map(({ reason }) => reason)).toContain(
      "ScalingReplicaSet"
    )
  })

  test("connects clients to the same cluster", async ({ cluster, served, consistently }) => {
    const client = await openRemoteCluster({ kubeconfig: served.kubeconfigFile() })
    await client.apply(web(0))
    expect((await cluster.get(deployment)).spec.replicas).toBe(0)
    await consistently(
      async () => (await client.list("pods", { namespace: cluster.namespace })).items.length === 0,
      {
        for: "2s"
      }
    )
    client.close()
  })

  test("moves time, or gets the reason why it cannot", async ({ cluster }) => {
    const before = cluster.now()
    if (cluster.canMoveTime) {
      await cluster.advance("1h")
      expect(cluster.now().getTime() - before.getTime()).toBe(3_600_000)
    } else {
      expect(() => cluster.advance("1h")).toThrow(/^advance: the time of a real cluster cannot be moved/)
      expect(() => cluster.intercept({}, () => {})).toThrow(
        /^intercept: no interceptor stands between a real cluster/
      )
      expect(() => cluster.clock.pause()).toThrow(/^pause: the time of a real cluster cannot be moved/)
    }
  })
})
