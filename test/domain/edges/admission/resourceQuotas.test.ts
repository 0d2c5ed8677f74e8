import { describe, expect, it } from "vitest"
import { validateCreate, validateUpdate, withDefaults } from "../../../../src/kubernetes/admission/admit.ts"
import { kindNamed, texts } from "../../admission/drafts.ts"
import type { LooseDraft } from "../../admission/drafts.ts"

const kind = kindNamed("ResourceQuota")

const aQuota = (spec: object): LooseDraft =>
  withDefaults(kind, {
    apiVersion: "v1",
    kind: kind.kind,
    metadata: { name: "team", namespace: "shop" },
    spec
  } as LooseDraft)
const errorsOf = (spec: object): ReadonlyArray<string> => texts(validateCreate(kind, aQuota(spec)))

const path = "spec.scopeSelector.matchExpressions"
const onScopes = (...matchExpressions: ReadonlyArray<object>) => ({ scopeSelector: { matchExpressions } })

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

describe("what a quota bounds (TestValidateResourceQuota)", () => {
  check([
    {
      why: "a name of a wrong shape is none of Kubernetes' either",
      spec: { hard: { "-x": "1" } },
      errors: [
        "spec.hard[-x]: Invalid value: \"-x\": name part must consist of alphanumeric characters, '-', '_' or '.', and " +
          "must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used " +
          "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        'spec.hard[-x]: Invalid value: "-x": must be a standard resource for quota'
      ]
    },
    {
      why: "storage is known, but bounded under another name",
      spec: { hard: { storage: "1Gi", "requests.storage": "1Gi" } },
      errors: ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota']
    },
    {
      why: "what is asked for of devices may be a fraction, the devices may not",
      spec: { hard: { "requests.example.com/gpu": "1500m", "example.com/gpu": "1500m" } },
      errors: ['spec.hard[example.com/gpu]: Invalid value: "1500m": must be an integer']
    },
    {
      why: "nothing is a bound",
      spec: { hard: { cpu: "0", pods: "0" } },
      errors: []
    }
  ])
})

describe("the scopes of a quota (TestValidateResourceQuota)", () => {
  check([
    {
      why: "of volumes bound claims and their storage",
      spec: {
        hard: { persistentvolumeclaims: "3", "requests.storage": "1Gi" },
        ...onScopes({ scopeName: "VolumeAttributesClass", operator: "Exists" })
      },
      errors: []
    },
    {
      why: "of volumes do not bound Pods",
      spec: { hard: { pods: "3" }, scopes: ["VolumeAttributesClass"] },
      errors: ['spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource']
    },
    {
      why: "of Pods bound what they ask for",
      spec: { hard: { "limits.cpu": "3", pods: "7" }, scopes: ["NotBestEffort", "Terminating"] },
      errors: []
    },
    {
      why: "of Pods that ask for nothing bound their number alone",
      spec: { hard: { memory: "1Gi", pods: "7" }, scopes: ["BestEffort"] },
      errors: ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource']
    }
  ])

  it("may come in another order, and twice", () => {
    const old = aQuota({ scopes: ["NotBestEffort", "Terminating"] })
    const again = aQuota({ scopes: ["Terminating", "NotBestEffort", "Terminating"] })
    expect(validateUpdate(kind, again, old)).toEqual([])
    expect(validateUpdate(kind, old, again)).toEqual([])
  })

  it("may not come later, nor go", () => {
    const [some, none] = [aQuota({ scopes: ["Terminating"] }), aQuota({})]
    expect(texts(validateUpdate(kind, some, none))).toEqual([
      'spec.scopes: Invalid value: ["Terminating"]: field is immutable'
    ])
    expect(texts(validateUpdate(kind, none, some))).toEqual([
      "spec.scopes: Invalid value: null: field is immutable"
    ])
  })
})

describe("a scope that is selected (TestValidateResourceQuota)", () => {
  const needsValues =
    `${path}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' ` +
    "for scope selector"
  const noValues = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
  const priority = (operator: string, values?: ReadonlyArray<string>) =>
    onScopes({ scopeName: "PriorityClass", operator, ...(values === undefined ? {} : { values }) })

  check([
    { why: "is one of some", spec: priority("In", ["low"]), errors: [] },
    { why: "or none of some", spec: priority("NotIn", ["low", "high"]), errors: [] },
    { why: "or any", spec: priority("Exists", []), errors: [] },
    { why: "or none", spec: priority("DoesNotExist"), errors: [] },
    { why: "one of none is nothing", spec: priority("In", []), errors: [needsValues] },
    { why: "none of none is everything", spec: priority("NotIn"), errors: [needsValues] },
    {
      why: "any needs no names",
      spec: priority("Exists", ["low"]),
      errors: [`${path}.values: Invalid value: ["low"]: ${noValues}`]
    },
    {
      why: "none needs no names",
      spec: priority("DoesNotExist", ["low"]),
      errors: [`${path}.values: Invalid value: ["low"]: ${noValues}`]
    },
    {
      why: "a scope without names is there or is not asked for",
      spec: onScopes(
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
      why: "a scope that nobody knows is told with its name",
      spec: onScopes({ scopeName: "Idle", operator: "Exists" }),
      errors: [`${path}.scopeName: Invalid value: "Idle": unsupported scope`]
    }
  ])
})
