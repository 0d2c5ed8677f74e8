import { Writable } from "node:stream"
import {
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  ListWatch,
  Log,
  makeInformer,
  PatchStrategy,
  Watch
} from "@kubernetes/client-node"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { serve } from "../../src/cluster/serving/serveCluster.ts"
import { aConfigMap, aDeployment } from "../server/apiObjects.ts"
import { expireHistory } from "../server/verbs/expireHistory.ts"
import { patchContentType, withClient, refusalOf } from "./clientNodeConnection.ts"
import type { V1ConfigMap } from "@kubernetes/client-node"
import type { ClientServer } from "./clientNodeConnection.ts"

const namespace = "default"
const web = { name: "web", namespace }
const configMaps = "/api/v1/namespaces/default/configmaps"

describe("@kubernetes/client-node", () => {
  it.each([
    { tls: true, why: "with TLS" },
    { tls: false, why: "with plain HTTP" }
  ])("needs only the kubeconfig: $why", async ({ tls }) => {
    const scope = Scope.makeUnsafe()
    const served = await Effect.runPromise(
      Effect.provideService(
        Effect.gen(function* () {
          return yield* serve(yield* makeCluster(), { name: "shop", tls })
        }),
        Scope.Scope,
        scope
      )
    )
    const config = new KubeConfig()
    config.loadFromString(served.kubeconfig)
    expect([config.getCurrentContext(), config.getCurrentCluster()?.skipTLSVerify ?? false]).toEqual([
      "charthouse-shop",
      !tls
    ])
    const { items } = await config.makeApiClient(CoreV1Api).listNode()
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["node-1", "node-2", "node-3"])
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("creates, reads, replaces, lists and deletes", () =>
    withClient(async ({ config }) => {
      const apps = config.makeApiClient(AppsV1Api)
      const made = await apps.createNamespacedDeployment({ namespace, body: aDeployment() })
      expect(made.metadata?.creationTimestamp).toEqual(new Date("2026-01-01T00:00:00Z"))
      const present = await apps.readNamespacedDeployment(web)
      if (present.spec !== undefined) present.spec.replicas = 5
      const replaced = await apps.replaceNamespacedDeployment({ ...web, body: present })
      expect([replaced.spec?.replicas, replaced.metadata?.uid]).toEqual([5, made.metadata?.uid])
      const { items } = await apps.listNamespacedDeployment({ namespace, limit: 7 })
      expect(items.map((it) => it.metadata?.name)).toEqual(["web"])
      const deleted = await apps.deleteNamespacedDeployment(web)
      expect([deleted.status, deleted.details?.kind]).toEqual(["Success", "deployments"])
      expect((await refusalOf(apps.readNamespacedDeployment(web))).code).toBe(404)
    }))

  it("sends all four types of patch", () =>
    withClient(async ({ config }) => {
      const apps = config.makeApiClient(AppsV1Api)
      const fieldManager = "ci"
      const applied = await apps.patchNamespacedDeployment(
        { ...web, body: aDeployment(), fieldManager },
        patchContentType.apply
      )
      expect(applied.spec?.replicas).toBe(3)
      const json = await apps.patchNamespacedDeployment({
        ...web,
        body: [{ op: "replace", path: "/spec/replicas", value: 5 }]
      })
      expect(json.spec?.replicas).toBe(5)
      const merged = await apps.patchNamespacedDeployment(
        { ...web, body: { spec: { replicas: 7 } } },
        patchContentType.merge
      )
      expect(merged.spec?.replicas).toBe(7)
      const containers = [{ name: "proxy", image: "proxy:1" }]
      const body = { spec: { template: { spec: { containers } } } }
      const strategic = await apps.patchNamespacedDeployment({ ...web, body }, patchContentType.strategic)
      expect(strategic.spec?.template.spec?.containers.map(({ name }) => name).toSorted()).toEqual([
        "app",
        "proxy"
      ])
      const refused = await refusalOf(
        apps.patchNamespacedDeployment(
          { ...web, body: aDeployment(), fieldManager: "other" },
          patchContentType.apply
        )
      )
      expect([refused.code, refused.details.causes[0].reason]).toEqual([409, "FieldManagerConflict"])
    }))

  it("finds kinds by discovery, and applies objects of any kind", () =>
    withClient(async ({ config }) => {
      const objects = KubernetesObjectApi.makeApiClient(config)
      const made = await objects.create(aDeployment({ metadata: { namespace } }))
      expect(made.metadata?.generation).toBe(1)
      const patched = await objects.patch(
        { ...aConfigMap("a"), metadata: { name: "a", namespace } },
        undefined,
        undefined,
        "ci",
        true,
        PatchStrategy.ServerSideApply
      )
      expect(patched.metadata?.uid).toMatch(/./)
      const list = await objects.list("apps/v1", "Deployment", namespace)
      expect(list.items).toHaveLength(1)
      await objects.delete({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace } })
    }))

  it("gets a Status for invalid requests", () =>
    withClient(async ({ config }) => {
      const apps = config.makeApiClient(AppsV1Api)
      const body = aDeployment({ spec: { replicas: -1 } })
      expect(await refusalOf(apps.createNamespacedDeployment({ namespace, body }))).toMatchObject({
        code: 422,
        reason: "Invalid",
        details: { kind: "Deployment", causes: [{ field: "spec.replicas" }] }
      })
      await apps.createNamespacedDeployment({ namespace, body: aDeployment() })
      const again = await refusalOf(apps.createNamespacedDeployment({ namespace, body: aDeployment() }))
      expect([again.code, again.reason]).toEqual([409, "AlreadyExists"])
    }))

  it("watches", () =>
    withClient(async ({ config, follow }) => {
      const core = config.makeApiClient(CoreV1Api)
      const following = await follow(configMaps, { fieldSelector: "metadata.name=a" })
      await core.createNamespacedConfigMap({ namespace, body: aConfigMap("a") })
      await core.patchNamespacedConfigMap(
        { name: "a", namespace, body: { data: { key: "new" } } },
        patchContentType.merge
      )
      await core.deleteNamespacedConfigMap({ name: "a", namespace })
      expect((await following.next(3)).map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"])
    }))

  it("reads and streams the log of a container", () =>
    withClient(async ({ config, settle }) => {
      const core = config.makeApiClient(CoreV1Api)
      const apps = config.makeApiClient(AppsV1Api)
      await apps.createNamespacedDeployment({ namespace, body: aDeployment({ spec: { replicas: 1 } }) })
      await settle()
      const { items } = await core.listNamespacedPod({ namespace, labelSelector: "app=web" })
      const name = items[0]?.metadata?.name ?? ""
      const whole = await core.readNamespacedPodLog({ name, namespace })
      expect(whole).toMatch(/\n$/)
      const streamed = await collectOutput((stream) => new Log(config).log(namespace, name, "app", stream))
      expect(streamed).toBe(whole)
      const last = await core.readNamespacedPodLog({ name, namespace, tailLines: 1 })
      expect(whole.endsWith(last)).toBe(true)
      const refused = await refusalOf(core.readNamespacedPodLog({ name, namespace, container: "nope" }))
      expect([refused.code, refused.message]).toEqual([400, `container nope is not valid for pod ${name}`])
    }))
})

const collectOutput = (write: (stream: Writable) => Promise<unknown>): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk)
        done()
      }
    })
    stream.on("finish", () => resolve(Buffer.concat(chunks).toString()))
    stream.on("error", reject)
    write(stream).catch(reject)
  })

