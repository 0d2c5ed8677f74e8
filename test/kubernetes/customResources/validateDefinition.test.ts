import { describe, expect, it } from "vitest"
import {
  validateDefinition,
  validateDefinitionUpdate
} from "../../../src/kubernetes/customResources/validateDefinition.ts"
import { edited, errorTexts, type Edit } from "../admission/drafts.ts"
import { aDefinition, aVersion } from "./definitionFixtures.ts"
import type { LooseDraft } from "../../builders.ts"

const validDefinition: LooseDraft = aDefinition()

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

const editsForGroup = (group: string): ReadonlyArray<Edit> => [
  ["spec.group", group],
  ["metadata.name", `crontabs.${group}`]
]

const groups: ReadonlyArray<Row> = [
  { why: "a valid definition", edits: [], errors: [] },
  {
    why: "a name that is not plural and group",
    edits: [["metadata.name", "tabs.stable.example.com"]],
    errors: [
      'metadata.name: Invalid value: "tabs.stable.example.com": must be spec.names.plural+"."+spec.group'
    ]
  },
  ...["k8s.io", "stable.kubernetes.io"].map((group) => ({
    why: "a protected group without approval",
    edits: editsForGroup(group),
    errors: [
      "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval " +
        'annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111'
    ]
  })),
  {
    why: "a protected group with an approval annotation",
    edits: [
      ...editsForGroup("k8s.io"),
      ["metadata.annotations", { "api-approved.kubernetes.io": "unapproved" }]
    ],
    errors: []
  },
  { why: "a group that ends like a protected one", edits: editsForGroup("notk8s.io"), errors: [] },
  { why: "a group that begins like a protected one", edits: editsForGroup("k8s.io.example.com"), errors: [] },
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
    edits: editsForGroup("stable"),
    errors: ['spec.group: Invalid value: "stable": should be a domain with at least one dot']
  },
  {
    why: "a group that is no subdomain",
    edits: editsForGroup("a_b.c"),
    errors: [
      'spec.group: Invalid value: "a_b.c": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric ' +
        "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex " +
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    ]
  },
  { why: "no scope", edits: [["spec.scope", ""]], errors: ["spec.scope: Required value"] },
  {
    why: "an unknown scope",
    edits: [["spec.scope", "Galaxy"]],
    errors: ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"']
  },
  {
    why: "preserveUnknownFields for all versions",
    edits: [["spec.preserveUnknownFields", true]],
    errors: ["spec.preserveUnknownFields: Invalid value: true: must be false"]
  },
  { why: "preserveUnknownFields: false", edits: [["spec.preserveUnknownFields", false]], errors: [] },
  { why: "no conversion", edits: [["spec.conversion", undefined]], errors: [] },
  {
    why: "a conversion by webhook",
    edits: [["spec.conversion.strategy", "Webhook"]],
    errors: ["spec.conversion.strategy: Forbidden: webhooks are not called here"]
  },
  {
    why: "an unknown conversion",
    edits: [["spec.conversion.strategy", "Magic"]],
    errors: ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"']
  }
]

const names: ReadonlyArray<Row> = [
  {
    why: "no names",
    edits: [
      ["spec.names", undefined],
      ["metadata.name", ".stable.example.com"]
    ],
    errors: ["plural", "singular", "kind", "listKind"].map((field) => `spec.names.${field}: Required value`)
  },
  {
    why: "names that are no labels",
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
    why: "a name that breaks two rules",
    edits: [["spec.names.singular", long]],
    errors: [`spec.names.singular: Invalid value: "${long}": must be no more than 63 characters,${labelRule}`]
  },
  {
    why: "a listKind equal to the kind",
    edits: [["spec.names.listKind", "CronTab"]],
    errors: ['spec.names.listKind: Invalid value: "CronTab": kind and listKind may not be the same']
  },
  {
    why: "empty kind and listKind",
    edits: [
      ["spec.names.kind", ""],
      ["spec.names.listKind", ""]
    ],
    errors: ["spec.names.kind: Required value", "spec.names.listKind: Required value"]
  }
]

