import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, configMaps, deployments, patchType } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"

/** Unknown to Kubernetes, but members of every JavaScript object. */
const keys = ["constructor", "prototype", "__proto__", "toString"]
const isQualified = (key: string): boolean => /^[a-z].*[a-z]$/i.test(key)

const patchesSetting = (head: string, name: string, field: string, key: string) => {
  const map = `{"${key}":"x"}`
  const [labels, data] = field === "data" ? ["", `,"data":${map}`] : [`,"labels":${map}`, ""]
  const merge = `{"metadata":{"name":"${name}"${labels}}${data}}`
  return [
    { type: "merge", body: merge },
    { type: "strategic", body: merge },
    { type: "json", body: `[{"op":"add","path":"/${field}/${key}","value":"x"}]` },
    { type: "apply", body: merge.replace("{", `{${head},`) }
  ] as const
}

const deploymentHead = '"apiVersion":"apps/v1","kind":"Deployment"'
const configMapHead = '"apiVersion":"v1","kind":"ConfigMap"'

describe("a key that is a member of JavaScript objects", () => {
  it.each(keys.filter(isQualified))("can be set as label %s by every type of patch", (key) =>
    withTestServer(async ({ request }) => {
      for (const { type, body } of patchesSetting(deploymentHead, "web", "metadata/labels", key)) {
        await request("POST", deployments, { body: aDeployment({ metadata: { labels: { a: "b" } } }) })
        const { code, json } = await request("PATCH", `${deployments}/web?fieldManager=me`, {
          body,
          headers: patchType[type]
        })
        expect([type, code]).toEqual([type, 200])
        expect(Object.entries(json.metadata.labels)).toContainEqual([key, "x"])
        expect(Object.entries(json.metadata.labels)).toContainEqual(["a", "b"])
        await request("DELETE", `${deployments}/web`)
      }
    })
  )

  it.each(keys)("can be set and removed as ConfigMap key %s by every type of patch", (key) =>
    withTestServer(async ({ request }) => {
      const all = patchesSetting(configMapHead, "a", "data", key)
      // JSON pointers do not reach __proto__.
      for (const { type, body } of key === "__proto__" ? all.filter((way) => way.type !== "json") : all) {
        await request("POST", configMaps, { body: aConfigMap("a") })
        const { code, text } = await request("PATCH", `${configMaps}/a?fieldManager=me`, {
          body,
          headers: patchType[type]
        })
        expect([type, code]).toEqual([type, 200])
        expect(text).toContain(`"${key}":"x"`)
        const without = await request("PATCH", `${configMaps}/a`, {
          body: `{"data":{"${key}":null}}`,
          headers: patchType.merge
        })
        expect(without.json.data).toEqual({ key: "value" })
        await request("DELETE", `${configMaps}/a`)
      }
      expect(Object.keys(Object.prototype)).toEqual([])
      expect(Reflect.get({}, "constructor")).toBe(Object)
    })
  )

  it("is refused as label or annotation when it is __proto__", () =>
    withTestServer(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a") })
      for (const field of ["labels", "annotations"]) {
        const body = `{"metadata":{"${field}":{"__proto__":"x"}}}`
        const { code, json } = await request("PATCH", `${configMaps}/a`, { body, headers: patchType.merge })
        expect([code, json.message]).toEqual([
          422,
          expect.stringContaining(`metadata.${field}: Invalid value: "__proto__": name part must consist of`)
        ])
      }
    }))
})
