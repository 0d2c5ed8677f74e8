import { expect, expectTypeOf, it } from "vitest"
import { openCluster } from "../../src/index.ts"
import type { Change, Deployment, KubeObject, ObjectList, OpenCluster, Pod } from "../../src/index.ts"

interface Website extends KubeObject {
  readonly spec: { readonly pages: number }
}

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] }
    }
  }
} as const

it("get, list, patch, watch, onChange and delete know the type of a literal resource", () => {
  type Get = typeof getPod
  const getPod = (cluster: OpenCluster) => cluster.get({ resource: "pods", name: "web-1" })
  const listPods = (cluster: OpenCluster) => cluster.list("pods")
  const patchWeb = (cluster: OpenCluster) =>
    cluster.patch({ resource: "deployments.apps", name: "web" }, { spec: { replicas: 2 } })
  const watchPods = (cluster: OpenCluster) => cluster.watch("pods")
  const deletePod = (cluster: OpenCluster) => cluster.delete({ resource: "pods", name: "web-1" })
  const followPods = (cluster: OpenCluster) =>
    cluster.onChange("pods", ({ object }) => {
      expectTypeOf(object).toExtend<Pod>()
    })
  expectTypeOf<Awaited<ReturnType<Get>>>().toExtend<Pod>()
  expectTypeOf<Awaited<ReturnType<typeof listPods>>>().toExtend<ObjectList<Pod>>()
  expectTypeOf<Awaited<ReturnType<typeof patchWeb>>>().toExtend<Deployment>()
  expectTypeOf<ReturnType<typeof watchPods>>().toExtend<AsyncIterable<Change<Pod>>>()
  expectTypeOf<Awaited<ReturnType<typeof deletePod>>>().toExtend<Pod>()
  expectTypeOf<ReturnType<typeof followPods>>().toEqualTypeOf<() => void>()
})

it("get, list, patch, watch, create and update take the type of an object", () => {
  const address = { resource: "websites.example.com", name: "home" }
  const manifest = {
    apiVersion: "example.com/v1",
    kind: "Website",
    metadata: { name: "home" },
    spec: { pages: 3 }
  }
  const get = (cluster: OpenCluster) => cluster.get<Website>(address)
  const list = (cluster: OpenCluster) => cluster.list<Website>("websites.example.com")
  const patch = (cluster: OpenCluster) => cluster.patch<Website>(address, { spec: { pages: 4 } })
  const watch = (cluster: OpenCluster) => cluster.watch<Website>("websites.example.com")
  const create = (cluster: OpenCluster) => cluster.create<Website>(manifest)
  const update = (cluster: OpenCluster) => cluster.update<Website>(manifest, { status: true })
  const remove = (cluster: OpenCluster) => cluster.delete<Website>(address)
  expectTypeOf<Awaited<ReturnType<typeof get>>>().toEqualTypeOf<Website>()
  expectTypeOf<Awaited<ReturnType<typeof remove>>>().toEqualTypeOf<Website>()
  expectTypeOf<Awaited<ReturnType<typeof list>>>().toEqualTypeOf<ObjectList<Website>>()
  expectTypeOf<Awaited<ReturnType<typeof patch>>>().toEqualTypeOf<Website>()
  expectTypeOf<ReturnType<typeof watch>>().toEqualTypeOf<AsyncIterable<Change<Website>>>()
  expectTypeOf<Awaited<ReturnType<typeof create>>>().toEqualTypeOf<Website>()
  expectTypeOf<Awaited<ReturnType<typeof update>>>().toEqualTypeOf<Website>()
})

it("create gives the type of a literal apiVersion and kind, and update that of the given object", async () => {
  await using cluster = await openCluster()
  const created = await cluster.create(web)
  expectTypeOf(created).toExtend<Deployment>()
  expect(created.spec.replicas).toBe(1)
  const current = await cluster.get({ resource: "deployments.apps", name: "web" })
  const updated = await cluster.update({ ...current, spec: { ...current.spec, replicas: 3 } })
  expectTypeOf(updated).toExtend<Deployment>()
  expect(updated.spec.replicas).toBe(3)
})
