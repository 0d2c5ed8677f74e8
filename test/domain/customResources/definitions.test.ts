import { describe, expect, it } from "vitest"
import { defaultDefinition, kindsOfDefinition } from "../../../src/kubernetes/customResources/definitions.ts"
import { aDefinition, aSpec, aVersion, cronTabNames } from "./definitions.ts"
import type { DefinitionSpec } from "../../../src/kubernetes/customResources/definitions.ts"

const v1 = aVersion()
const v2 = aVersion({ name: "v2", storage: false })

describe("what a definition adds to the API", () => {
  it.each([
    { why: "nobody has accepted it", status: {} },
    {
      why: "its names are another's",
      status: { conditions: [{ type: "Established", status: "False" }], acceptedNames: cronTabNames }
    },
    { why: "it has no names", status: { conditions: [{ type: "Established", status: "True" }] } }
  ])("is nothing while $why", ({ status }) => {
    expect(kindsOfDefinition(aDefinition({}, status))).toBeUndefined()
  })

  it("is nothing where objects would be stored in no version", () => {
    expect(kindsOfDefinition(aDefinition({ versions: [v2] }))).toBeUndefined()
  })

  it("is a kind a version, of which one is stored, and those that are served", () => {
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

  it("has the names that were accepted, and makes up those that were not given", () => {
    const names = { plural: "tabs", kind: "CronTab" }
    expect(kindsOfDefinition(aDefinition({ scope: "Cluster", names }))?.stored).toMatchObject({
      kind: "CronTab",
      plural: "tabs",
      singular: "crontab",
      namespaced: false,
      shortNames: [],
      categories: [],
      custom: { listKind: "CronTabList", columns: [], selectable: [] }
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

  it("has a status and a scale where it says so", () => {
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

  it("tells its schema, its columns and what its objects can be selected by", () => {
    const column = { name: "Size", type: "integer", jsonPath: ".spec.size" }
    const version = aVersion({
      additionalPrinterColumns: [column],
      selectableFields: [{ jsonPath: ".spec.color" }]
    })
    expect(kindsOfDefinition(aDefinition({ versions: [version] }))?.stored.custom).toMatchObject({
      schema: { type: "object" },
      columns: [column],
      selectable: ["spec.color"]
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
  ])("warns of a version with $more: $warning", ({ more, warning }) => {
    expect(
      kindsOfDefinition(aDefinition({ versions: [aVersion(more)] }))?.stored.custom?.deprecationWarning
    ).toBe(warning)
  })
})

describe("a definition on its way in", () => {
  const draft = (spec: Partial<DefinitionSpec> | undefined) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "crontabs.stable.example.com" },
    ...(spec === undefined ? {} : { spec })
  })
  const none = { strategy: "None" }

  it.each<{ why: string; spec: object; filled: object }>([
    {
      why: "the names that nobody gave",
      spec: { names: { kind: "CronTab" }, conversion: none },
      filled: { names: { kind: "CronTab", singular: "crontab", listKind: "CronTabList" }, conversion: none }
    },
    {
      why: "those that are empty, and no others",
      spec: { names: { kind: "CronTab", singular: "", listKind: "Tabs" } },
      filled: { names: { kind: "CronTab", singular: "crontab", listKind: "Tabs" }, conversion: none }
    },
    {
      why: "one alone",
      spec: { names: { kind: "CronTab", singular: "tab" }, conversion: none },
      filled: { names: { kind: "CronTab", singular: "tab", listKind: "CronTabList" }, conversion: none }
    },
    {
      why: "no names where there is no kind to make them of",
      spec: { names: { kind: "", plural: "tabs" } },
      filled: { names: { kind: "", plural: "tabs" }, conversion: none }
    },
    {
      why: "how versions are made of one another",
      spec: { names: cronTabNames, conversion: {} },
      filled: { names: cronTabNames, conversion: none }
    },
    { why: "that alone, where there is nothing else", spec: {}, filled: { names: {}, conversion: none } }
  ])("gets $why", ({ spec, filled }) => {
    expect(defaultDefinition(draft(spec))).toEqual(draft(filled))
  })

  it("stays the very same where nothing is missing, or everything", () => {
    const whole = draft(aSpec({ conversion: { strategy: "Webhook" } }))
    const nothing = draft(undefined)
    expect(
      [defaultDefinition(whole), defaultDefinition(nothing)].map(
        (it, index) => it === [whole, nothing][index]
      )
    ).toEqual([true, true])
  })
})
