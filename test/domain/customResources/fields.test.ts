import { describe, expect, it } from "vitest"
import { customResourceAdmission } from "../../../src/kubernetes/customResources/customResourceAdmission.ts"
import { withSchemaDefaults } from "../../../src/kubernetes/customResources/schemaDefaults.ts"
import { kindsOfDefinition } from "../../../src/kubernetes/customResources/definitions.ts"
import { pruneUnknownFields } from "../../../src/kubernetes/customResources/pruneUnknownFields.ts"
import { deepFreeze } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { texts } from "../admission/drafts.ts"
import { aDefinition, aVersion } from "./definitions.ts"
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

describe("a default (TestDefaulting)", () => {
  it.each<Row>([
    {
      why: "is filled in for what is missing, and for a null where none may be",
      schema: { properties: { a: seven, b: seven, c: seven } },
      before: { a: 1, b: null },
      after: { a: 1, b: 7, c: 7 }
    },
    {
      why: "leaves a null where one may be",
      schema: { properties: { a: { ...seven, nullable: true } } },
      before: { a: null },
      after: { a: null }
    },
    {
      why: "brings its own defaults with it",
      schema: { properties: { a: { ...part, default: {} }, b: { ...part, default: { size: 3 } } } },
      before: { b: null },
      after: { a: { size: 7 }, b: { size: 3 } }
    },
    {
      why: "is filled into what is there, and not into what is not",
      schema: { properties: { a: part, b: part } },
      before: { a: {} },
      after: { a: { size: 7 } }
    },
    {
      why: "is filled into elements and for elements",
      schema: { properties: { a: { items: { ...part, default: {} } } } },
      before: { a: [{}, null, { size: 1 }, 3] },
      after: { a: [{ size: 7 }, { size: 7 }, { size: 1 }, 3] }
    },
    {
      why: "is for no element that may be null, and a null that has no default stays in its place",
      schema: { properties: { a: { items: { ...seven, nullable: true } }, b: { items: part } } },
      before: { a: [null], b: [null, {}] },
      after: { a: [null], b: [null, { size: 7 }] }
    },
    {
      why: "is filled into the values of a map",
      schema: { properties: { a: { additionalProperties: part } } },
      before: { a: { x: {}, y: { size: 2 } } },
      after: { a: { x: { size: 7 }, y: { size: 2 } } }
    },
    {
      why: "is not for what every object has by nature",
      schema: { properties: { toString: { type: "integer" } } },
      before: { a: {} },
      after: { a: {} }
    },
    {
      why: "goes in for a field that has its name from nature too",
      schema: { properties: { toString: seven } },
      before: {},
      after: { toString: 7 }
    },
    {
      why: "is nothing to what the schema does not know",
      schema: { properties: { a: { items: {} }, b: {} } },
      before: { a: [[null]], b: { c: null }, d: null },
      after: { a: [[null]], b: { c: null }, d: null }
    },
    {
      why: "takes away a null that nobody may leave there",
      schema: { properties: { a: { type: "string" }, b: part } },
      before: { a: null, b: { size: 1 } },
      after: { b: { size: 1 } }
    },
    {
      why: "keeps away from type and metadata, which are not the schema's to fill in",
      schema: { properties: { metadata: { ...part, default: {} }, kind: { type: "string" } } },
      before: { kind: null },
      after: { kind: null }
    },
    {
      why: "finds metadata further down as any other field",
      schema: { properties: { a: { properties: { metadata: seven } } } },
      before: { a: {} },
      after: { a: { metadata: 7 } }
    }
  ])("$why", ({ schema, before, after }) => {
    expect(withSchemaDefaults(deepFreeze({ ...before }), schema)).toStrictEqual(after)
  })

  it("that nobody needs leaves the very same object, part by part", () => {
    const schema: OpenApiSchema = { properties: { a: part, b: { items: part }, c: part } }
    const whole = { a: { size: 1 }, b: [{ size: 2 }, { size: 3 }], c: { size: 4 } }
    expect(withSchemaDefaults(whole, schema)).toBe(whole)
    expect(withSchemaDefaults(whole, undefined)).toBe(whole)
    const lacking = { ...whole, c: {} }
    const { a, b, c } = withSchemaDefaults<Record<string, unknown>>(lacking, schema)
    expect([a === whole.a, b === whole.b, c]).toEqual([true, true, { size: 7 }])
  })
})

