import { ApisApi, AppsV1Api, CoreApi, CoreV1Api, VersionApi } from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, configMaps } from "../server/apiObjects.ts"
import { expireHistory } from "../server/verbs/expireHistory.ts"
import { patchContentType, withClient, refusalOf } from "./clientNodeConnection.ts"
import type { ClientServer } from "./clientNodeConnection.ts"

/** End-to-end tests of Kubernetes 1.36 for the API, through a client. */

const namespace = "default"
const coreOf = ({ config }: Pick<ClientServer, "config">) => config.makeApiClient(CoreV1Api)

/** Source: test/e2e/apimachinery/chunking.go; a tenth of its templates do. */
describe("[sig-api-machinery] Servers with support for API chunking", () => {
  const total = 40

  const withTemplates = (check: (server: ClientServer, core: CoreV1Api) => Promise<void>): Promise<void> =>
    withClient(async (server) => {
      const core = coreOf(server)
      const template = { spec: { containers: [{ name: "app", image: "a:1" }] } }
      for (let index = 0; index < total; index += 1) {
        const name = `template-${String(index).padStart(4, "0")}`
        await core.createNamespacedPodTemplate({ namespace, body: { metadata: { name }, template } })
      }
      await check(server, core)
    })

  it("should return chunks of results for list calls", () =>
    withTemplates(async (_world, core) => {
      const names: Array<string> = []
      let version: string | undefined
      let _continue: string | undefined
      do {
        const page = await core.listNamespacedPodTemplate({
          namespace,
          limit: 7,
          ...(_continue === undefined ? {} : { _continue })
        })
        version ??= page.metadata?.resourceVersion
        expect(page.metadata?.resourceVersion).toBe(version)
        names.push(...page.items.map(({ metadata }) => metadata?.name ?? ""))
        _continue = page.metadata?._continue
        expect(page.metadata?.remainingItemCount).toBe(
          _continue === undefined ? undefined : total - names.length
        )
      } while (_continue !== undefined)
      expect(names).toHaveLength(total)
      expect(names).toEqual(names.toSorted())
    }))

  it("should continue listing from the last key if the original version has been compacted away, though the list is inconsistent", () =>
    withTemplates(async ({ cluster }, core) => {
      const first = await core.listNamespacedPodTemplate({ namespace, limit: 7 })
      await expireHistory(cluster)
      const expired = await refusalOf(
        core.listNamespacedPodTemplate({ namespace, limit: 7, _continue: first.metadata?._continue ?? "" })
      )
      expect([expired.code, expired.reason]).toEqual([410, "Expired"])
      const token: string = expired.metadata.continue
      const rest = await core.listNamespacedPodTemplate({ namespace, _continue: token })
      expect(rest.metadata?.resourceVersion).not.toBe(first.metadata?.resourceVersion)
      expect(rest.items.map(({ metadata }) => metadata?.name)[0]).toBe("template-0007")
      expect(rest.items).toHaveLength(total - 7)
    }))
})

