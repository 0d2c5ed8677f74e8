import { describe, expect, it } from "vitest"
import { customResourceAdmission } from "../../../src/kubernetes/customResources/customResourceAdmission.ts"
import { withSchemaDefaults } from "../../../src/kubernetes/customResources/schemaDefaults.ts"
import { kindsOfDefinition } from "../../../src/kubernetes/customResources/definitions.ts"
import { pruneUnknownFields } from "../../../src/kubernetes/customResources/pruneUnknownFields.ts"
import { deepFreeze } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { errorTexts } from "../admission/drafts.ts"
import { aDefinition, aVersion } from "./definitionFixtures.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

interface Row {
  readonly why: string
  readonly schema: OpenApiSchema
  readonly before: object
  readonly after: object
}

const seven: OpenApiSchema = { type: "integer", default: 7 }
const part: OpenApiSchema = { type: "object", properties: { size: seven } }

describe("the default of a field (TestDefaulting)", () => {
  it.each<Row>([
    {
      why: "replaces a missing value, and a null in a field that is not nullable",
      schema: { properties: { a: seven, b: seven, c: seven } },
      before: { a: 1, b: null },
      after: { a: 1, b: 7, c: 7 }
    },
    {
      why: "keeps a null in a nullable field",
      schema: { properties: { a: { ...seven, nullable: true } } },
      before: { a: null },
      after: { a: null }
    },
    {
      why: "gets the defaults of its own fields",
      schema: { properties: { a: { ...part, default: {} }, b: { ...part, default: { size: 3 } } } },
      before: { b: null },
      after: { a: { size: 7 }, b: { size: 3 } }
    },
    {
      why: "is set inside present objects only",
      schema: { properties: { a: part, b: part } },
      before: { a: {} },
      after: { a: { size: 7 } }
    },
    {
      why: "is set inside list elements and for null elements",
      schema: { properties: { a: { items: { ...part, default: {} } } } },
      before: { a: [{}, null, { size: 1 }, 3] },
      after: { a: [{ size: 7 }, { size: 7 }, { size: 1 }, 3] }
    },
    {
      why: "keeps null elements that are nullable or have no default",
      schema: { properties: { a: { items: { ...seven, nullable: true } }, b: { items: part } } },
      before: { a: [null], b: [null, {}] },
      after: { a: [null], b: [null, { size: 7 }] }
    },
    {
      why: "is set in the values of a map",
      schema: { properties: { a: { additionalProperties: part } } },
      before: { a: { x: {}, y: { size: 2 } } },
      after: { a: { x: { size: 7 }, y: { size: 2 } } }
    },
    {
      why: "ignores properties that every JavaScript object has",
      schema: { properties: { toString: { type: "integer" } } },
      before: { a: {} },
      after: { a: {} }
    },
    {
      why: "is set for a field with the name of a JavaScript property",
      schema: { properties: { toString: seven } },
      before: {},
      after: { toString: 7 }
    },
    {
      why: "ignores fields that the schema does not know",
      schema: { properties: { a: { items: {} }, b: {} } },
      before: { a: [[null]], b: { c: null }, d: null },
      after: { a: [[null]], b: { c: null }, d: null }
    },
    {
      why: "drops a null from a field that is not nullable",
      schema: { properties: { a: { type: "string" }, b: part } },
      before: { a: null, b: { size: 1 } },
      after: { b: { size: 1 } }
    },
    {
      why: "ignores apiVersion, kind and metadata of the object",
      schema: { properties: { metadata: { ...part, default: {} }, kind: { type: "string" } } },
      before: { kind: null },
      after: { kind: null }
    },
    {
      why: "is set for a field called metadata further down",
      schema: { properties: { a: { properties: { metadata: seven } } } },
      before: { a: {} },
      after: { a: { metadata: 7 } }
    }
  ])("$why", ({ schema, before, after }) => {
    expect(withSchemaDefaults(deepFreeze({ ...before }), schema)).toStrictEqual(after)
  })

  it("returns the same object and the same parts when none is missing", () => {
    const schema: OpenApiSchema = { properties: { a: part, b: { items: part }, c: part } }
    const whole = { a: { size: 1 }, b: [{ size: 2 }, { size: 3 }], c: { size: 4 } }
    expect(withSchemaDefaults(whole, schema)).toBe(whole)
    expect(withSchemaDefaults(whole, undefined)).toBe(whole)
    const lacking = { ...whole, c: {} }
    const { a, b, c } = withSchemaDefaults<Record<string, unknown>>(lacking, schema)
    expect([a === whole.a, b === whole.b, c]).toEqual([true, true, { size: 7 }])
  })
})

