import { describe, expect, it } from "vitest"
import {
  validateDefinition,
  validateDefinitionUpdate
} from "../../../src/kubernetes/customResources/validateDefinition.ts"
import { edited, texts, type Edit, type LooseDraft } from "../admission/drafts.ts"
import { aDefinition, aVersion } from "./definitions.ts"

const fine: LooseDraft = aDefinition()

const versioned = (...versions: ReadonlyArray<object>): Edit => ["spec.versions", versions]

const long = "A".repeat(64)

const labelRule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, " +
  "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')"

interface Row {
  readonly why: string
  readonly edits: ReadonlyArray<Edit>
  readonly errors: ReadonlyArray<string>
}

const named = (group: string): ReadonlyArray<Edit> => [
  ["spec.group", group],
  ["metadata.name", `crontabs.${group}`]
]

const groups: ReadonlyArray<Row> = [
  { why: "as it should be", edits: [], errors: [] },
  {
    why: "a name that says something else",
    edits: [["metadata.name", "tabs.stable.example.com"]],
    errors: [
      'metadata.name: Invalid value: "tabs.stable.example.com": must be spec.names.plural+"."+spec.group'
    ]
  },
  ...["k8s.io", "stable.kubernetes.io"].map((group) => ({
    why: "a group of Kubernetes that nobody approved",
    edits: named(group),
    errors: [
      "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval " +
        'annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111'
    ]
  })),
  {
    why: "one that somebody did",
    edits: [...named("k8s.io"), ["metadata.annotations", { "api-approved.kubernetes.io": "unapproved" }]],
    errors: []
  },
  { why: "a group that only ends alike", edits: named("notk8s.io"), errors: [] },
  { why: "a group that only begins alike", edits: named("k8s.io.example.com"), errors: [] },
  {
    why: "no group",
    edits: [
      ["spec.group", ""],
      ["metadata.name", "crontabs."]
    ],
    errors: ["spec.group: Required value"]
  },
  {
    why: "a group without a dot",
    edits: named("stable"),
    errors: ['spec.group: Invalid value: "stable": should be a domain with at least one dot']
  },
  {
    why: "a group that is no domain",
    edits: named("a_b.c"),
    errors: [
      'spec.group: Invalid value: "a_b.c": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric ' +
        "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex " +
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    ]
  },
  { why: "no scope", edits: [["spec.scope", ""]], errors: ["spec.scope: Required value"] },
  {
    why: "a scope that there is none of",
    edits: [["spec.scope", "Galaxy"]],
    errors: ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"']
  },
  {
    why: "unknown fields kept in all versions",
    edits: [["spec.preserveUnknownFields", true]],
    errors: ["spec.preserveUnknownFields: Invalid value: true: must be false"]
  },
  { why: "them not kept, in words", edits: [["spec.preserveUnknownFields", false]], errors: [] },
  { why: "no word of conversion", edits: [["spec.conversion", undefined]], errors: [] },
  {
    why: "a conversion by somebody else",
    edits: [["spec.conversion.strategy", "Webhook"]],
    errors: ["spec.conversion.strategy: Forbidden: webhooks are not called here"]
  },
  {
    why: "a conversion that there is none of",
    edits: [["spec.conversion.strategy", "Magic"]],
    errors: ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"']
  }
]

const names: ReadonlyArray<Row> = [
  {
    why: "none",
    edits: [
      ["spec.names", undefined],
      ["metadata.name", ".stable.example.com"]
    ],
    errors: ["plural", "singular", "kind", "listKind"].map((field) => `spec.names.${field}: Required value`)
  },
  {
    why: "each that is no label",
    edits: [
      [
        "spec.names",
        {
          plural: "Crontabs",
          singular: "cron_tab",
          kind: "Cron.Tab",
          listKind: "7Tabs",
          shortNames: ["ct", "C"],
          categories: ["all", "A"]
        }
      ],
      ["metadata.name", "Crontabs.stable.example.com"]
    ],
    errors: [
      `spec.names.plural: Invalid value: "Crontabs": ${labelRule}`,
      `spec.names.singular: Invalid value: "cron_tab": ${labelRule}`,
      `spec.names.kind: Invalid value: "Cron.Tab": may have mixed case, but should otherwise match: ${labelRule}`,
      `spec.names.listKind: Invalid value: "7Tabs": may have mixed case, but should otherwise match: ${labelRule}`,
      `spec.names.shortNames[1]: Invalid value: "C": ${labelRule}`,
      `spec.names.categories[1]: Invalid value: "A": ${labelRule}`
    ]
  },
  {
    why: "one that is wrong in two ways",
    edits: [["spec.names.singular", long]],
    errors: [`spec.names.singular: Invalid value: "${long}": must be no more than 63 characters,${labelRule}`]
  },
  {
    why: "a list called like its elements",
    edits: [["spec.names.listKind", "CronTab"]],
    errors: ['spec.names.listKind: Invalid value: "CronTab": kind and listKind may not be the same']
  },
  {
    why: "neither kind",
    edits: [
      ["spec.names.kind", ""],
      ["spec.names.listKind", ""]
    ],
    errors: ["spec.names.kind: Required value", "spec.names.listKind: Required value"]
  }
]

