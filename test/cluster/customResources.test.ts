import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aWebsite, websiteDefinition } from "../builders/customResources.ts"
import { deploymentManifest } from "../builders.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { withCluster } from "./testCluster.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"
import type { AppliedDocument } from "../../src/manifests/manifestDocument.ts"

const definitions = "customresourcedefinitions.apiextensions.k8s.io"
const websites = "websites.example.com"
const blog = { resource: websites, name: "blog" }

const outcomesOf = (applied: ReadonlyArray<AppliedDocument>): ReadonlyArray<string> =>
  applied.map(({ outcome, object }) => `${outcome} ${object.metadata.name}`)

const namesOf = async (cluster: OpenCluster, resource: string): Promise<ReadonlyArray<string>> =>
  (await cluster.list(resource)).items.map(({ metadata }) => metadata.name)

const createdTexts = ["created websites.example.com", "created blog"]

describe("apply", () => {
  it("creates and configures a custom resource whose definition was applied before", async () => {
    await using cluster = await openCluster()
    await cluster.apply(websiteDefinition())
    expect(outcomesOf(await cluster.apply(aWebsite()))).toEqual(["created blog"])
    expect(await cluster.get(blog)).toMatchObject({
      metadata: { namespace: "default", generation: 1 },
      spec: { size: 3 }
    })
    const colorful = aWebsite({ spec: { size: 5, colors: ["red", "blue"] } })
    expect(outcomesOf(await cluster.apply(colorful))).toEqual(["configured blog"])
    expect(outcomesOf(await cluster.apply(colorful))).toEqual(["unchanged blog"])
    const recolored = aWebsite({ spec: { colors: ["green"] } })
    expect(outcomesOf(await cluster.apply(recolored))).toEqual(["configured blog"])
    // The size of the manifest before is removed, and comes back by default.
    expect(await cluster.get(blog)).toMatchObject({ spec: { size: 3, colors: ["green"] } })
  })

  it.each([
    { why: "a definition before", manifest: [websiteDefinition(), aWebsite()] },
    { why: "a definition after", manifest: [aWebsite(), websiteDefinition()] },
    {
      why: "a definition in a List after",
      manifest: [aWebsite(), { apiVersion: "v1", kind: "List", metadata: {}, items: [websiteDefinition()] }]
    },
    {
      why: "a definition after, in one text",
      manifest: [aWebsite(), websiteDefinition()].map((it) => JSON.stringify(it)).join("\n---\n")
    }
  ])("creates a custom resource with $why", async ({ manifest }) => {
    await using cluster = await openCluster()
    expect(outcomesOf(await cluster.apply(manifest))).toEqual(createdTexts)
    expect(await namesOf(cluster, websites)).toEqual(["blog"])
  })

  it("creates a custom resource after serve()", async () => {
    await using cluster = await openCluster()
    await cluster.serve({ tls: false })
    await cluster.apply(websiteDefinition())
    expect(outcomesOf(await cluster.apply(aWebsite()))).toEqual(["created blog"])
  })

  it.each([
    {
      why: "no definition has its kind",
      manifest: [websiteDefinition(), { ...aWebsite(), kind: "Shop" }],
      message: 'manifest (document 2): no matches for kind "Shop" in version "example.com/v1"'
    },
    {
      why: "its version is not served",
      manifest: [websiteDefinition(), aWebsite({ version: "v3" })],
      message: 'manifest (document 2): no matches for kind "Website" in version "example.com/v3"'
    },
    {
      why: "its schema does not validate",
      manifest: [aWebsite({ spec: { size: 10 } }), websiteDefinition()],
      message:
        'manifest (document 1): The Website "blog" is invalid: spec.size: Invalid value: 10: spec.size in body ' +
        "should be less than or equal to 9"
    },
    {
      why: "its schema has no such field",
      manifest: [aWebsite({ spec: { sise: 4 } }), websiteDefinition()],
      message:
        'manifest (document 1): Website in version "v1" cannot be handled as a Website: strict decoding error: ' +
        'unknown field "spec.sise"'
    },
    {
      why: "its definition is invalid",
      manifest: [aWebsite(), websiteDefinition({}, { name: "sites.example.com" })],
      message:
        'manifest (document 1): no matches for kind "Website" in version "example.com/v1"\n' +
        'manifest (document 2): The CustomResourceDefinition "sites.example.com" is invalid: metadata.name: ' +
        'Invalid value: "sites.example.com": must be spec.names.plural+"."+spec.group'
    },
    {
      why: "its definition has no version to store",
      manifest: [
        aWebsite(),
        websiteDefinition({
          versions: [{ name: "v1", served: true, schema: { openAPIV3Schema: { type: "x" } } }]
        })
      ],
      message: expect.stringMatching(
        /document 1\): no matches for kind[^]*document 2\)[^]*must have exactly one version marked as storage/
      )
    },
    {
      why: "its namespace does not exist",
      manifest: [websiteDefinition(), aWebsite({ namespace: "shop" })],
      message: 'manifest (document 2): Error from server (NotFound): namespaces "shop" not found'
    }
  ])("leaves nothing behind when a custom resource is refused: $why", async ({ manifest, message }) => {
    await using cluster = await openCluster()
    await expect(cluster.apply(manifest)).rejects.toMatchObject({ message })
    expect(await namesOf(cluster, definitions)).toEqual([])
  })

  it("refuses a custom resource of a definition whose names are not accepted, and the definition with it", async () => {
    await using cluster = await openCluster()
    await cluster.apply(websiteDefinition())
    const names = { plural: "pages", singular: "page", kind: "Page", listKind: "WebsiteList" }
    const pages = websiteDefinition({ names }, { name: "pages.example.com" })
    await expect(cluster.apply([pages, { ...aWebsite(), kind: "Page" }])).rejects.toThrow(
      'no matches for kind "Page" in version "example.com/v1"'
    )
    expect(await namesOf(cluster, definitions)).toEqual(["websites.example.com"])
  })

  it("stores a custom resource of another version in the stored version, as over HTTP", async () => {
    await using cluster = await openCluster()
    const [, created] = await cluster.apply([websiteDefinition(), aWebsite({ version: "v2" })])
    expect(created?.object).toMatchObject({ apiVersion: "example.com/v1", spec: { size: 3 } })
    expect(outcomesOf(await cluster.apply(aWebsite({ version: "v2" })))).toEqual(["unchanged blog"])
    const directly = await cluster.create(aWebsite({ version: "v2", name: "shop" }))
    expect(directly.apiVersion).toBe("example.com/v1")
  })

  it("uses the kinds of the moment: a new version is refused before its definition has it", async () => {
    await using cluster = await openCluster()
    const [v1, v2, v3] = websiteDefinition().spec.versions
    await cluster.apply(websiteDefinition({ versions: [v1, v2] }))
    await expect(cluster.apply(aWebsite({ version: "v3" }))).rejects.toThrow(/no matches for kind "Website"/)
    const served = websiteDefinition({ versions: [v1, v2, { ...v3, served: true }] })
    expect(outcomesOf(await cluster.apply([aWebsite({ version: "v3" }), served]))).toEqual([
      "configured websites.example.com",
      "created blog"
    ])
    await cluster.delete({ resource: definitions, name: "websites.example.com" })
    await cluster.settle()
    await expect(cluster.apply(aWebsite())).rejects.toThrow(/no matches for kind "Website"/)
  })

  it("ignores the status of a custom resource with that sub-resource", async () => {
    await using cluster = await openCluster()
    await cluster.apply([websiteDefinition(), Object.assign(aWebsite(), { status: { ready: true } })])
    expect(await cluster.get(blog)).not.toHaveProperty("status")
  })

  it("merges lists of a custom resource as one value, even if its kind is named as one of Kubernetes", async () => {
    await using cluster = await openCluster()
    const [v1] = websiteDefinition().spec.versions
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
    const names = { plural: "podspecs", kind: "PodSpec" }
    const podSpecs = websiteDefinition(
      { names, versions: [{ ...v1, schema }] },
      { name: "podspecs.example.com" }
    )
    const podSpec = (containers: ReadonlyArray<object>) => ({ ...aWebsite(), kind: "PodSpec", containers })
    await cluster.apply([podSpecs, podSpec([{ name: "a", image: "v1" }])])
    const address = { resource: "podspecs.example.com", name: "blog" }
    await cluster.patch(address, { containers: [{ name: "a", image: "v1", tty: true }] })
    await cluster.apply(podSpec([{ name: "a", image: "v2" }]))
    expect(await cluster.get(address)).toMatchObject({ containers: [{ name: "a", image: "v2" }] })
    expect(await cluster.get(address)).not.toHaveProperty("containers.0.tty")
  })
})

