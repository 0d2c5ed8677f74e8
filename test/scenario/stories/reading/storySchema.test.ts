import { describe, expect, it } from "vitest"
import { faultNames } from "../../../../src/faults/kinds/faultKinds.ts"
import { faultSchemas } from "../../../../src/faults/schemas/faultSchemas.ts"
import { isFields } from "../../../../src/kubernetes/meta/fields.ts"
import { storyJsonSchema } from "../../../../src/scenario/stories/reading/storySchema.ts"
import type { FaultName } from "../../../../src/faults/fault.ts"
import type { FaultNamed } from "../../../../src/faults/faultKind.ts"

/** The schemas and the types of faults agree, optional fields included: otherwise this does not compile. */
type SchemaFaults = { readonly [N in FaultName]: Required<(typeof faultSchemas)[N]["Type"]> }
type TypedFaults = { readonly [N in FaultName]: Required<FaultNamed<N>> }
const toTyped = (read: SchemaFaults): TypedFaults => read
const toSchema = (typed: TypedFaults): SchemaFaults => typed

const schema = storyJsonSchema()

/** Every schema within a schema, with its path. */
const within = (
  value: unknown,
  path: string
): ReadonlyArray<readonly [path: string, schema: Readonly<Record<string, unknown>>]> => {
  if (Array.isArray(value)) return value.flatMap((it: unknown, index) => within(it, `${path}/${index}`))
  if (!isFields(value)) return []
  return [[path, value], ...Object.entries(value).flatMap(([name, it]) => within(it, `${path}/${name}`))]
}

describe("the JSON Schema of a story", () => {
  it("describes every field, action and fault", () => {
    const undescribed = within(schema, "").flatMap(([path, { properties }]) =>
      isFields(properties)
        ? Object.entries(properties).flatMap(([name, field]) =>
            isFields(field) && ("description" in field || "$ref" in field) ? [] : [`${path}/${name}`]
          )
        : []
    )
    const outer = ["apiVersion", "kind", "metadata", "spec", "name", "labels", "annotations"]
    const own = ["uniform", "normal", "exponential", "mean", "deviation"]
    expect(undescribed.filter((path) => ![...outer, ...own].includes(path.split("/").at(-1) ?? ""))).toEqual(
      []
    )
  })

  it("has every fault in steps, faults and weather", () => {
    const names = (path: string): ReadonlyArray<unknown> =>
      within(schema, "").flatMap(([where, { properties }]) =>
        where.startsWith(path) && isFields(properties) && isFields(properties["fault"])
          ? [properties["fault"]["const"] ?? properties["fault"]["enum"]].flat()
          : []
      )
    for (const place of ["steps", "faults", "weather"])
      expect(new Set(names(`/properties/spec/properties/${place}`))).toEqual(new Set(faultNames))
    expect(new Set(Object.keys(faultSchemas))).toEqual(new Set(faultNames))
  })

  it("refers only to its own definitions", () => {
    const { $defs } = schema
    const refs = within(schema, "").flatMap(([, { $ref }]) => (typeof $ref === "string" ? [$ref] : []))
    expect(refs.length).toBeGreaterThan(20)
    expect(
      refs.filter((ref) => !isFields($defs) || !($defs[ref.replace("#/$defs/", "")] !== undefined))
    ).toEqual([])
  })

  it("has the same fields as the types", () => {
    expect([toTyped, toSchema].every((it) => typeof it === "function")).toBe(true)
  })
})