/** Source: test/e2e/apimachinery/watch.go. */
describe("[sig-api-machinery] Watchers", () => {
  const a = { name: "a", namespace }
  const change = (core: CoreV1Api, key: string) =>
    core.patchNamespacedConfigMap({ ...a, body: { data: { key } } }, patchContentType.merge)
  const selecting = (value: string) => ({ labelSelector: `watch-this-configmap=${value}` })
  const createConfigMap = (core: CoreV1Api, value: string, name = "a") =>
    core.createNamespacedConfigMap({
      namespace,
      body: aConfigMap(name, { key: "0" }, { labels: { "watch-this-configmap": value } })
    })

  it("should observe add, update, and delete watch notifications on configmaps", () =>
    withClient(async (server) => {
      const core = coreOf(server)
      const [one, two, both] = [
        await server.follow(configMaps, selecting("one")),
        await server.follow(configMaps, selecting("two")),
        await server.follow(configMaps, { labelSelector: "watch-this-configmap in (one,two)" })
      ]
      await createConfigMap(core, "one")
      await change(core, "1")
      await core.deleteNamespacedConfigMap(a)
      await createConfigMap(core, "two", "b")
      await core.deleteNamespacedConfigMap({ name: "b", namespace })
      const types = async (following: typeof one, count: number) =>
        (await following.next(count)).map(({ type, object }) => `${type} ${object.metadata.name}`)
      expect(await types(one, 3)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"])
      expect(await types(two, 2)).toEqual(["ADDED b", "DELETED b"])
      expect(await types(both, 5)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED b", "DELETED b"])
    }))

  it("should be able to start watching from a specific resource version", () =>
    withClient(async (server) => {
      const core = coreOf(server)
      await createConfigMap(core, "version")
      const { metadata } = await change(core, "1")
      await change(core, "2")
      await core.deleteNamespacedConfigMap(a)
      const resourceVersion = metadata?.resourceVersion ?? ""
      const following = await server.follow(configMaps, { ...selecting("version"), resourceVersion })
      const [modified, deleted] = await following.next(2)
      expect([modified?.type, modified?.object.data.key, deleted?.type]).toEqual(["MODIFIED", "2", "DELETED"])
    }))

  it("should be able to restart watching from the last resource version observed by the previous watch", () =>
    withClient(async (server) => {
      const core = coreOf(server)
      const first = await server.follow(configMaps, selecting("restarted"))
      await createConfigMap(core, "restarted")
      await change(core, "1")
      const [, last] = await first.next(2)
      first.stop()
      await change(core, "2")
      const { resourceVersion } = last?.object.metadata ?? {}
      const second = await server.follow(configMaps, { ...selecting("restarted"), resourceVersion })
      await core.deleteNamespacedConfigMap(a)
      const [modified, deleted] = await second.next(2)
      expect([modified?.type, modified?.object.data.key, deleted?.type]).toEqual(["MODIFIED", "2", "DELETED"])
    }))

  it("should observe an object deletion if it stops meeting the requirements of the selector", () =>
    withClient(async (server) => {
      const core = coreOf(server)
      const label = (value: string) =>
        core.patchNamespacedConfigMap(
          { ...a, body: { metadata: { labels: { "watch-this-configmap": value } } } },
          patchContentType.merge
        )
      const following = await server.follow(configMaps, selecting("changed"))
      await createConfigMap(core, "changed")
      await change(core, "1")
      await label("other")
      await change(core, "2")
      await label("changed")
      await change(core, "3")
      await core.deleteNamespacedConfigMap(a)
      const events = await following.next(6)
      expect(events.map(({ type, object }) => `${type} ${object.data.key}`)).toEqual([
        "ADDED 0",
        "MODIFIED 1",
        "DELETED 1",
        "ADDED 2",
        "MODIFIED 3",
        "DELETED 3"
      ])
    }))

  it("should receive events on concurrent watches in same order", () =>
    withClient(async (server) => {
      const core = coreOf(server)
      const { metadata } = await core.listNamespacedConfigMap({ namespace })
      const resourceVersion = metadata?.resourceVersion ?? ""
      const names = ["a", "b", "c", "d", "e"]
      const first = await server.follow(configMaps, { resourceVersion })
      await Promise.all(names.map((name) => createConfigMap(core, "order", name)))
      await Promise.all(names.map((name) => core.deleteNamespacedConfigMap({ name, namespace })))
      const versions = (await first.next(10)).map(({ object }) => object.metadata.resourceVersion)
      for (let start = 0; start < 9; start += 1) {
        const following = await server.follow(configMaps, { resourceVersion: versions[start] })
        const later = await following.next(9 - start)
        expect(later.map(({ object }) => object.metadata.resourceVersion)).toEqual(versions.slice(start + 1))
        following.stop()
      }
    }))
})

/** Source: test/e2e/apimachinery/{server_version,discovery}.go. */
describe("[sig-api-machinery] server version and Discovery", () => {
  it("server version should find the server version", () =>
    withClient(async ({ config }) => {
      const { major, minor, gitVersion } = await config.makeApiClient(VersionApi).getCode()
      expect([major, minor]).toEqual(["1", "36"])
      expect(gitVersion).toMatch(/^v\d+\.\d+\.\d+$/)
    }))

  it("Discovery should validate PreferredVersion for each APIGroup", () =>
    withClient(async ({ config }) => {
      const { groups } = await config.makeApiClient(ApisApi).getAPIVersions()
      expect(groups.length).toBeGreaterThan(0)
      for (const { name, versions, preferredVersion } of groups) {
        expect([name, versions.map(({ groupVersion }) => groupVersion)]).toEqual([
          name,
          expect.arrayContaining([preferredVersion?.groupVersion])
        ])
      }
    }))

  it("Discovery should locate the groupVersion and a resource within each APIGroup", () =>
    withClient(async ({ config, request }) => {
      const { versions } = await config.makeApiClient(CoreApi).getAPIVersions()
      expect(versions).toEqual(["v1"])
      const { groups } = await config.makeApiClient(ApisApi).getAPIVersions()
      for (const { groupVersion } of groups.flatMap((group) => group.versions)) {
        const { json } = await request("GET", `/apis/${groupVersion}`)
        expect([json.groupVersion, json.resources.length > 0]).toEqual([groupVersion, true])
      }
    }))
})

/** Source: test/e2e/apimachinery/field_validation.go. */
describe("[sig-api-machinery] FieldValidation", () => {
  const apply = ({ config }: ClientServer, body: unknown) =>
    config
      .makeApiClient(AppsV1Api)
      .patchNamespacedDeployment(
        { name: "web", namespace, body, fieldManager: "field_validation", fieldValidation: "Strict" },
        patchContentType.merge
      )

  it("should detect unknown and duplicate fields of a typed object", () =>
    withClient(async (server) => {
      await server.config
        .makeApiClient(AppsV1Api)
        .createNamespacedDeployment({ namespace, body: aDeployment() })
      const refused = await refusalOf(apply(server, { spec: { unknownField: "unknown" } }))
      expect(refused.code).toBe(422)
      expect(refused.message).toContain('strict decoding error: unknown field "spec.unknownField"')
      const body = '{"spec":{"unknownField":"unknown","replicas":1,"replicas":2}}'
      const headers = { "content-type": "application/merge-patch+json" }
      const path = "/apis/apps/v1/namespaces/default/deployments/web?fieldValidation=Strict"
      const { json } = await server.request("PATCH", path, { body, headers })
      expect(json.message).toContain(
        'strict decoding error: unknown field "spec.unknownField", duplicate field "spec.replicas"'
      )
    }))

  it("should detect unknown metadata fields of a typed object", () =>
    withClient(async (server) => {
      await server.config
        .makeApiClient(AppsV1Api)
        .createNamespacedDeployment({ namespace, body: aDeployment() })
      const refused = await refusalOf(apply(server, { metadata: { unknownMeta: "unknown" } }))
      expect(refused.message).toContain('strict decoding error: unknown field "metadata.unknownMeta"')
    }))
})