describe("the other calls", () => {
  it("read and write custom resources that were applied", async () => {
    await using cluster = await openCluster()
    await cluster.apply([websiteDefinition(), aWebsite()])
    await cluster.patch(blog, { spec: { size: 4 } })
    expect(await cluster.get(blog)).toMatchObject({ metadata: { generation: 2 }, spec: { size: 4 } })
    await expect(cluster.patch(blog, { spec: { size: 10 } })).rejects.toThrow("less than or equal to 9")
    await expect(cluster.patch(blog, { spec: { sise: 1 } })).rejects.toThrow('unknown field "spec.sise"')
    await cluster.delete(blog)
    expect(await namesOf(cluster, websites)).toEqual([])
  })

  it("update a custom resource and its status, in the namespace of its kind's scope", async () => {
    await using cluster = await openCluster()
    await cluster.apply([websiteDefinition(), aWebsite()])
    const updated = await cluster.update(aWebsite({ version: "v2", spec: { size: 4 } }))
    expect(updated).toMatchObject({
      apiVersion: "example.com/v1",
      metadata: { namespace: "default", generation: 2 },
      spec: { size: 4 }
    })
    const ready = Object.assign(aWebsite(), { status: { ready: true } })
    await cluster.update(ready, { status: true })
    expect(await cluster.get(blog)).toMatchObject({ spec: { size: 4 }, status: { ready: true } })
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "reader" }
    }
    await cluster.create(role)
    const { metadata } = await cluster.update({ ...role, metadata: { name: "reader", namespace: "odd" } })
    expect(metadata).not.toHaveProperty("namespace")
  })

  it("patch a custom resource whose stored version is not served", async () => {
    await using cluster = await openCluster()
    const [v1, v2] = websiteDefinition().spec.versions
    await cluster.apply([
      websiteDefinition({ versions: [{ ...v1, served: false }, v2] }),
      aWebsite({ version: "v2" })
    ])
    expect(await cluster.patch(blog, { spec: { size: 4 } })).toMatchObject({ spec: { size: 4 } })
  })
})

