import { AppsV1Api, CoreV1Api, EventsV1Api, V1MicroTime } from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { aDeployment, aReplicaSet } from "../server/apiObjects.ts"
import { patchContentType, withClient, withFields, refusalOf } from "./clientNodeConnection.ts"
import type { ClientServer } from "./clientNodeConnection.ts"

/** End-to-end tests of Kubernetes 1.36 for the API of single kinds, through a client. */

const namespace = "default"
const web = { name: "web", namespace }
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const replicaSets = "/apis/apps/v1/namespaces/default/replicasets"

const apis = ({ config }: ClientServer) => ({
  apps: config.makeApiClient(AppsV1Api),
  core: config.makeApiClient(CoreV1Api)
})

const coreOf = (server: ClientServer): CoreV1Api => apis(server).core

interface Conditioned {
  readonly status?: {
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly reason?: string }>
  }
}
const hasCondition = ({ status }: Conditioned, type: string): boolean =>
  status?.conditions?.some((it) => it.type === type) ?? false

/** Source: test/e2e/apps/deployment.go. */
describe("[sig-apps] Deployment", () => {
  it("Deployment should have a working scale subresource", () =>
    withClient(async (server) => {
      const { apps } = apis(server)
      await apps.createNamespacedDeployment({ namespace, body: aDeployment({ spec: { replicas: 1 } }) })
      await server.settle()
      const scale = await apps.readNamespacedDeploymentScale(web)
      expect([scale.kind, scale.spec?.replicas, scale.status?.replicas]).toEqual(["Scale", 1, 1])
      const body = withFields(scale, { metadata: { ...web }, spec: { replicas: 2 } })
      const scaled = await apps.replaceNamespacedDeploymentScale({ ...web, body })
      expect(scaled.spec?.replicas).toBe(2)
      expect((await apps.readNamespacedDeployment(web)).spec?.replicas).toBe(2)
      await apps.patchNamespacedDeploymentScale(
        { ...web, body: { spec: { replicas: 4 } } },
        patchContentType.strategic
      )
      expect((await apps.readNamespacedDeployment(web)).spec?.replicas).toBe(4)
      await server.settle()
      expect((await apps.readNamespacedDeploymentScale(web)).status).toEqual({
        replicas: 4,
        selector: "app=web"
      })
    }))

  it("should run the lifecycle of a Deployment", () =>
    withClient(async (server) => {
      const { apps } = apis(server)
      const labelSelector = "test-deployment-static=true"
      const labels = { "test-deployment-static": "true" }
      const following = await server.follow(deployments, { labelSelector })
      const body = aDeployment({ metadata: { labels }, spec: { replicas: 1 } })
      await apps.createNamespacedDeployment({ namespace, body })
      await following.until((type) => type === "ADDED")
      await server.settle()
      await following.until((_type, object) => object.status.availableReplicas === 1)

      const image = "registry.example/app:v4"
      const spec = { replicas: 2, template: { spec: { containers: [{ name: "app", image }] } } }
      const patch = { metadata: { labels: { "test-deployment": "patched" } }, spec }
      await apps.patchNamespacedDeployment({ ...web, body: patch }, patchContentType.strategic)
      const patched = await following.until(
        (_type, { metadata }) => metadata.labels["test-deployment"] === "patched"
      )
      expect(patched.spec.template.spec.containers[0].image).toBe(image)
      await server.settle()
      await following.until((_type, { status }) => status.readyReplicas === 2 && status.updatedReplicas === 2)

      const all = await apps.listDeploymentForAllNamespaces({ labelSelector })
      expect(all.items.map(({ metadata }) => metadata?.name)).toEqual(["web"])
      await apps.patchNamespacedDeploymentStatus(
        {
          ...web,
          body: {
            metadata: { labels: { ignored: "yes" } },
            status: { readyReplicas: 0, availableReplicas: 0 }
          }
        },
        patchContentType.merge
      )
      await following.until((_type, { status }) => (status.readyReplicas ?? 0) === 0)
      await server.settle()
      const status = await apps.readNamespacedDeploymentStatus(web)
      expect(status.metadata?.labels).toEqual({ ...labels, "test-deployment": "patched" })
      expect(status.status?.readyReplicas).toBe(2)

      const replaced = await apps.readNamespacedDeployment(web)
      if (replaced.spec !== undefined) replaced.spec.replicas = 3
      await apps.replaceNamespacedDeployment({ ...web, body: replaced })
      await server.settle()
      await following.until((_type, object) => object.status.readyReplicas === 3)
      await apps.deleteCollectionNamespacedDeployment({ namespace, labelSelector })
      await following.until((type) => type === "DELETED")
      expect((await apps.listNamespacedDeployment({ namespace })).items).toEqual([])
    }))

  it("should validate Deployment Status endpoints", () =>
    withClient(async (server) => {
      const { apps } = apis(server)
      await apps.createNamespacedDeployment({ namespace, body: aDeployment({ spec: { replicas: 1 } }) })
      await server.settle()
      const following = await server.follow(deployments)
      const present = await apps.readNamespacedDeploymentStatus(web)
      const condition = { type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from e2e test" }
      const conditions = [...(present.status?.conditions ?? []), condition]
      await apps.replaceNamespacedDeploymentStatus({
        ...web,
        body: withFields(present, { status: withFields(present.status ?? {}, { conditions }) })
      })
      await following.until((_type, object) => hasCondition(object, "StatusUpdate"))
      const patched = { ...condition, type: "StatusPatched" }
      await apps.patchNamespacedDeploymentStatus(
        { ...web, body: { status: { conditions: [patched] } } },
        patchContentType.merge
      )
      const seen = await following.until((_type, object) => hasCondition(object, "StatusPatched"))
      expect(seen.spec.replicas).toBe(1)
    }))
})

/** Source: test/e2e/apps/replica_set.go. */
describe("[sig-apps] ReplicaSet", () => {
  it("Replicaset should have a working scale subresource", () =>
    withClient(async (server) => {
      const { apps } = apis(server)
      await apps.createNamespacedReplicaSet({ namespace, body: aReplicaSet({ spec: { replicas: 1 } }) })
      await server.settle()
      const scale = await apps.readNamespacedReplicaSetScale(web)
      const body = withFields(scale, { metadata: { ...web }, spec: { replicas: 2 } })
      expect((await apps.replaceNamespacedReplicaSetScale({ ...web, body })).spec?.replicas).toBe(2)
      expect((await apps.readNamespacedReplicaSet(web)).spec?.replicas).toBe(2)
      await apps.patchNamespacedReplicaSetScale(
        { ...web, body: { spec: { replicas: 4 } } },
        patchContentType.strategic
      )
      expect((await apps.readNamespacedReplicaSet(web)).spec?.replicas).toBe(4)
    }))

  it("Replace and Patch tests", () =>
    withClient(async (server) => {
      const { apps, core } = apis(server)
      const made = await apps.createNamespacedReplicaSet({
        namespace,
        body: aReplicaSet({ spec: { replicas: 1 } })
      })
      await server.settle()
      const following = await server.follow(replicaSets)
      if (made.spec !== undefined) made.spec.replicas = 2
      await apps.replaceNamespacedReplicaSet({
        ...web,
        body: withFields(made, { metadata: { name: "web" } })
      })
      await server.settle()
      await following.until((_type, { status }) => status.availableReplicas === 2)
      const image = "registry.example/app:v4"
      const spec = {
        replicas: 3,
        template: { spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "app", image }] } }
      }
      const patch = { metadata: { labels: { "test-rs": "patched" } }, spec }
      await apps.patchNamespacedReplicaSet({ ...web, body: patch }, patchContentType.strategic)
      await server.settle()
      const last = await following.until((_type, { status }) => status.availableReplicas === 3)
      expect(last.metadata.labels["test-rs"]).toBe("patched")
      const { items } = await core.listNamespacedPod({ namespace, labelSelector: "app=web" })
      expect(items.map((pod) => pod.spec?.containers[0]?.image ?? "").toSorted()).toEqual([
        "registry.example/app:v3",
        "registry.example/app:v3",
        image
      ])
    }))

  it("should list and delete a collection of ReplicaSets", () =>
    withClient(async (server) => {
      const { apps } = apis(server)
      const labelSelector = "e2e=yes"
      for (const name of ["a", "b"]) {
        const body = aReplicaSet({ name, metadata: { labels: { e2e: "yes" } }, spec: { replicas: 3 } })
        await apps.createNamespacedReplicaSet({ namespace, body })
      }
      await apps.createNamespacedReplicaSet({ namespace, body: aReplicaSet({ spec: { replicas: 0 } }) })
      const all = await apps.listReplicaSetForAllNamespaces({ labelSelector })
      expect(all.items.map(({ metadata }) => metadata?.name)).toEqual(["a", "b"])
      await apps.deleteCollectionNamespacedReplicaSet({ namespace, labelSelector })
      const left = await apps.listNamespacedReplicaSet({ namespace })
      expect(left.items.map(({ metadata }) => metadata?.name)).toEqual(["web"])
    }))

  it("should validate Replicaset Status endpoints", () =>
    withClient(async (server) => {
      const { apps } = apis(server)
      await apps.createNamespacedReplicaSet({ namespace, body: aReplicaSet({ spec: { replicas: 1 } }) })
      await server.settle()
      const following = await server.follow(replicaSets)
      const present = await apps.readNamespacedReplicaSetStatus(web)
      const condition = { type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from e2e test" }
      const status = withFields(present.status ?? { replicas: 1 }, { conditions: [condition] })
      await apps.replaceNamespacedReplicaSetStatus({ ...web, body: withFields(present, { status }) })
      await following.until((_type, object) => hasCondition(object, "StatusUpdate"))
      const patched = { ...condition, type: "StatusPatched" }
      await apps.patchNamespacedReplicaSetStatus(
        { ...web, body: { status: { conditions: [patched] } } },
        patchContentType.merge
      )
      const seen = await following.until((_type, object) => hasCondition(object, "StatusPatched"))
      expect(seen.spec.replicas).toBe(1)
    }))
})