const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }
const withScale = (more: object): Edit =>
  versioned(aVersion({ subresources: { scale: { ...scale, ...more } } }))
const at = "spec.versions[0].subresources.scale"
const column = { name: "Size", type: "integer", jsonPath: ".spec.size" }
const withColumns = (...columns: ReadonlyArray<object>): Edit =>
  versioned({ ...aVersion(), additionalPrinterColumns: columns })
const columnAt = (index: number): string => `spec.versions[0].additionalPrinterColumns[${index}]`
const simple = "must be a simple json path starting with ."

const versions: ReadonlyArray<Row> = [
  {
    why: "two versions, one of them stored",
    edits: [versioned(aVersion(), aVersion({ name: "v2", storage: false }))],
    errors: []
  },
  {
    why: "no versions",
    edits: [["spec.versions", undefined]],
    errors: ["spec.versions: Invalid value: []: must have exactly one version marked as storage version"]
  },
  {
    why: "two storage versions of one name",
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
    why: "a version with an invalid name",
    edits: [versioned(aVersion({ name: "1" }))],
    errors: [`spec.versions[0].name: Invalid value: "1": ${labelRule}`]
  },
  {
    why: "a version with a name that breaks two rules",
    edits: [versioned(aVersion({ name: long }))],
    errors: [
      `spec.versions[0].name: Invalid value: "${long}": must be no more than 63 characters,${labelRule}`
    ]
  },
  {
    why: "a version with an empty schema",
    edits: [versioned(aVersion({ schema: {} }))],
    errors: ["spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"]
  },
  {
    why: "a version whose schema is no object",
    edits: [versioned(aVersion({ schema: { openAPIV3Schema: { type: "string" } } }))],
    errors: [
      'spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root'
    ]
  },
  { why: "a scale", edits: [withScale({})], errors: [] },
  {
    why: "a scale with a selector in the spec",
    edits: [withScale({ labelSelectorPath: ".spec.selector" })],
    errors: []
  },
  {
    why: "a scale with a selector in the status",
    edits: [withScale({ labelSelectorPath: ".status.selector" })],
    errors: []
  },
  {
    why: "a scale with a selector elsewhere",
    edits: [withScale({ labelSelectorPath: ".selector" })],
    errors: [`${at}.labelSelectorPath: Invalid value: ".selector": should be a json path under .status`]
  },
  {
    why: "a scale without paths",
    edits: [withScale({ specReplicasPath: "", statusReplicasPath: undefined })],
    errors: [`${at}.specReplicasPath: Required value`, `${at}.statusReplicasPath: Required value`]
  },
  {
    why: "a scale with paths elsewhere",
    edits: [withScale({ specReplicasPath: ".status.size", statusReplicasPath: "status.size" })],
    errors: [
      `${at}.specReplicasPath: Invalid value: ".status.size": should be a json path under .spec`,
      `${at}.statusReplicasPath: Invalid value: "status.size": ${simple}`
    ]
  },
  { why: "a printer column", edits: [withColumns(column)], errors: [] },
  {
    why: "printer columns with missing or empty fields",
    edits: [withColumns({}, { name: "", type: "", jsonPath: "" })],
    errors: [0, 1].flatMap((index) => [
      `${columnAt(index)}.name: Required value`,
      `${columnAt(index)}.type: Required value: must be one of boolean,date,integer,number,string`,
      `${columnAt(index)}.jsonPath: Required value`
    ])
  },
  {
    why: "a second printer column of an unknown type",
    edits: [withColumns(column, { ...column, type: "color", jsonPath: "spec.size" })],
    errors: [
      `${columnAt(1)}.type: Invalid value: "color": must be one of boolean,date,integer,number,string`,
      `${columnAt(1)}.jsonPath: Invalid value: "spec.size": ${simple}`
    ]
  }
]

