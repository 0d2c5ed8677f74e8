import { describe, expect, it } from "vitest"
import { aWebsite, websiteDefinition } from "../builders/customResources.ts"
import { namespaceManifest } from "../builders.ts"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { startCluster } from "../../src/testing/testing.ts"
import type { Manifest } from "../../src/kubernetes/meta/objects.ts"

const openRemote = async () => {
  const world = await startCluster({ serve: true })
  const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
  const apply = async (manifest: string | ReadonlyArray<Manifest>): Promise<ReadonlyArray<string>> =>
    (await remote.apply(manifest)).map(({ outcome, object }) => `${outcome} ${object.metadata.name}`)
  const close = async (): Promise<void> => {
    remote.close()
    await world[Symbol.asyncDispose]()
  }
  return { remote, apply, [Symbol.asyncDispose]: close }
}

const pages = {
  definition: websiteDefinition({ names: { plural: "pages", kind: "Page" } }, { name: "pages.example.com" }),
  page: { ...aWebsite({ name: "index" }), kind: "Page" }
}

describe("a remote apply of custom resources", () => {
  it("takes a definition and its custom resource in one call, in any order", async () => {
    await using cluster = await openRemote()
    const text = [aWebsite(), websiteDefinition()].map((it) => JSON.stringify(it)).join("\n---\n")
    expect(await cluster.apply(text)).toEqual(["created websites.example.com", "created blog"])
    expect(await cluster.apply([aWebsite({ spec: { size: 4 } })])).toEqual(["configured blog"])
    expect(await cluster.apply([aWebsite({ spec: { size: 4 } })])).toEqual(["unchanged blog"])
    expect(await cluster.remote.get({ resource: "websites.example.com", name: "blog" })).toMatchObject({
      metadata: { namespace: "default" },
      spec: { size: 4 }
    })
  })

  it("finds a kind that was added to a group and version discovered before", async () => {
    await using cluster = await openRemote()
    await cluster.apply([websiteDefinition(), aWebsite()])
    expect(await cluster.apply([pages.definition])).toEqual(["created pages.example.com"])
    expect(await cluster.apply([pages.page])).toEqual(["created index"])
  })

  it("takes a custom resource in a Namespace that comes with it", async () => {
    await using cluster = await openRemote()
    await cluster.apply([websiteDefinition()])
    const inShop = [namespaceManifest("shop"), aWebsite({ namespace: "shop" })]
    expect(await cluster.apply(inShop)).toEqual(["created shop", "created blog"])
    const inBlog = [
      namespaceManifest("blog"),
      pages.definition,
      { ...pages.page, metadata: { name: "index", namespace: "blog" } }
    ]
    expect(await cluster.apply(inBlog)).toEqual([
      "created blog",
      "created pages.example.com",
      "created index"
    ])
  })

  it.each([
    {
      why: "it is invalid by the new definition",
      manifest: [websiteDefinition(), aWebsite({ spec: { size: 10 } })],
      message: "spec.size in body should be less than or equal to 9"
    },
    {
      why: "the new definition has no such field",
      manifest: [websiteDefinition(), aWebsite({ spec: { sise: 1 } })],
      message: 'unknown field "spec.sise"'
    },
    {
      why: "no definition has its kind",
      manifest: [websiteDefinition(), pages.page],
      message: 'no matches for kind "Page" in version "example.com/v1"'
    }
  ])("applies nothing when one is refused: $why", async ({ manifest, message }) => {
    await using cluster = await openRemote()
    await expect(cluster.apply(manifest)).rejects.toThrow(message)
    const { items } = await cluster.remote.list("customresourcedefinitions.apiextensions.k8s.io")
    expect(items).toEqual([])
  })

  it("is refused for a field that the server's schema does not have", async () => {
    await using cluster = await openRemote()
    await cluster.apply([websiteDefinition()])
    await expect(cluster.apply([aWebsite({ spec: { sise: 1 } })])).rejects.toThrow(
      'unknown field "spec.sise"'
    )
  })

  it("drops the namespace of a cluster-scoped custom resource", async () => {
    await using cluster = await openRemote()
    await cluster.apply([websiteDefinition({ scope: "Cluster" }), aWebsite({ namespace: "odd" })])
    const { metadata } = await cluster.remote.get({ resource: "websites.example.com", name: "blog" })
    expect(metadata).not.toHaveProperty("namespace")
    expect(await cluster.apply([aWebsite({ namespace: "odd" })])).toEqual(["unchanged blog"])
  })
})