describe("a field that the schema does not know (TestPrune)", () => {
  const known: OpenApiSchema = { type: "object", properties: { a: { type: "string" } } }
  it.each<Row & { readonly strays: ReadonlyArray<string> }>([
    {
      why: "goes, and is told of",
      schema: known,
      before: { a: "1", b: 2, toString: 3 },
      after: { a: "1" },
      strays: ["b", "toString"]
    },
    {
      why: "stays where all fields are kept",
      schema: { ...known, "x-kubernetes-preserve-unknown-fields": true },
      before: { b: { c: 1 } },
      after: { b: { c: 1 } },
      strays: []
    },
    {
      why: "stays in a map of anything",
      schema: { properties: { m: { additionalProperties: true } } },
      before: { m: { b: 1 } },
      after: { m: { b: 1 } },
      strays: []
    },
    {
      why: "goes from a map of nothing",
      schema: { properties: { m: { additionalProperties: false } } },
      before: { m: { b: 1 } },
      after: { m: {} },
      strays: ["m.b"]
    },
    {
      why: "goes from below what keeps all",
      schema: { "x-kubernetes-preserve-unknown-fields": true, properties: { p: known } },
      before: { p: { b: 1 }, q: { b: 1 } },
      after: { p: {}, q: { b: 1 } },
      strays: ["p.b"]
    },
    {
      why: "goes from elements, from the values of a map, and from lists in lists",
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
      why: "is every field of an element of which nothing is said",
      schema: { properties: { l: {} } },
      before: { l: [{ b: 1 }, 7, [{ b: 2 }]] },
      after: { l: [{}, 7, [{}]] },
      strays: ["l[0].b", "l[2][0].b"]
    },
    {
      why: "may be type and metadata further down",
      schema: { properties: { p: known } },
      before: { apiVersion: "v1", kind: "K", metadata: { x: 1 }, p: { kind: "K" } },
      after: { apiVersion: "v1", kind: "K", metadata: { x: 1 }, p: {} },
      strays: ["p.kind"]
    },
    {
      why: "is neither in a whole object within the object",
      schema: { properties: { p: { ...known, "x-kubernetes-embedded-resource": true } } },
      before: { p: { kind: "K", metadata: { x: 1 }, b: 1 } },
      after: { p: { kind: "K", metadata: { x: 1 } } },
      strays: ["p.b"]
    }
  ])("$why", ({ schema, before, after, strays }) => {
    const told: NonNullable<Parameters<typeof pruneUnknownFields>[2]> = []
    expect(pruneUnknownFields({ ...before }, schema, told)).toStrictEqual(after)
    expect(told.map(({ name }) => name)).toEqual(strays)
  })

  it("is nowhere in an object that comes back as it is, part by part", () => {
    const schema: OpenApiSchema = { properties: { p: known, l: { items: known }, q: known } }
    const whole = { p: { a: "1" }, l: [{ a: "2" }], q: { a: "3" } }
    expect(pruneUnknownFields(whole, schema)).toBe(whole)
    expect(pruneUnknownFields(whole, undefined)).toBe(whole)
    const { p, l } = pruneUnknownFields({ ...whole, q: { b: 4 } }, schema)
    expect([p === whole.p, l === whole.l]).toEqual([true, true])
  })
})

describe("the door of a kind that is defined", () => {
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

  it("fills in, and refuses what is wrong before it looks for what is there twice", () => {
    const { defaults, create, update, status } = doorWith(schema)
    expect(defaults(object({}))).toEqual(object({ size: 3 }))
    const twice = object({ tags: ["a", "a"] })
    expect(create({ ...twice, size: "big" } as Draft).map(({ field }) => field)).toEqual(["size"])
    expect(texts(create(twice))).toEqual(['tags[1]: Duplicate value: "a"'])
    expect([update(twice).length, status(twice).length, create(object({ tags: ["a"] })).length]).toEqual([
      1, 1, 0
    ])
    expect(texts(create(object({ tags: [7, 7] }))).map((text) => text.slice(0, 22))).toEqual([
      "tags[0]: Invalid value",
      "tags[1]: Invalid value"
    ])
  })

  it("stands open where there is no schema", () => {
    const { defaults, create } = doorWith(undefined)
    expect([create(object({ size: "big" })), defaults(object({}))]).toEqual([[], object({})])
  })
})