/** Source: test/e2e/instrumentation/{core_events,events}.go. */
describe("[sig-instrumentation] Events", () => {
  const event = (name: string) => ({
    metadata: { name, labels: { "testevent-set": "true" } },
    message: `This is ${name}`,
    reason: "Test",
    type: "Normal",
    count: 1,
    involvedObject: { namespace }
  })

  it("should manage the lifecycle of an event", () =>
    withClient(async (server) => {
      const core = coreOf(server)
      await core.createNamespacedEvent({ namespace, body: event("event-test") })
      const labelSelector = "testevent-set=true"
      const all = await core.listEventForAllNamespaces({ labelSelector })
      expect(all.items.map(({ metadata }) => metadata.name)).toEqual(["event-test"])
      const test = { name: "event-test", namespace }
      await core.patchNamespacedEvent(
        { ...test, body: { message: "It was patched" } },
        patchContentType.strategic
      )
      const patched = await core.readNamespacedEvent(test)
      expect(patched.message).toBe("It was patched")
      const replaced = await core.replaceNamespacedEvent({ ...test, body: withFields(patched, { count: 7 }) })
      expect(replaced.count).toBe(7)
      await core.deleteNamespacedEvent(test)
      expect((await core.listEventForAllNamespaces({ labelSelector })).items).toEqual([])
    }))

  it("should delete a collection of events", () =>
    withClient(async (server) => {
      const core = coreOf(server)
      for (const name of ["test-event-1", "test-event-2", "test-event-3"]) {
        await core.createNamespacedEvent({ namespace, body: event(name) })
      }
      const labelSelector = "testevent-set=true"
      expect((await core.listNamespacedEvent({ namespace, labelSelector })).items).toHaveLength(3)
      await core.deleteCollectionNamespacedEvent({ namespace, labelSelector })
      expect((await core.listNamespacedEvent({ namespace, labelSelector })).items).toEqual([])
    }))

  it("Events API should ensure that an event can be fetched, patched, deleted, and listed", () =>
    withClient(async (server) => {
      const events = server.config.makeApiClient(EventsV1Api)
      const body = {
        metadata: { name: "event-test", labels: { "testevent-constant": "true" } },
        regarding: { kind: "Pod", name: "p", namespace },
        note: "This is event-test",
        type: "Normal",
        reason: "Test",
        action: "Look",
        eventTime: new V1MicroTime("2026-01-01T00:00:00.000Z"),
        reportingController: "test-controller",
        reportingInstance: "test-node"
      }
      await events.createNamespacedEvent({ namespace, body })
      const fieldSelector = "reportingController=test-controller"
      const { items } = await events.listNamespacedEvent({ namespace, fieldSelector })
      expect(items.map(({ metadata }) => metadata?.name)).toEqual(["event-test"])
      const test = { name: "event-test", namespace }
      const series = { count: 2, lastObservedTime: "2026-01-01T00:00:07.000000Z" }
      const patched = await events.patchNamespacedEvent({ ...test, body: { series } }, patchContentType.merge)
      expect(patched.series?.count).toBe(2)
      await events.deleteNamespacedEvent(test)
      expect((await events.listEventForAllNamespaces({ fieldSelector })).items).toEqual([])
    }))

  it("Events API should delete a collection of events", () =>
    withClient(async (server) => {
      const events = server.config.makeApiClient(EventsV1Api)
      for (const name of ["a", "b"]) {
        await coreOf(server).createNamespacedEvent({ namespace, body: event(name) })
      }
      const labelSelector = "testevent-set=true"
      await events.deleteCollectionNamespacedEvent({ namespace, labelSelector })
      expect((await events.listNamespacedEvent({ namespace, labelSelector })).items).toEqual([])
    }))
})

