import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { BadRequest } from "../../src/store/storeErrors.ts"
import { deploymentManifest } from "./testCluster.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const calls: ReadonlyArray<readonly [string, (cluster: OpenCluster, resource: string) => unknown]> = [
  ["get", (cluster, resource) => cluster.get({ resource, name: "web" })],
  ["list", (cluster, resource) => cluster.list(resource)],
  ["patch", (cluster, resource) => cluster.patch({ resource, name: "web" }, { spec: { replicas: 2 } })],
  ["delete", (cluster, resource) => cluster.delete({ resource, name: "web" })],
  ["why", (cluster, resource) => cluster.why({ resource, name: "web" })],
  ["watch", (cluster, resource) => cluster.watch(resource)[Symbol.asyncIterator]().next()]
]

const names: ReadonlyArray<{ readonly resource: string; readonly why: string; readonly hint: string }> = [
  { resource: "deployment", why: "the singular", hint: ": did you mean deployments.apps?" },
  { resource: "deployments", why: "a missing group", hint: ": did you mean deployments.apps?" },
  { resource: "deploymnts.apps", why: "a missing letter", hint: ": did you mean deployments.apps?" },
  { resource: "Pod", why: "the kind", hint: ": did you mean pods?" },
  { resource: "po", why: "a short name", hint: ": did you mean pods?" },
  { resource: "unicorns.example.com", why: "nothing similar", hint: "" }
]

describe.each(calls)("%s of an unknown resource", (_, ask) => {
  it.each(names)("is refused: $resource, $why", async ({ resource, hint }) => {
    await using cluster = await openCluster()
    await cluster.apply(deploymentManifest({ replicas: 1 }))
    const refused = (async () => ask(cluster, resource))()
    await expect(refused).rejects.toThrow(BadRequest)
    await expect(refused).rejects.toThrow(
      `the server doesn't have a resource type ${JSON.stringify(resource)}${hint}`
    )
    expect((await cluster.list("deployments.apps")).items).toHaveLength(1)
  })
})

it("a resource that is no string is refused with a message", async () => {
  await using cluster = await openCluster()
  for (const [, ask] of calls) {
    const refused = (async () => ask(cluster, { resource: "pods" } as never))()
    await expect(refused).rejects.toThrow(
      'a resource is named by text such as "pods", not {"resource":"pods"}'
    )
  }
})

const boats = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boats.sea.example" },
  spec: {
    group: "sea.example",
    scope: "Cluster",
    names: { plural: "boats", singular: "boat", kind: "Boat", shortNames: ["bt"] },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }]
  }
}

describe("a custom resource", () => {
  it("is found by its plural name and group, and suggested for other names", async () => {
    await using cluster = await openCluster()
    await expect(cluster.list("boats.sea.example")).rejects.toThrow("doesn't have a resource type")
    await cluster.apply(boats)
    await cluster.settle()
    await cluster.create({ apiVersion: "sea.example/v1", kind: "Boat", metadata: { name: "argo" } })
    const named = { resource: "boats.sea.example", name: "argo" }
    await cluster.patch(named, { metadata: { labels: { sails: "two" } } })
    expect((await cluster.get(named)).metadata.labels).toEqual({ sails: "two" })
    await expect(cluster.get({ ...named, resource: "bt" })).rejects.toThrow("did you mean boats.sea.example?")
    await cluster.delete(named)
    expect((await cluster.list("boats.sea.example")).items).toEqual([])
  })
})