describe("an unknown field (TestPrune)", () => {
  const known: OpenApiSchema = { type: "object", properties: { a: { type: "string" } } }
  const keeping: OpenApiSchema = { "x-kubernetes-preserve-unknown-fields": true }
  it.each<Row & { readonly strays: ReadonlyArray<string> }>([
    {
      why: "is pruned and reported",
      schema: known,
      before: { a: "1", b: 2, toString: 3 },
      after: { a: "1" },
      strays: ["b", "toString"]
    },
    {
      why: "is kept with x-kubernetes-preserve-unknown-fields",
      schema: { ...known, ...keeping },
      before: { b: { c: 1 } },
      after: { b: { c: 1 } },
      strays: []
    },
    {
      why: "is kept in a map of any values",
      schema: { properties: { m: { additionalProperties: true } } },
      before: { m: { b: 1 } },
      after: { m: { b: 1 } },
      strays: []
    },
    {
      why: "is pruned from objects in a map of any values",
      schema: { properties: { m: { additionalProperties: true } } },
      before: { m: { b: { c: 1 } } },
      after: { m: { b: {} } },
      strays: ["m.b.c"]
    },
    {
      why: "is kept in a list, and in lists in it, with x-kubernetes-preserve-unknown-fields",
      schema: { properties: { l: keeping } },
      before: { l: [{ b: 1 }, [{ b: { c: 2 } }]] },
      after: { l: [{ b: 1 }, [{ b: { c: 2 } }]] },
      strays: []
    },
    {
      why: "is kept in the items of such a list, and pruned below their known fields",
      schema: { properties: { l: { ...keeping, items: { properties: { p: known } } } } },
      before: { l: [{ b: 1, p: { b: 2 } }] },
      after: { l: [{ b: 1, p: {} }] },
      strays: ["l[0].p.b"]
    },
    {
      why: "is pruned from a map of no values",
      schema: { properties: { m: { additionalProperties: false } } },
      before: { m: { b: 1 } },
      after: { m: {} },
      strays: ["m.b"]
    },
    {
      why: "is pruned below preserved fields whose schema is known",
      schema: { ...keeping, properties: { p: known } },
      before: { p: { b: 1 }, q: { b: 1 } },
      after: { p: {}, q: { b: 1 } },
      strays: ["p.b"]
    },
    {
      why: "is pruned from elements, map values and lists of lists",
      schema: {
        properties: {
          l: { items: known },
          m: { additionalProperties: known },
          n: { items: { items: known } }
        }
      },
      before: { l: [{ a: "1" }, { b: 2 }], m: { x: { b: 3 } }, n: [[{ b: 4 }]] },
      after: { l: [{ a: "1" }, {}], m: { x: {} }, n: [[{}]] },
      strays: ["l[1].b", "m.x.b", "n[0][0].b"]
    },
    {
      why: "is pruned from elements without a schema",
      schema: { properties: { l: {} } },
      before: { l: [{ b: 1 }, 7, [{ b: 2 }]] },
      after: { l: [{}, 7, [{}]] },
      strays: ["l[0].b", "l[2][0].b"]
    },
    {
      why: "may be called kind further down",
      schema: { properties: { p: known } },
      before: { apiVersion: "v1", kind: "K", metadata: { x: 1 }, p: { kind: "K" } },
      after: { apiVersion: "v1", kind: "K", metadata: { x: 1 }, p: {} },
      strays: ["p.kind"]
    },
    {
      why: "may not be called kind in an embedded resource",
      schema: { properties: { p: { ...known, "x-kubernetes-embedded-resource": true } } },
      before: { p: { kind: "K", metadata: { x: 1 }, b: 1 } },
      after: { p: { kind: "K", metadata: { x: 1 } } },
      strays: ["p.b"]
    }
  ])("$why", ({ schema, before, after, strays }) => {
    const reported: NonNullable<Parameters<typeof pruneUnknownFields>[2]> = []
    expect(pruneUnknownFields({ ...before }, schema, reported)).toStrictEqual(after)
    expect(reported.map(({ name }) => name)).toEqual(strays)
  })

  it("is absent from an object that is returned itself, part by part", () => {
    const schema: OpenApiSchema = { properties: { p: known, l: { items: known }, q: known } }
    const whole = { p: { a: "1" }, l: [{ a: "2" }], q: { a: "3" } }
    expect(pruneUnknownFields(whole, schema)).toBe(whole)
    expect(pruneUnknownFields(whole, undefined)).toBe(whole)
    const { p, l } = pruneUnknownFields({ ...whole, q: { b: 4 } }, schema)
    expect([p === whole.p, l === whole.l]).toEqual([true, true])
  })
})

