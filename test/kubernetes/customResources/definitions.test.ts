import { describe, expect, it } from "vitest"
import { defaultDefinition, kindsOfDefinition } from "../../../src/kubernetes/customResources/definitions.ts"
import { aDefinition, aSpec, aVersion, cronTabNames } from "./definitionFixtures.ts"
import type { DefinitionSpec } from "../../../src/kubernetes/customResources/definitions.ts"

const v1 = aVersion()
const v2 = aVersion({ name: "v2", storage: false })

describe("the kinds of a CustomResourceDefinition", () => {
  it.each([
    { why: "no controller has accepted its names", status: {} },
    {
      why: "its names are in conflict",
      status: { conditions: [{ type: "Established", status: "False" }], acceptedNames: cronTabNames }
    },
    { why: "it has no accepted names", status: { conditions: [{ type: "Established", status: "True" }] } }
  ])("are absent while $why", ({ status }) => {
    expect(kindsOfDefinition(aDefinition({}, status))).toBeUndefined()
  })

  it("are absent without a storage version", () => {
    expect(kindsOfDefinition(aDefinition({ versions: [v2] }))).toBeUndefined()
  })

  it("are one for each served version, all stored in the storage version", () => {
    const v0 = aVersion({ name: "v0", storage: false, served: false })
    const kinds = kindsOfDefinition(aDefinition({ versions: [v0, v2, v1] }))
    expect(kinds?.stored.version).toBe("v1")
    expect(kinds?.served.map(({ version, custom }) => [version, custom?.storageKind?.version])).toEqual([
      ["v2", "v1"],
      ["v1", undefined]
    ])
    expect(kinds?.served[1]).toBe(kinds?.stored)
    expect(kinds?.apiVersions).toEqual(["v0", "v2", "v1"].map((version) => `stable.example.com/${version}`))
  })

  it("have the accepted names, and derived names for the missing ones", () => {
    const names = { plural: "tabs", kind: "CronTab" }
    expect(kindsOfDefinition(aDefinition({ scope: "Cluster", names }))?.stored).toMatchObject({
      kind: "CronTab",
      plural: "tabs",
      singular: "crontab",
      namespaced: false,
      shortNames: [],
      categories: [],
      custom: { listKind: "CronTabList", printerColumns: [], selectableFields: [] }
    })
    const more = { singular: "tab", listKind: "Tabs", shortNames: ["ct"], categories: ["all"] }
    expect(kindsOfDefinition(aDefinition({ names: { ...names, ...more } }))?.stored).toMatchObject({
      singular: "tab",
      namespaced: true,
      shortNames: ["ct"],
      categories: ["all"],
      custom: { listKind: "Tabs" }
    })
  })

  it("have the status and scale subresources that the version declares", () => {
    const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }
    const stored = (subresources: object) => {
      const kind = kindsOfDefinition(aDefinition({ versions: [aVersion({ subresources })] }))?.stored
      const { subresources: under = [], custom } = kind ?? {}
      return [
        under.map((it) => `${it.name} ${it.group}/${it.version} ${it.kind}`),
        custom?.hasStatus,
        custom?.scale
      ]
    }
    expect([stored({}), stored({ status: {} }), stored({ scale })]).toEqual([
      [[], false, undefined],
      [["status stable.example.com/v1 CronTab"], true, undefined],
      [["scale autoscaling/v1 Scale"], false, scale]
    ])
  })

  it("have the schema, printer columns and selectable fields of the version", () => {
    const column = { name: "Size", type: "integer", jsonPath: ".spec.size" }
    const version = aVersion({
      additionalPrinterColumns: [column],
      selectableFields: [{ jsonPath: ".spec.color" }]
    })
    expect(kindsOfDefinition(aDefinition({ versions: [version] }))?.stored.custom).toMatchObject({
      schema: { type: "object" },
      printerColumns: [column],
      selectableFields: ["spec.color"]
    })
    const { schema: _schema, ...bare } = v1
    expect(kindsOfDefinition(aDefinition({ versions: [bare] }))?.stored.custom).toMatchObject({
      schema: undefined
    })
  })

  it.each([
    { more: {}, warning: undefined },
    { more: { deprecationWarning: "use v2" }, warning: undefined },
    { more: { deprecated: true }, warning: "stable.example.com/v1 CronTab is deprecated" },
    { more: { deprecated: true, deprecationWarning: "use v2" }, warning: "use v2" }
  ])("have the deprecation warning of $more: $warning", ({ more, warning }) => {
    expect(
      kindsOfDefinition(aDefinition({ versions: [aVersion(more)] }))?.stored.custom?.deprecationWarning
    ).toBe(warning)
  })
})

describe("defaults of a CustomResourceDefinition", () => {
  const draft = (spec: Partial<DefinitionSpec> | undefined) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "crontabs.stable.example.com" },
    ...(spec === undefined ? {} : { spec })
  })
  const none = { strategy: "None" }

  it.each<{ why: string; spec: object; filled: object }>([
    {
      why: "missing names",
      spec: { names: { kind: "CronTab" }, conversion: none },
      filled: { names: { kind: "CronTab", singular: "crontab", listKind: "CronTabList" }, conversion: none }
    },
    {
      why: "empty names",
      spec: { names: { kind: "CronTab", singular: "", listKind: "Tabs" } },
      filled: { names: { kind: "CronTab", singular: "crontab", listKind: "Tabs" }, conversion: none }
    },
    {
      why: "one missing name",
      spec: { names: { kind: "CronTab", singular: "tab" }, conversion: none },
      filled: { names: { kind: "CronTab", singular: "tab", listKind: "CronTabList" }, conversion: none }
    },
    {
      why: "no names without a kind",
      spec: { names: { kind: "", plural: "tabs" } },
      filled: { names: { kind: "", plural: "tabs" }, conversion: none }
    },
    {
      why: "the conversion strategy",
      spec: { names: cronTabNames, conversion: {} },
      filled: { names: cronTabNames, conversion: none }
    },
    { why: "the conversion strategy alone", spec: {}, filled: { names: {}, conversion: none } }
  ])("set $why", ({ spec, filled }) => {
    expect(defaultDefinition(draft(spec))).toEqual(draft(filled))
  })

  it("return the same object when nothing, or the whole spec, is missing", () => {
    const whole = draft(aSpec({ conversion: { strategy: "Webhook" } }))
    const nothing = draft(undefined)
    expect(
      [defaultDefinition(whole), defaultDefinition(nothing)].map(
        (it, index) => it === [whole, nothing][index]
      )
    ).toEqual([true, true])
  })
})
