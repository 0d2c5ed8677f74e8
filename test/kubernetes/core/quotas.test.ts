import { describe, expect, it } from "vitest"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { parseAmounts } from "../../../src/kubernetes/pods/podResources.ts"
import {
  exceededQuotaMessage,
  missingAmountsMessage,
  podUsage,
  quotaRule,
  quotaStatus
} from "../../../src/kubernetes/core/quotas.ts"
import { formatQuantity } from "../../../src/kubernetes/meta/amounts/quantity.ts"
import { validateCreate, validateUpdate } from "../../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { anObject, aPod, kindNamed } from "../../builders.ts"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"
import type { ResourceQuota } from "../../../src/kubernetes/core/quotas.ts"

type Texts = Readonly<Record<string, string>>

const aQuota = (spec: object): ResourceQuota => anObject("ResourceQuota", { name: "q" }, { spec, status: {} })

const container = (name: string, requests: Texts = {}, limits: Texts = {}, more: object = {}) => ({
  name,
  image: "registry.example/app:v1",
  resources: { requests, limits },
  ...more
})

const textsOf = (amounts: ReturnType<typeof podUsage>): Texts =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))

describe("the usage of a Pod", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly spec: PodSpec; readonly usage: Texts }> = [
    { why: "counts a Pod without requests as one Pod", spec: { containers: [container("c")] }, usage: {} },
    {
      why: "sums the requests of containers, under the short and the long name",
      spec: {
        containers: [
          container("a", { cpu: "250m", memory: "64Mi" }),
          container("b", { cpu: "1" }, { cpu: "3" })
        ]
      },
      usage: {
        cpu: "1250m",
        "requests.cpu": "1250m",
        "limits.cpu": "3",
        memory: "64Mi",
        "requests.memory": "64Mi"
      }
    },
    {
      why: "counts the largest init container instead of the containers, for each resource",
      spec: {
        initContainers: [container("i", { cpu: "5" }), container("j", { cpu: "2" })],
        containers: [container("a", { cpu: "3" }), container("b", { "ephemeral-storage": "1G" })]
      },
      usage: {
        cpu: "5",
        "requests.cpu": "5",
        "ephemeral-storage": "1G",
        "requests.ephemeral-storage": "1G"
      }
    },
    {
      why: "adds a sidecar to later init containers and to the containers",
      spec: {
        initContainers: [
          container("s", { cpu: "1" }, {}, { restartPolicy: "Always" }),
          container("i", { cpu: "4" })
        ],
        containers: [container("a", { cpu: "3" })]
      },
      usage: { cpu: "5", "requests.cpu": "5" }
    },
    {
      why: "adds overhead to requests, and to limits where there are any",
      spec: { containers: [container("a", { cpu: "1" })], overhead: { cpu: "100m", memory: "7Mi" } },
      usage: { cpu: "1100m", "requests.cpu": "1100m", memory: "7Mi", "requests.memory": "7Mi" }
    },
    {
      why: "counts devices as requests only",
      spec: { containers: [container("a", { "example.com/gpu": "2" }, { "example.com/gpu": "2" })] },
      usage: { "requests.example.com/gpu": "2" }
    },
    {
      why: "counts the Pod's own requests instead of its containers'",
      spec: { containers: [container("a", { cpu: "1" })], resources: { requests: { cpu: "7" } } } as PodSpec,
      usage: { cpu: "7", "requests.cpu": "7" }
    }
  ]
  it.each(rows)("$why", ({ spec, usage }) => {
    expect(textsOf(podUsage(spec))).toEqual({ pods: "1", "count/pods": "1", ...usage })
  })
})