const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }
const scaled = (more: object): Edit => versioned(aVersion({ subresources: { scale: { ...scale, ...more } } }))
const at = "spec.versions[0].subresources.scale"
const column = { name: "Size", type: "integer", jsonPath: ".spec.size" }
const columned = (...columns: ReadonlyArray<object>): Edit =>
  versioned({ ...aVersion(), additionalPrinterColumns: columns })
const columnAt = (index: number): string => `spec.versions[0].additionalPrinterColumns[${index}]`
const simple = "must be a simple json path starting with ."

const versions: ReadonlyArray<Row> = [
  {
    why: "two, of which one is stored",
    edits: [versioned(aVersion(), aVersion({ name: "v2", storage: false }))],
    errors: []
  },
  {
    why: "none",
    edits: [["spec.versions", undefined]],
    errors: ["spec.versions: Invalid value: []: must have exactly one version marked as storage version"]
  },
  {
    why: "two that are stored, under one name",
    edits: [versioned({ ...aVersion(), schema: undefined }, aVersion())],
    errors: [
      "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required",
      ...["must contain unique version names", "must have exactly one version marked as storage version"].map(
        (why) =>
          'spec.versions: Invalid value: [{"name":"v1","served":true,"storage":true},{"name":"v1","served":true,' +
          `"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]: ${why}`
      )
    ]
  },
  {
    why: "one without a name that can be one",
    edits: [versioned(aVersion({ name: "1" }))],
    errors: [`spec.versions[0].name: Invalid value: "1": ${labelRule}`]
  },
  {
    why: "one with a name that is wrong in two ways",
    edits: [versioned(aVersion({ name: long }))],
    errors: [
      `spec.versions[0].name: Invalid value: "${long}": must be no more than 63 characters,${labelRule}`
    ]
  },
  {
    why: "one with an empty schema",
    edits: [versioned(aVersion({ schema: {} }))],
    errors: ["spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"]
  },
  {
    why: "one whose schema is none",
    edits: [versioned(aVersion({ schema: { openAPIV3Schema: { type: "string" } } }))],
    errors: [
      'spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root'
    ]
  },
  { why: "a size", edits: [scaled({})], errors: [] },
  { why: "a size and a selector", edits: [scaled({ labelSelectorPath: ".spec.selector" })], errors: [] },
  { why: "a selector in the status", edits: [scaled({ labelSelectorPath: ".status.selector" })], errors: [] },
  {
    why: "a selector elsewhere",
    edits: [scaled({ labelSelectorPath: ".selector" })],
    errors: [`${at}.labelSelectorPath: Invalid value: ".selector": should be a json path under .status`]
  },
  {
    why: "sizes that nobody says",
    edits: [scaled({ specReplicasPath: "", statusReplicasPath: undefined })],
    errors: [`${at}.specReplicasPath: Required value`, `${at}.statusReplicasPath: Required value`]
  },
  {
    why: "sizes that are elsewhere",
    edits: [scaled({ specReplicasPath: ".status.size", statusReplicasPath: "status.size" })],
    errors: [
      `${at}.specReplicasPath: Invalid value: ".status.size": should be a json path under .spec`,
      `${at}.statusReplicasPath: Invalid value: "status.size": ${simple}`
    ]
  },
  { why: "a column", edits: [columned(column)], errors: [] },
  {
    why: "columns without anything, or with nothing",
    edits: [columned({}, { name: "", type: "", jsonPath: "" })],
    errors: [0, 1].flatMap((index) => [
      `${columnAt(index)}.name: Required value`,
      `${columnAt(index)}.type: Required value: must be one of boolean,date,integer,number,string`,
      `${columnAt(index)}.jsonPath: Required value`
    ])
  },
  {
    why: "a column of a strange type, somewhere",
    edits: [columned(column, { ...column, type: "color", jsonPath: "spec.size" })],
    errors: [
      `${columnAt(1)}.type: Invalid value: "color": must be one of boolean,date,integer,number,string`,
      `${columnAt(1)}.jsonPath: Invalid value: "spec.size": ${simple}`
    ]
  }
]