const create = ({ config }: ClientServer, name: string) =>
  config.makeApiClient(CoreV1Api).createNamespacedConfigMap({ namespace, body: aConfigMap(name) })

const listConfigMaps = ({ config }: ClientServer) => {
  const core = config.makeApiClient(CoreV1Api)
  return () => core.listNamespacedConfigMap({ namespace })
}

describe("an informer", () => {
  it("reports existing, added, updated and deleted objects", () =>
    withClient(async (server) => {
      await create(server, "a")
      const informer = makeInformer<V1ConfigMap>(server.config, configMaps, listConfigMaps(server))
      const notifications: Array<string> = []
      const notified = (word: string) =>
        new Promise<void>((resolve) => {
          const look = (): void => {
            if (notifications.includes(word)) resolve()
          }
          for (const verb of ["add", "update", "delete"] as const) {
            informer.on(verb, ({ metadata }) => {
              notifications.push(`${verb} ${metadata?.name ?? ""}`)
              look()
            })
          }
        })
      const gone = notified("delete a")
      await informer.start()
      await create(server, "b")
      const core = server.config.makeApiClient(CoreV1Api)
      await core.patchNamespacedConfigMap(
        { name: "a", namespace, body: { data: { key: "x" } } },
        patchContentType.merge
      )
      await core.deleteNamespacedConfigMap({ name: "a", namespace })
      await gone
      await informer.stop()
      expect(notifications).toEqual(["add a", "add kube-root-ca.crt", "add b", "update a", "delete a"])
      expect(informer.list(namespace).map(({ metadata }) => metadata?.name)).toEqual([
        "kube-root-ca.crt",
        "b"
      ])
    }))

  it("continues after its watch has ended, and lists again when its version has expired", () =>
    withClient(async (server) => {
      const watch = new Watch(server.config)
      // Ends watches after a second instead of the server's timeout.
      const closing = Object.assign(Object.create(watch) as Watch, {
        watch: (...[path, query, tell, done]: Parameters<Watch["watch"]>) =>
          watch.watch(path, { ...query, timeoutSeconds: 1 }, tell, done)
      })
      const list = listConfigMaps(server)
      let lists = 0
      let relisted = (): void => {}
      const again = new Promise<void>((resolve) => {
        relisted = resolve
      })
      const counted = async () => {
        lists += 1
        if (lists === 2) relisted()
        return list()
      }
      const informer = new ListWatch<V1ConfigMap>(configMaps, closing, counted, false, undefined, undefined, {
        delayFn: async () => {}
      })
      const errors: Array<unknown> = []
      informer.on("error", (error) => errors.push(error))
      await informer.start()
      // Meanwhile the history drops the informer's version.
      await expireHistory(server.cluster)
      const added = new Promise<void>((resolve) => {
        informer.on("add", ({ metadata }) => {
          if (metadata?.name === "later") resolve()
        })
      })
      await again
      await create(server, "later")
      await added
      await informer.stop()
      expect(errors).toEqual([])
      expect(informer.list(namespace).map(({ metadata }) => metadata?.name)).toEqual([
        "kube-root-ca.crt",
        "later"
      ])
    }))
})