describe("the requests and limits that a quota requires", () => {
  const spec: PodSpec = {
    initContainers: [container("init", { cpu: "1" })],
    containers: [container("b", { memory: "1" }, { cpu: "1" }), container("a", { cpu: "0", memory: "1" })]
  }
  const rows = [
    { names: ["pods", "requests.ephemeral-storage"], expected: undefined },
    { names: ["cpu"], expected: "must specify cpu for: b" },
    { names: ["limits.cpu"], expected: "must specify limits.cpu for: a,init" },
    {
      names: ["requests.memory", "limits.memory"],
      expected: "must specify limits.memory for: a,b,init; requests.memory for: init"
    }
  ]
  it.each(rows)("by a quota of $names: $expected", ({ names, expected }) => {
    expect(missingAmountsMessage(names, spec)).toBe(expected)
  })

  it("are satisfied by the Pod's own resources", () => {
    const stated = { ...spec, resources: { requests: { cpu: "1" } } }
    expect(missingAmountsMessage(["cpu", "limits.memory"], stated)).toBeUndefined()
  })
})

describe("the scope of a quota", () => {
  const plain = aPod()
  const limited = aPod({ spec: { containers: [container("a", { cpu: "1" })] } })
  const ending = aPod({ spec: { activeDeadlineSeconds: 0 } })
  const urgent = aPod({ spec: { priorityClassName: "high" } })
  const pods = { plain, limited, ending, urgent }
  const select = (operator: string, ...values: ReadonlyArray<string>): object => ({
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] }
  })
  const rows: ReadonlyArray<{ readonly spec: object; readonly covers: string }> = [
    { spec: {}, covers: "plain limited ending urgent" },
    { spec: { scopes: ["Terminating"] }, covers: "ending" },
    { spec: { scopes: ["NotTerminating"] }, covers: "plain limited urgent" },
    { spec: { scopes: ["BestEffort"] }, covers: "plain ending urgent" },
    { spec: { scopes: ["NotBestEffort"] }, covers: "limited" },
    { spec: { scopes: ["BestEffort", "NotTerminating"] }, covers: "plain urgent" },
    { spec: { scopes: ["PriorityClass"] }, covers: "urgent" },
    { spec: select("In", "high", "low"), covers: "urgent" },
    { spec: select("In", "low"), covers: "" },
    { spec: select("NotIn", "low"), covers: "plain limited ending urgent" },
    { spec: select("NotIn", "high"), covers: "plain limited ending" },
    { spec: select("Exists"), covers: "urgent" },
    { spec: select("DoesNotExist"), covers: "plain limited ending" },
    { spec: { scopes: ["CrossNamespacePodAffinity"] }, covers: "" }
  ]
  it.each(rows)("covers $covers with $spec", ({ spec, covers }) => {
    const rule = quotaRule(aQuota({ hard: { pods: "1" }, ...spec }))
    const covered = Object.entries(pods).filter(([, pod]) => rule.covers(resources.pods, pod))
    expect(covered.map(([name]) => name).join(" ")).toBe(covers)
  })

  it("covers Pods only", () => {
    const hard = { "count/configmaps": "1" }
    expect(quotaRule(aQuota({ hard })).covers("configmaps", plain)).toBe(true)
    expect(quotaRule(aQuota({ hard, scopes: ["NotTerminating"] })).covers("configmaps", plain)).toBe(false)
  })
})

describe("an exceeded quota", () => {
  const hard = { pods: "3", "requests.memory": "1Gi", "requests.cpu": "1500m" }
  const rule = quotaRule(aQuota({ hard }))
  const exceeded = (used: Texts, requested: Texts) =>
    exceededQuotaMessage({
      rule,
      resource: resources.pods,
      used: parseAmounts(used),
      requested: parseAmounts(requested)
    })

  it.each([
    { why: "the request fits exactly", used: { pods: "2" }, requested: { pods: "1", "requests.cpu": "1.5" } },
    { why: "an overdrawn resource is not requested", used: { pods: "9" }, requested: { pods: "0" } },
    { why: "the quota does not name the resource", used: {}, requested: { "limits.cpu": "99" } }
  ])("does not exist when $why", ({ used, requested }) => {
    expect(exceeded(used as Texts, requested as Texts)).toBeUndefined()
  })

  it("is reported with the exceeded resources only, sorted, in canonical form", () => {
    const used = { pods: "1", "requests.cpu": "1", "requests.memory": "0.5Gi" }
    const requested = { pods: "1", "requests.cpu": "600m", "requests.memory": "1024Mi" }
    expect(exceeded(used, requested)).toBe(
      "exceeded quota: q, requested: requests.cpu=600m,requests.memory=1Gi, " +
        "used: requests.cpu=1,requests.memory=512Mi, limited: requests.cpu=1500m,requests.memory=1Gi"
    )
  })

  it("has a status that is sorted and in canonical form", () => {
    expect(JSON.stringify(quotaStatus(rule, parseAmounts({ "requests.cpu": "0.25", pods: "1" })))).toBe(
      '{"hard":{"pods":"3","requests.cpu":"1500m","requests.memory":"1Gi"},"used":{"pods":"1","requests.cpu":"250m"}}'
    )
  })
})

