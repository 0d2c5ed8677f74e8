import { describe, expect, it } from "vitest"
import { cronTab, cronTabsPath, createDefinition, definition, definitionsPath } from "./cronTabs.ts"
import { patchType } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"

const subject = 'CronTab.stable.example.com "nightly" is invalid: '

describe("a custom object that violates its schema", () => {
  it.each([
    {
      fields: { replicas: "two" },
      says: 'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"'
    },
    {
      fields: { replicas: 1.5 },
      says: 'spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"'
    },
    {
      fields: { replicas: 11 },
      says: "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10"
    },
    {
      fields: { replicas: 0 },
      says: "spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1"
    },
    { fields: { cronSpec: undefined }, says: "spec.cronSpec: Required value" },
    {
      fields: { cronSpec: "daily" },
      says: String.raw`spec.cronSpec: Invalid value: "daily": spec.cronSpec in body should match '^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$'`
    },
    {
      fields: { image: "ab" },
      says: 'spec.image: Invalid value: "ab": spec.image in body should be at least 3 chars long'
    },
    { fields: { image: "0123456789" }, says: "spec.image: Too long: may not be more than 9 bytes" },
    {
      fields: { policy: "Wait" },
      says: 'spec.policy: Unsupported value: "Wait": supported values: "Allow", "Forbid"'
    },
    {
      fields: { share: 0 },
      says: "spec.share: Invalid value: 0: spec.share in body should be greater than 0"
    },
    {
      fields: { share: 0.7 },
      says: "spec.share: Invalid value: 0.7: spec.share in body should be a multiple of 0.5"
    },
    {
      fields: { port: true },
      says: 'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"'
    },
    {
      fields: { at: "noon" },
      says: 'spec.at: Invalid value: "noon": spec.at in body must be of type date-time: "noon"'
    },
    {
      fields: { tags: ["a", 2] },
      says: 'spec.tags[1]: Invalid value: "integer": spec.tags[1] in body must be of type string: "integer"'
    },
    { fields: { tags: ["a", "b", "c", "d"] }, says: "spec.tags: Too many: 4: must have at most 3 items" },
    { fields: { tags: ["a", "a"] }, says: 'spec.tags[1]: Duplicate value: "a"' },
    {
      fields: { steps: [{ name: "a" }, { name: "a" }] },
      says: 'spec.steps[1]: Duplicate value: {"name":"a"}'
    },
    { fields: { steps: [{}] }, says: "spec.steps[0].name: Required value" },
    {
      fields: { limits: { cpu: "1" } },
      says: 'spec.limits.cpu: Invalid value: "string": spec.limits.cpu in body must be of type integer: "string"'
    },
    {
      fields: { choice: { a: "1", b: "2" } },
      says: '<nil>: Invalid value: "": "spec.choice" must validate one and only one schema (oneOf). Found 2 valid alternatives'
    }
  ])("is refused with Kubernetes' message: $says", ({ fields, says }) =>
    withTestServer(async (server) => {
      await createDefinition(server)
      const { code, json } = await server.request("POST", cronTabsPath, { body: cronTab(fields) })
      expect({ code, message: json.message }).toEqual({ code: 422, message: `${subject}${says}` })
      expect(json.details).toMatchObject({ name: "nightly", group: "stable.example.com", kind: "CronTab" })
    })
  )
})

describe("a CEL rule", () => {
  it("is stored, not evaluated, and every write of the CRD warns of it", () =>
    withTestServer(async (server) => {
      const rules = [{ rule: "self.replicas % 2 == 0" }]
      const spec = {
        type: "object",
        properties: { cronSpec: { type: "string" }, replicas: { type: "integer" } },
        "x-kubernetes-validations": rules
      }
      const schema = { openAPIV3Schema: { type: "object", properties: { spec } } }
      const body = definition({ version: { schema } })
      const warning =
        '299 - "spec.versions[0].schema.openAPIV3Schema.properties.spec.x-kubernetes-validations: ' +
        'charthouse does not evaluate CEL: objects that these rules would refuse are accepted"'
      const made = await server.request("POST", definitionsPath, { body })
      expect([made.code, made.headers.warning]).toEqual([201, warning])
      const name = `${definitionsPath}/crontabs.stable.example.com`
      const patched = await server.request("PATCH", name, {
        body: { metadata: { labels: { a: "b" } } },
        headers: patchType.merge
      })
      expect([patched.code, patched.headers.warning]).toEqual([200, warning])
      expect((await server.request("GET", name)).headers.warning).toBe(undefined)
      expect((await server.request("POST", cronTabsPath, { body: cronTab({ replicas: 7 }) })).code).toBe(201)
    }))

  it("causes no warning when the CRD has none", () =>
    withTestServer(async (server) =>
      expect((await server.request("POST", definitionsPath, { body: definition() })).headers.warning).toBe(
        undefined
      )
    ))
})