describe("validation of a CustomResourceDefinition (TestValidateCustomResourceDefinition)", () => {
  it.each(groups)("checks the group and scope: $why", ({ edits, errors }) => {
    expect(errorTexts(validateDefinition(edited(validDefinition, ...edits)))).toEqual(errors)
  })

  it.each(names)("checks the names: $why", ({ edits, errors }) => {
    expect(errorTexts(validateDefinition(edited(validDefinition, ...edits)))).toEqual(errors)
  })

  it.each(versions)("checks the versions: $why", ({ edits, errors }) => {
    expect(errorTexts(validateDefinition(edited(validDefinition, ...edits)))).toEqual(errors)
  })

  it("reports every required field of an empty definition", () => {
    const { spec: _spec, ...empty } = edited(validDefinition, ["metadata", {}])
    expect(validateDefinition(empty).map(({ field }) => field)).toEqual([
      "metadata.name",
      "spec.group",
      "spec.scope",
      "spec.versions",
      ...["plural", "singular", "kind", "listKind"].map((field) => `spec.names.${field}`)
    ])
  })
})

describe("an update of a CustomResourceDefinition (TestValidateCustomResourceDefinitionUpdate)", () => {
  const { status: _status, ...unknown } = validDefinition
  const conditions = (status: string) => ({ conditions: [{ type: "Established", status }] })
  const immutable = (field: string, value: string): string =>
    `${field}: Invalid value: "${value}": field is immutable`

  it.each<Row & { readonly old?: LooseDraft }>([
    { why: "no change", edits: [], errors: [] },
    {
      why: "immutable fields once it is established",
      edits: [
        ["spec.scope", "Cluster"],
        ["spec.names.kind", "Tab"],
        ["spec.group", "other.example.com"],
        ["spec.names.plural", "tabs"]
      ],
      errors: [
        immutable("spec.scope", "Cluster"),
        immutable("spec.names.kind", "Tab"),
        immutable("spec.group", "other.example.com"),
        immutable("spec.names.plural", "tabs")
      ]
    },
    {
      why: "immutable fields before it is established",
      old: { ...unknown, status: conditions("False") },
      edits: [
        ["spec.scope", "Cluster"],
        ["spec.names.kind", "Tab"],
        ["spec.names.plural", "tabs"]
      ],
      errors: [immutable("spec.names.plural", "tabs")]
    },
    {
      why: "the kind before the first status",
      old: unknown,
      edits: [["spec.names.kind", "Tab"]],
      errors: []
    },
    {
      why: "a removed kind",
      edits: [["spec.names.kind", undefined]],
      errors: ["spec.names.kind: Required value", immutable("spec.names.kind", "")]
    },
    {
      why: "removed names, from a definition without a spec",
      old: { ...unknown, spec: {} },
      edits: [["spec", { ...aDefinition().spec, names: undefined }]],
      errors: [
        ...["plural", "singular", "kind", "listKind"].map((field) => `spec.names.${field}: Required value`),
        immutable("spec.group", "stable.example.com")
      ]
    },
    {
      why: "a new version beside the storage version",
      edits: [versioned(aVersion(), aVersion({ name: "v2", storage: false }))],
      errors: []
    },
    {
      why: "a removed version that is in storedVersions",
      old: edited(validDefinition, ["status.storedVersions", ["v1", "v0"]]),
      edits: [],
      errors: [
        'status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage ' +
          "version, and must remain in spec.versions until a storage migration ensures no data remains persisted in " +
          "v0 and removes v0 from status.storedVersions"
      ]
    }
  ])("is validated: $why", ({ edits, errors, old = validDefinition }) => {
    expect(errorTexts(validateDefinitionUpdate(edited(validDefinition, ...edits), old))).toEqual(errors)
  })

  it("reports missing fields when either side has no spec", () => {
    const { spec: _spec, ...empty } = validDefinition
    expect(validateDefinitionUpdate(validDefinition, empty).map(({ field }) => field)).toEqual([
      "spec.scope",
      "spec.names.kind",
      "spec.group",
      "spec.names.plural"
    ])
    expect(validateDefinitionUpdate(empty, validDefinition).map(({ field }) => field)).toContain(
      "spec.names.plural"
    )
  })
})