/** Source: test/e2e/apimachinery/namespace.go. */
describe("[sig-api-machinery] Namespaces", () => {
  const name = "nspatchtest"
  const withNamespace = (check: (server: ClientServer, core: CoreV1Api) => Promise<void>): Promise<void> =>
    withClient(async (server) => {
      const core = coreOf(server)
      await core.createNamespace({ body: { metadata: { name } } })
      await check(server, core)
    })

  it("should patch a Namespace", () =>
    withNamespace(async (_world, core) => {
      await core.patchNamespace(
        { name, body: { metadata: { labels: { testLabel: "testValue" } } } },
        patchContentType.strategic
      )
      expect((await core.readNamespace({ name })).metadata?.labels?.["testLabel"]).toBe("testValue")
    }))

  it("should apply an update to a Namespace", () =>
    withNamespace(async (_world, core) => {
      const present = await core.readNamespace({ name })
      const labels = { ...present.metadata?.labels, updated: "yes" }
      const body = withFields(present, { metadata: withFields(present.metadata ?? {}, { labels }) })
      expect((await core.replaceNamespace({ name, body })).metadata?.labels?.["updated"]).toBe("yes")
    }))

  it("should apply changes to a namespace status", () =>
    withNamespace(async (_world, core) => {
      const condition = {
        type: "StatusPatch",
        status: "True",
        reason: "E2E",
        message: "Patched by an e2e test"
      }
      const patched = await core.patchNamespaceStatus(
        { name, body: { status: { conditions: [condition] } } },
        patchContentType.merge
      )
      expect(patched.status?.conditions?.map(({ type }) => type)).toEqual(["StatusPatch"])
      const updated = { ...condition, type: "StatusUpdate" }
      const body = withFields(patched, {
        status: withFields(patched.status ?? {}, { conditions: [updated] })
      })
      const { status } = await core.replaceNamespaceStatus({ name, body })
      expect([status?.phase, status?.conditions?.map(({ type }) => type)]).toEqual([
        "Active",
        ["StatusUpdate"]
      ])
    }))

  it("should apply a finalizer to a Namespace", () =>
    withNamespace(async (_world, core) => {
      const fakeFinalizer = "e2e.example.com/fakeFinalizer"
      const present = await core.readNamespace({ name })
      const finalizers = [...(present.spec?.finalizers ?? []), fakeFinalizer]
      const finalized = await core.replaceNamespaceFinalize({
        name,
        body: withFields(present, { spec: { finalizers } })
      })
      expect(finalized.spec?.finalizers).toEqual(["kubernetes", fakeFinalizer])
      const body = withFields(finalized, { spec: { finalizers: ["kubernetes"] } })
      expect((await core.replaceNamespaceFinalize({ name, body })).spec?.finalizers).toEqual(["kubernetes"])
    }))

  it("should ensure that all pods and services are removed when a namespace is deleted", () =>
    withNamespace(async (server, core) => {
      const spec = { containers: [{ name: "app", image: "a:1" }] }
      await core.createNamespacedPod({ namespace: name, body: { metadata: { name: "p" }, spec } })
      const ports = [{ port: 80 }]
      await core.createNamespacedService({
        namespace: name,
        body: { metadata: { name: "s" }, spec: { ports } }
      })
      await server.settle()
      await core.deleteNamespace({ name })
      await server.settle()
      expect((await refusalOf(core.readNamespace({ name }))).code).toBe(404)
      await core.createNamespace({ body: { metadata: { name } } })
      expect((await core.listNamespacedPod({ namespace: name })).items).toEqual([])
      expect((await core.listNamespacedService({ namespace: name })).items).toEqual([])
    }))
})
