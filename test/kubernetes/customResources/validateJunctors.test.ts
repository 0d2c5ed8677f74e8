import { describe, expect, it } from "vitest"
import { schemaProblemTexts, schemaWithA } from "./schemaRows.ts"
import type { SchemaRow } from "./schemaRows.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

describe("a schema in a junctor (allOf, anyOf, oneOf, not)", () => {
  it("may constrain values, but not declare types", () => {
    const whole = {
      type: "object",
      additionalProperties: true,
      default: {},
      title: "t",
      description: "d",
      nullable: true,
      externalDocs: {},
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-list-map-keys": ["k"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-map-type": "atomic",
      "x-kubernetes-validations": [{ rule: "true" }]
    } as OpenApiSchema
    const fields = [
      "type: Forbidden: must be empty",
      "additionalProperties: Forbidden: must be undefined",
      "default: Forbidden: must be undefined",
      "title: Forbidden: must be empty",
      "description: Forbidden: must be empty",
      "nullable: Forbidden: must be false",
      "externalDocs: Forbidden: must be undefined",
      "x-kubernetes-preserve-unknown-fields: Forbidden: must be false",
      "x-kubernetes-embedded-resource: Forbidden: must be false",
      "x-kubernetes-int-or-string: Forbidden: must be false",
      "x-kubernetes-list-map-keys: Forbidden: must be empty",
      "x-kubernetes-list-type: Forbidden: must be undefined",
      "x-kubernetes-map-type: Forbidden: must be undefined",
      "x-kubernetes-validations: Forbidden: must be empty"
    ]
    expect(schemaProblemTexts(schemaWithA({ type: "string", anyOf: [{ minLength: 3 }, whole] }))).toEqual(
      fields.map((text) => `s.properties[a].anyOf[1].${text} to be structural`)
    )
  })

  it("may have empty declarations", () => {
    const nothing = {
      type: "",
      title: "",
      nullable: false,
      "x-kubernetes-int-or-string": false,
      "x-kubernetes-list-map-keys": []
    } as OpenApiSchema
    expect(schemaProblemTexts(schemaWithA({ type: "string", not: nothing }))).toEqual([])
  })

  it.each([false, "", []])("may not even have an empty default: %j", (value) => {
    expect(schemaProblemTexts(schemaWithA({ type: "string", not: { default: value } }))).toEqual([
      "s.properties[a].not.default: Forbidden: must be undefined to be structural"
    ])
  })

  it("is validated recursively", () => {
    const inner: OpenApiSchema = { properties: { b: { type: "string", oneOf: [{ nullable: true }] } } }
    expect(schemaProblemTexts(schemaWithA({ type: "object", allOf: [inner] }))).toEqual([
      "s.properties[a].allOf[0].properties[b].type: Forbidden: must be empty to be structural",
      "s.properties[a].allOf[0].properties[b].oneOf[0].nullable: Forbidden: must be false to be structural"
    ])
  })

  const choice: OpenApiSchema = { anyOf: [{ type: "integer" }, { type: "string" }] }
  const typeErrors = (...where: ReadonlyArray<string>) =>
    where.map((path) => `s.properties[a].${path}.type: Forbidden: must be empty to be structural`)
  it.each<SchemaRow>([
    { why: "in anyOf", schema: choice, errors: [] },
    { why: "in the anyOf of the first allOf", schema: { allOf: [choice, { minimum: 1 }] }, errors: [] },
    {
      why: "not in other orders",
      schema: { anyOf: [{ type: "string" }, { type: "integer" }] },
      errors: typeErrors("anyOf[0]", "anyOf[1]")
    },
    {
      why: "not with further rules",
      schema: { anyOf: [{ type: "integer", minimum: 1 }, { type: "string" }] },
      errors: typeErrors("anyOf[0]", "anyOf[1]")
    },
    {
      why: "not in the second allOf",
      schema: { allOf: [{ minimum: 1 }, choice] },
      errors: typeErrors("allOf[1].anyOf[0]", "allOf[1].anyOf[1]")
    },
    {
      why: "not in other junctors",
      schema: { ...choice, oneOf: [{ type: "string" }], not: { type: "integer" } },
      errors: typeErrors("oneOf[0]", "not")
    }
  ])("may name the types of an int-or-string $why", ({ schema, errors }) => {
    expect(schemaProblemTexts(schemaWithA({ "x-kubernetes-int-or-string": true, ...schema }))).toEqual(errors)
    // Kubernetes does not look at the extension.
    expect(schemaProblemTexts(schemaWithA({ type: "string", ...schema }))).toEqual(errors)
  })

  it("has no metadata, and only valid patterns", () => {
    const not: OpenApiSchema = { properties: { metadata: {} }, pattern: "(" }
    expect(schemaProblemTexts(schemaWithA({ type: "object", not }))).toEqual([
      's.properties[a].not.pattern: Invalid value: "(": must be a valid regular expression, but isn\'t',
      "s.properties[a].not.properties[metadata]: Forbidden: must not be specified in a nested context"
    ])
  })

  it("has only fields and items that the root has", () => {
    const properties: OpenApiSchema["properties"] = { a: { items: {} }, b: { properties: { c: {} } }, d: {} }
    const root = schemaWithA(
      { type: "string" },
      { properties: { a: { type: "string" }, b: { type: "object" } }, anyOf: [{ not: { properties } }] }
    )
    const at = "anyOf[0].not.properties"
    expect(schemaProblemTexts(root)).toEqual(
      [
        `[a].items: Required value: because it is defined in s.${at}[a].items`,
        `[b].properties[c]: Required value: because it is defined in s.${at}[b].properties[c]`,
        `[d]: Required value: because it is defined in s.${at}[d]`
      ].map((text) => `s.properties${text}`)
    )
  })
})