describe("validation of a ResourceQuota", () => {
  const kind = kindNamed("ResourceQuota")
  const draft = (spec: object) => ({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q", namespace: "shop" },
    spec
  })
  const problems = (spec: object): ReadonlyArray<string> =>
    validateCreate(kind, draft(spec)).map((error) => `${error.field}: ${errorBody(error)}`)

  it.each([
    { spec: {} },
    {
      spec: {
        hard: { pods: "0", cpu: "1500m", "requests.example.com/gpu": "4", "count/widgets.example.com": "2" }
      }
    },
    { spec: { hard: { pods: "1" }, scopes: ["BestEffort"] } },
    { spec: { hard: { "hugepages-2Mi": "1Gi", "requests.hugepages-2Mi": "1Gi", "services.nodeports": "3" } } }
  ])("accepts $spec", ({ spec }) => {
    expect(problems(spec)).toEqual([])
  })

  const rows: ReadonlyArray<{ readonly spec: object; readonly expected: ReadonlyArray<string> }> = [
    {
      spec: { hard: { pods: "-1" } },
      expected: ['spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0']
    },
    {
      spec: { hard: { pods: "1500m" } },
      expected: ['spec.hard[pods]: Invalid value: "1500m": must be an integer']
    },
    {
      spec: { hard: { "count/pods": "0.5" } },
      expected: ['spec.hard[count/pods]: Invalid value: "500m": must be an integer']
    },
    {
      spec: { hard: { cpu: "two" } },
      expected: [
        'spec.hard[cpu]: Invalid value: "two": quantities must match the regular expression ' +
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
      ]
    },
    {
      spec: { hard: { "limit.cpu": "1" } },
      expected: [
        'spec.hard[limit.cpu]: Invalid value: "limit.cpu": must be a standard resource type or fully qualified',
        'spec.hard[limit.cpu]: Invalid value: "limit.cpu": must be a standard resource for quota'
      ]
    },
    {
      spec: { hard: { services: "1" }, scopes: ["NotTerminating"] },
      expected: ['spec.scopes: Invalid value: ["NotTerminating"]: unsupported scope applied to resource']
    },
    {
      spec: { hard: { cpu: "1", pods: "2" }, scopes: ["BestEffort", "NotBestEffort"] },
      expected: [
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'
      ]
    },
    {
      spec: { scopes: ["Idle"] },
      expected: ['spec.scopes: Invalid value: ["Idle"]: unsupported scope']
    },
    {
      spec: { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] } },
      expected: [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is " +
          "'In' or 'NotIn' for scope selector"
      ]
    },
    {
      spec: { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "Is" }] } },
      expected: [
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Is": not a valid selector operator'
      ]
    }
  ]
  it.each(rows)("rejects $spec", ({ spec, expected }) => {
    expect(problems(spec)).toEqual(expected)
  })

  it("keeps its scopes in an update, in any order", () => {
    const old = draft({ scopes: ["Terminating", "NotBestEffort"] })
    expect(validateUpdate(kind, draft({ scopes: ["NotBestEffort", "Terminating"] }), old)).toEqual([])
    expect(validateUpdate(kind, draft({ scopes: [] }), old)).toMatchObject([
      { field: "spec.scopes", detail: "field is immutable" }
    ])
  })
})
