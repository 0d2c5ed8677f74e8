import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, configMaps, deployments, patchType } from "./drafts.ts"
import { inWorld } from "./world.ts"

/** Keys that Kubernetes knows nothing of, and every object of JavaScript does. */
const keys = ["constructor", "prototype", "__proto__", "toString"]
const isQualified = (key: string): boolean => /^[a-z].*[a-z]$/i.test(key)

/** A patch of each type that sets one key of a map. */
const ways = (head: string, name: string, field: string, key: string) => {
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

describe("a key that means something to JavaScript alone", () => {
  it.each(keys.filter(isQualified))("%s is a label that every patch can set", (key) =>
    inWorld(async ({ request }) => {
      for (const { type, body } of ways(deploymentHead, "web", "metadata/labels", key)) {
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

  it.each(keys)("%s is a key of a ConfigMap that every patch can set and take away", (key) =>
    inWorld(async ({ request }) => {
      const all = ways(configMapHead, "a", "data", key)
      // A JSON patch has no path through the one key that reaches behind an object.
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

  it("__proto__ is no name of a label or an annotation, as on any server", () =>
    inWorld(async ({ request }) => {
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
