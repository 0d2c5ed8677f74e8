import { describe, expect, it } from "vitest"
import { kindNamed } from "../../../builders.ts"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { errorTexts } from "../drafts.ts"
import type { LooseDraft } from "../../../builders.ts"

const kind = kindNamed("ResourceQuota")

const aQuota = (spec: object): LooseDraft =>
  withDefaults(kind, {
    apiVersion: "v1",
    kind: kind.kind,
    metadata: { name: "team", namespace: "shop" },
    spec
  } as LooseDraft)
const errorsOf = (spec: object): ReadonlyArray<string> => errorTexts(validateCreate(kind, aQuota(spec)))

const path = "spec.scopeSelector.matchExpressions"
const withScopeSelector = (...matchExpressions: ReadonlyArray<object>) => ({
  scopeSelector: { matchExpressions }
})

interface Row {
  readonly why: string
  readonly spec: object
  readonly errors: ReadonlyArray<string>
}
const check = (rows: ReadonlyArray<Row>): void => {
  it.each(rows)("$why", ({ spec, errors }) => {
    expect(errorsOf(spec)).toEqual(errors)
  })
}

describe("the hard limits of a ResourceQuota (TestValidateResourceQuota)", () => {
  check([
    {
      why: "report two errors for an invalid name",
      spec: { hard: { "-x": "1" } },
      errors: [
        "spec.hard[-x]: Invalid value: \"-x\": name part must consist of alphanumeric characters, '-', '_' or '.', and " +
          "must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used " +
          "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        'spec.hard[-x]: Invalid value: "-x": must be a standard resource for quota'
      ]
    },
    {
      why: "reject storage, but accept requests.storage",
      spec: { hard: { storage: "1Gi", "requests.storage": "1Gi" } },
      errors: ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota']
    },
    {
      why: "accept fractional requests of devices, but no fractional devices",
      spec: { hard: { "requests.example.com/gpu": "1500m", "example.com/gpu": "1500m" } },
      errors: ['spec.hard[example.com/gpu]: Invalid value: "1500m": must be an integer']
    },
    {
      why: "may be 0",
      spec: { hard: { cpu: "0", pods: "0" } },
      errors: []
    }
  ])
})

describe("the scopes of a ResourceQuota (TestValidateResourceQuota)", () => {
  check([
    {
      why: "for volumes limit claims and storage",
      spec: {
        hard: { persistentvolumeclaims: "3", "requests.storage": "1Gi" },
        ...withScopeSelector({ scopeName: "VolumeAttributesClass", operator: "Exists" })
      },
      errors: []
    },
    {
      why: "for volumes reject limits of Pods",
      spec: { hard: { pods: "3" }, scopes: ["VolumeAttributesClass"] },
      errors: ['spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource']
    },
    {
      why: "for Pods limit requests and limits",
      spec: { hard: { "limits.cpu": "3", pods: "7" }, scopes: ["NotBestEffort", "Terminating"] },
      errors: []
    },
    {
      why: "BestEffort limits only the number of Pods",
      spec: { hard: { memory: "1Gi", pods: "7" }, scopes: ["BestEffort"] },
      errors: ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource']
    }
  ])

  it("may be reordered and repeated in an update", () => {
    const old = aQuota({ scopes: ["NotBestEffort", "Terminating"] })
    const again = aQuota({ scopes: ["Terminating", "NotBestEffort", "Terminating"] })
    expect(validateUpdate(kind, again, old)).toEqual([])
    expect(validateUpdate(kind, old, again)).toEqual([])
  })

  it("may not be added or removed in an update", () => {
    const [some, none] = [aQuota({ scopes: ["Terminating"] }), aQuota({})]
    expect(errorTexts(validateUpdate(kind, some, none))).toEqual([
      'spec.scopes: Invalid value: ["Terminating"]: field is immutable'
    ])
    expect(errorTexts(validateUpdate(kind, none, some))).toEqual([
      "spec.scopes: Invalid value: null: field is immutable"
    ])
  })
})

describe("the scope selector of a ResourceQuota (TestValidateResourceQuota)", () => {
  const needsValues =
    `${path}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' ` +
    "for scope selector"
  const noValues = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
  const priority = (operator: string, values?: ReadonlyArray<string>) =>
    withScopeSelector({ scopeName: "PriorityClass", operator, ...(values === undefined ? {} : { values }) })

  check([
    { why: "accepts In with values", spec: priority("In", ["low"]), errors: [] },
    { why: "accepts NotIn with values", spec: priority("NotIn", ["low", "high"]), errors: [] },
    { why: "accepts Exists", spec: priority("Exists", []), errors: [] },
    { why: "accepts DoesNotExist", spec: priority("DoesNotExist"), errors: [] },
    { why: "rejects In without values", spec: priority("In", []), errors: [needsValues] },
    { why: "rejects NotIn without values", spec: priority("NotIn"), errors: [needsValues] },
    {
      why: "rejects Exists with values",
      spec: priority("Exists", ["low"]),
      errors: [`${path}.values: Invalid value: ["low"]: ${noValues}`]
    },
    {
      why: "rejects DoesNotExist with values",
      spec: priority("DoesNotExist", ["low"]),
      errors: [`${path}.values: Invalid value: ["low"]: ${noValues}`]
    },
    {
      why: "accepts only Exists for scopes without values",
      spec: withScopeSelector(
        { scopeName: "Terminating", operator: "Exists" },
        { scopeName: "BestEffort", operator: "DoesNotExist" }
      ),
      errors: [
        `${path}.operator: Invalid value: "DoesNotExist": must be 'Exist' when scope is any of ` +
          "ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, " +
          "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
      ]
    },
    {
      why: "rejects an unknown scope by name",
      spec: withScopeSelector({ scopeName: "Idle", operator: "Exists" }),
      errors: [`${path}.scopeName: Invalid value: "Idle": unsupported scope`]
    }
  ])
})