describe("admission of a custom resource", () => {
  const schema: OpenApiSchema = {
    properties: {
      size: { type: "integer", default: 3 },
      tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }
    }
  }
  const doorWith = (openAPIV3Schema: OpenApiSchema | undefined) => {
    const versions = [aVersion({ schema: openAPIV3Schema === undefined ? {} : { openAPIV3Schema } })]
    const custom = kindsOfDefinition(aDefinition({ versions }))?.stored.custom
    if (custom === undefined) throw new Error("not a kind")
    return customResourceAdmission(custom)
  }
  const object = (fields: object) => ({
    apiVersion: "stable.example.com/v1",
    kind: "CronTab",
    metadata: { name: "nightly" },
    ...fields
  })

  it("sets defaults, and finds invalid values and duplicates", () => {
    const { defaults, create, update, status } = doorWith(schema)
    expect(defaults(object({}))).toEqual(object({ size: 3 }))
    const twice = object({ tags: ["a", "a"] })
    expect(create({ ...twice, size: "big" } as Draft).map(({ field }) => field)).toEqual(["size", "tags[1]"])
    expect(errorTexts(create(twice))).toEqual(['tags[1]: Duplicate value: "a"'])
    const once = object({ tags: ["a"] })
    expect([update(twice, once).length, status(twice, once).length, create(once).length]).toEqual([1, 1, 0])
    expect(errorTexts(create(object({ tags: [7, 7] }))).map((text) => text.slice(0, 24))).toEqual([
      "tags[0]: Invalid value: ",
      "tags[1]: Invalid value: ",
      "tags[1]: Duplicate value"
    ])
  })

  it("accepts invalid values that are those of the stored object (CRDValidationRatcheting)", () => {
    const item: OpenApiSchema = { properties: { name: { type: "string" }, size: { maximum: 5 } } }
    const { update } = doorWith({
      properties: {
        spec: { properties: { size: { maximum: 5 }, color: { enum: ["red"] } }, required: ["owner"] },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: item
        },
        atoms: { type: "array", items: item }
      }
    })
    const big = { name: "a", size: 9 }
    const old = object({ spec: { size: 9, color: "blue" }, parts: [big], atoms: [big] })
    const fieldsAfter = (fields: object) =>
      update({ ...old, ...fields } as Draft, old).map(({ field }) => field)
    expect(fieldsAfter({ metadata: { name: "nightly", labels: { a: "b" } } })).toEqual([])
    expect(fieldsAfter({ spec: { size: 9, color: "red" } })).toEqual(["spec.owner"])
    expect(fieldsAfter({ spec: { size: 8, color: "blue" } })).toEqual(["spec.owner", "spec.size"])
    expect(fieldsAfter({ parts: [{ name: "b" }, big] })).toEqual([])
    expect(fieldsAfter({ parts: [{ ...big, size: 8 }] })).toEqual(["parts[0].size"])
    expect(fieldsAfter({ atoms: [{ name: "b" }, big] })).toEqual(["atoms[1].size"])
  })

  it("accepts duplicates that the stored object has already", () => {
    const { update, status } = doorWith(schema)
    const [old, next] = [object({ tags: ["a", "a"] }), object({ tags: ["b", "b"] })]
    expect([update(next, old), status(next, old)]).toEqual([[], []])
  })

  it("accepts any object without a schema", () => {
    const { defaults, create } = doorWith(undefined)
    expect([create(object({ size: "big" })), defaults(object({}))]).toEqual([[], object({})])
  })
})
