import { expect, it } from "vitest"
import { convertToServed, convertToStored } from "../../../src/kubernetes/meta/kindConversion.ts"
import { kindsOfDefinition } from "../../../src/kubernetes/customResources/definitions.ts"
import { aDefinition, aVersion } from "./definitionFixtures.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

const withSize = (properties: Readonly<Record<string, OpenApiSchema>>) => ({
  schema: {
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } }
  }
})
const size = { type: "integer", default: 3 }
const served = kindsOfDefinition(
  aDefinition({
    versions: [
      aVersion(withSize({ size, color: { type: "string", default: "red" } })),
      aVersion({ name: "v2", storage: false, ...withSize({ size: { ...size, default: 7 } }) })
    ]
  })
)?.served
const [v1, v2] = served ?? []

const aCronTab = (version: string, spec: object) => ({
  apiVersion: `stable.example.com/${version}`,
  kind: "CronTab",
  metadata: { name: "a" },
  spec
})

it("stores a custom resource in the stored version, with the defaults of its own", () => {
  if (v1 === undefined || v2 === undefined) throw new Error("two versions are served")
  expect(convertToStored(v2, aCronTab("v2", {}))).toEqual(aCronTab("v1", { size: 7 }))
  const draft = aCronTab("v1", {})
  expect(convertToStored(v1, draft)).toBe(draft)
})

it("serves a custom resource in another version with the fields and defaults of that version", () => {
  if (v1 === undefined || v2 === undefined) throw new Error("two versions are served")
  expect(convertToServed(v2, aCronTab("v1", { color: "blue" }))).toEqual(aCronTab("v2", { size: 7 }))
  expect(convertToServed(v1, aCronTab("v1", { color: "blue" }))).toEqual(aCronTab("v1", { color: "blue" }))
})
