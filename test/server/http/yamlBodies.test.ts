import { describe, expect, it } from "vitest"
import { configMaps, pods, statusSummary } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"

describe("a YAML body", () => {
  const headers = { "content-type": "application/yaml" }
  const aPodWith = (mode: string): string =>
    `metadata: {name: web-1}\nspec:\n  containers: [{name: a, image: b}]\n  volumes: [{name: v, configMap: {name: c, defaultMode: ${mode}}}]\n`

  it("has file modes in octal", () =>
    withTestServer(async ({ request }) => {
      const made = await request("POST", pods, { body: aPodWith("0644"), headers })
      expect(made.json.spec.volumes[0].configMap.defaultMode).toBe(0o644)
      const apply = { "content-type": "application/apply-patch+yaml" }
      const body = `apiVersion: v1\nkind: Pod\n${aPodWith("0600").replace("web-1", "web-2")}`
      const applied = await request("PATCH", `${pods}/web-2?fieldManager=me`, { body, headers: apply })
      expect(applied.json.spec.volumes[0].configMap.defaultMode).toBe(0o600)
    }))

  it("has YAML 1.1 booleans, which are no strings", () =>
    withTestServer(async ({ request }) => {
      const body = "metadata: {name: a}\ndata: {enabled: yes}\n"
      expect(statusSummary(await request("POST", configMaps, { body, headers }))).toEqual({
        code: 400,
        reason: "BadRequest",
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal bool into Go struct field ConfigMap.data of type string'
      })
    }))

  it("has merge keys, whose fields are no duplicates", () =>
    withTestServer(async ({ request }) => {
      const shared = '&shared {color: "red", size: "7"}'
      const body = `metadata:\n  name: a\n  annotations: ${shared}\ndata:\n  <<: *shared\n  size: "9"\n`
      const made = await request("POST", `${configMaps}?fieldValidation=Strict`, { body, headers })
      expect([made.code, made.json.data]).toEqual([201, { color: "red", size: "9" }])
    }))
})

describe("a YAML body that is no object", () => {
  it.each([
    { text: "a: 1\n---\nb: 2\n", says: "line 2: a second document begins, where one object is asked for" },
    { text: "a: b: c", says: "line 1: Nested mappings are not allowed in compact mappings" },
    { text: "a: *x", says: "unknown anchor 'x' referenced" },
    { text: "a: {<<: 7}", says: "map merge requires map or sequence of maps as the value" }
  ])("is refused with a helpful message: $text", ({ text, says }) =>
    withTestServer(async ({ request }) => {
      const headers = { "content-type": "application/yaml" }
      expect(statusSummary(await request("POST", configMaps, { body: text, headers }))).toEqual({
        code: 400,
        reason: "BadRequest",
        message: `error converting YAML to JSON: yaml: ${says}`
      })
    })
  )
})