describe("a definition is told what is wrong (TestValidateCustomResourceDefinition)", () => {
  it.each(groups)("about itself: $why", ({ edits, errors }) => {
    expect(texts(validateDefinition(edited(fine, ...edits)))).toEqual(errors)
  })

  it.each(names)("about its names: $why", ({ edits, errors }) => {
    expect(texts(validateDefinition(edited(fine, ...edits)))).toEqual(errors)
  })

  it.each(versions)("about its versions: $why", ({ edits, errors }) => {
    expect(texts(validateDefinition(edited(fine, ...edits)))).toEqual(errors)
  })

  it("about all of them, where it says nothing", () => {
    const { spec: _spec, ...empty } = edited(fine, ["metadata", {}])
    expect(validateDefinition(empty).map(({ field }) => field)).toEqual([
      "metadata.name",
      "spec.group",
      "spec.scope",
      "spec.versions",
      ...["plural", "singular", "kind", "listKind"].map((field) => `spec.names.${field}`)
    ])
  })
})

describe("a definition that changes (TestValidateCustomResourceDefinitionUpdate)", () => {
  const { status: _status, ...unknown } = fine
  const conditions = (status: string) => ({ conditions: [{ type: "Established", status }] })
  const is = (field: string, value: string): string =>
    `${field}: Invalid value: "${value}": field is immutable`

  it.each<Row & { readonly old?: LooseDraft }>([
    { why: "nothing", edits: [], errors: [] },
    {
      why: "what it is once it is served",
      edits: [
        ["spec.scope", "Cluster"],
        ["spec.names.kind", "Tab"],
        ["spec.group", "other.example.com"],
        ["spec.names.plural", "tabs"]
      ],
      errors: [
        is("spec.scope", "Cluster"),
        is("spec.names.kind", "Tab"),
        is("spec.group", "other.example.com"),
        is("spec.names.plural", "tabs")
      ]
    },
    {
      why: "what it is before that",
      old: { ...unknown, status: conditions("False") },
      edits: [
        ["spec.scope", "Cluster"],
        ["spec.names.kind", "Tab"],
        ["spec.names.plural", "tabs"]
      ],
      errors: [is("spec.names.plural", "tabs")]
    },
    {
      why: "its kind before anybody has looked at it",
      old: unknown,
      edits: [["spec.names.kind", "Tab"]],
      errors: []
    },
    {
      why: "into one that says less",
      edits: [["spec.names.kind", undefined]],
      errors: ["spec.names.kind: Required value", is("spec.names.kind", "")]
    },
    {
      why: "into one without names and from one without a spec",
      old: { ...unknown, spec: {} },
      edits: [["spec", { ...aDefinition().spec, names: undefined }]],
      errors: [
        ...["plural", "singular", "kind", "listKind"].map((field) => `spec.names.${field}: Required value`),
        is("spec.group", "stable.example.com")
      ]
    },
    {
      why: "another version, beside the one in which objects are stored",
      edits: [versioned(aVersion(), aVersion({ name: "v2", storage: false }))],
      errors: []
    },
    {
      why: "a version away in which objects may be stored",
      old: edited(fine, ["status.storedVersions", ["v1", "v0"]]),
      edits: [],
      errors: [
        'status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage ' +
          "version, and must remain in spec.versions until a storage migration ensures no data remains persisted in " +
          "v0 and removes v0 from status.storedVersions"
      ]
    }
  ])("is told of it: $why", ({ edits, errors, old = fine }) => {
    expect(texts(validateDefinitionUpdate(edited(fine, ...edits), old))).toEqual(errors)
  })

  it("from nothing or to nothing is told what is missing", () => {
    const { spec: _spec, ...empty } = fine
    expect(validateDefinitionUpdate(fine, empty).map(({ field }) => field)).toEqual([
      "spec.scope",
      "spec.names.kind",
      "spec.group",
      "spec.names.plural"
    ])
    expect(validateDefinitionUpdate(empty, fine).map(({ field }) => field)).toContain("spec.names.plural")
  })
})