describe("create without a namespace", () => {
  it("means default for a custom resource", async () => {
    await using cluster = await openCluster()
    await cluster.apply(websiteDefinition())
    expect((await cluster.create(aWebsite())).metadata.namespace).toBe("default")
    expect((await cluster.create(aWebsite({ name: "b", namespace: "" }))).metadata.namespace).toBe("default")
  })

  it("means none for a cluster-scoped custom resource", async () => {
    await using cluster = await openCluster()
    await cluster.apply(websiteDefinition({ scope: "Cluster" }))
    expect((await cluster.create(aWebsite())).metadata).not.toHaveProperty("namespace")
  })

  it("means default in the store of the Effect layer", () =>
    withCluster({}, ({ store }) =>
      Effect.gen(function* () {
        const created = yield* store.create({ ...deploymentManifest({}), metadata: { name: "web" } })
        expect(created.metadata.namespace).toBe("default")
        const [, website] = [yield* store.create(websiteDefinition()), yield* store.create(aWebsite())]
        expect(website.metadata.namespace).toBe("default")
        const { namespace: _stored, ...updated } = website.metadata
        const labeled = yield* store.update({ ...website, metadata: { ...updated, labels: { a: "b" } } })
        expect(labeled.metadata).toMatchObject({ namespace: "default", labels: { a: "b" } })
      })
    ))
})

const clusterScopedRows = [
  {
    why: "a ClusterRole",
    address: { resource: "clusterroles.rbac.authorization.k8s.io", name: "blog" },
    manifest: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "blog" } }
  },
  { why: "a cluster-scoped custom resource", address: blog, manifest: aWebsite() }
]

describe("a namespace on a cluster-scoped object", () => {
  const definition = websiteDefinition({ scope: "Cluster" }, { namespace: "odd" })

  it.each(clusterScopedRows)("is dropped by create, apply and patch: $why", async ({ address, manifest }) => {
    await using cluster = await openCluster()
    await cluster.apply(definition)
    const withNamespace = { ...manifest, metadata: { ...manifest.metadata, namespace: "odd" } }
    expect((await cluster.create(withNamespace)).metadata).not.toHaveProperty("namespace")
    await cluster.delete(address)
    expect(outcomesOf(await cluster.apply(withNamespace))).toEqual(["created blog"])
    expect(outcomesOf(await cluster.apply(withNamespace))).toEqual(["unchanged blog"])
    const patched = await cluster.patch(address, { metadata: { namespace: "odd", labels: { a: "b" } } })
    expect(patched.metadata).toMatchObject({ labels: { a: "b" } })
    expect((await cluster.get(address)).metadata).not.toHaveProperty("namespace")
  })

  it.each(clusterScopedRows)("is dropped by modify: $why", ({ address, manifest }) =>
    withCluster({}, (cluster) =>
      Effect.gen(function* () {
        yield* cluster.apply([definition, manifest])
        yield* cluster.modify(address, (object) => ({
          ...object,
          metadata: { ...object.metadata, namespace: "odd", labels: { a: "b" } }
        }))
        const { metadata } = yield* cluster.get(address)
        expect(metadata).toMatchObject({ labels: { a: "b" } })
        expect(metadata).not.toHaveProperty("namespace")
      })
    )
  )

  it("does not let two manifests of one object pass as two", async () => {
    await using cluster = await openCluster()
    const node = (namespace: string) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n", namespace }
    })
    await expect(cluster.apply([node("a"), node("b")])).rejects.toThrow('nodes "n" is given twice')
  })
})
