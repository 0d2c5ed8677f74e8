import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { parseAmounts } from "../../src/kubernetes/pods/podResources.ts"
import {
  exceededQuotaMessage,
  missingAmountsMessage,
  podUsage,
  quotaRule,
  quotaStatus
} from "../../src/kubernetes/core/quotas.ts"
import { formatQuantity } from "../../src/kubernetes/meta/amounts/quantity.ts"
import { validateCreate, validateUpdate } from "../../src/kubernetes/admission/admit.ts"
import { errorBody } from "../../src/kubernetes/validation/fieldErrors.ts"
import { kindNamed } from "./admission/drafts.ts"
import { aPod } from "../builders.ts"
import type { PodSpec } from "../../src/kubernetes/meta/objects.ts"
import type { ResourceQuota } from "../../src/kubernetes/core/quotas.ts"

type Texts = Readonly<Record<string, string>>

const aQuota = (spec: object): ResourceQuota => ({
  ...aPod({ name: "q" }),
  apiVersion: "v1",
  kind: "ResourceQuota",
  spec,
  status: {}
})

const container = (name: string, requests: Texts = {}, limits: Texts = {}, more: object = {}) => ({
  name,
  image: "registry.example/app:v1",
  resources: { requests, limits },
  ...more
})

const textsOf = (amounts: ReturnType<typeof podUsage>): Texts =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))

describe("what a Pod takes", () => {
  const rows: ReadonlyArray<{ readonly why: string; readonly spec: PodSpec; readonly takes: Texts }> = [
    { why: "a Pod that asks for nothing is one Pod", spec: { containers: [container("c")] }, takes: {} },
    {
      why: "what containers ask for is summed, under the short name and the long one",
      spec: {
        containers: [
          container("a", { cpu: "250m", memory: "64Mi" }),
          container("b", { cpu: "1" }, { cpu: "3" })
        ]
      },
      takes: {
        cpu: "1250m",
        "requests.cpu": "1250m",
        "limits.cpu": "3",
        memory: "64Mi",
        "requests.memory": "64Mi"
      }
    },
    {
      why: "a greedy step of initialization counts instead of what runs later, resource by resource",
      spec: {
        initContainers: [container("i", { cpu: "5" }), container("j", { cpu: "2" })],
        containers: [container("a", { cpu: "3" }), container("b", { "ephemeral-storage": "1G" })]
      },
      takes: {
        cpu: "5",
        "requests.cpu": "5",
        "ephemeral-storage": "1G",
        "requests.ephemeral-storage": "1G"
      }
    },
    {
      why: "a sidecar runs beside the steps after it and beside the containers",
      spec: {
        initContainers: [
          container("s", { cpu: "1" }, {}, { restartPolicy: "Always" }),
          container("i", { cpu: "4" })
        ],
        containers: [container("a", { cpu: "3" })]
      },
      takes: { cpu: "5", "requests.cpu": "5" }
    },
    {
      why: "overhead comes on top of what is asked for, and of limits where there are any",
      spec: { containers: [container("a", { cpu: "1" })], overhead: { cpu: "100m", memory: "7Mi" } },
      takes: { cpu: "1100m", "requests.cpu": "1100m", memory: "7Mi", "requests.memory": "7Mi" }
    },
    {
      why: "devices are counted as requests alone",
      spec: { containers: [container("a", { "example.com/gpu": "2" }, { "example.com/gpu": "2" })] },
      takes: { "requests.example.com/gpu": "2" }
    },
    {
      why: "what the Pod states for itself counts, and not what its containers say",
      spec: { containers: [container("a", { cpu: "1" })], resources: { requests: { cpu: "7" } } } as PodSpec,
      takes: { cpu: "7", "requests.cpu": "7" }
    }
  ]
  it.each(rows)("$why", ({ spec, takes }) => {
    expect(textsOf(podUsage(spec))).toEqual({ pods: "1", "count/pods": "1", ...takes })
  })
})

describe("what must be said", () => {
  const spec: PodSpec = {
    initContainers: [container("init", { cpu: "1" })],
    containers: [container("b", { memory: "1" }, { cpu: "1" }), container("a", { cpu: "0", memory: "1" })]
  }
  const rows = [
    { names: ["pods", "requests.ephemeral-storage"], says: undefined },
    { names: ["cpu"], says: "must specify cpu for: b" },
    { names: ["limits.cpu"], says: "must specify limits.cpu for: a,init" },
    {
      names: ["requests.memory", "limits.memory"],
      says: "must specify limits.memory for: a,b,init; requests.memory for: init"
    }
  ]
  it.each(rows)("where a quota counts $names: $says", ({ names, says }) => {
    expect(missingAmountsMessage(names, spec)).toBe(says)
  })

  it("is nothing where the Pod speaks for its containers", () => {
    const stated = { ...spec, resources: { requests: { cpu: "1" } } }
    expect(missingAmountsMessage(["cpu", "limits.memory"], stated)).toBeUndefined()
  })
})

describe("a scope", () => {
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
  it.each(rows)("$spec covers: $covers", ({ spec, covers }) => {
    const rule = quotaRule(aQuota({ hard: { pods: "1" }, ...spec }))
    const covered = Object.entries(pods).filter(([, pod]) => rule.covers(resources.pods, pod))
    expect(covered.map(([name]) => name).join(" ")).toBe(covers)
  })

  it("is about Pods: nothing else is ever within one", () => {
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
    { why: "what just fits, fits", used: { pods: "2" }, requested: { pods: "1", "requests.cpu": "1.5" } },
    { why: "nothing more is wanted of what is overdrawn", used: { pods: "9" }, requested: { pods: "0" } },
    { why: "a quota does not count what it does not name", used: {}, requested: { "limits.cpu": "99" } }
  ])("is none where $why", ({ used, requested }) => {
    expect(exceeded(used as Texts, requested as Texts)).toBeUndefined()
  })

  it("names only what does not fit, in order, in the largest unit that loses nothing", () => {
    const used = { pods: "1", "requests.cpu": "1", "requests.memory": "0.5Gi" }
    const requested = { pods: "1", "requests.cpu": "600m", "requests.memory": "1024Mi" }
    expect(exceeded(used, requested)).toBe(
      "exceeded quota: q, requested: requests.cpu=600m,requests.memory=1Gi, " +
        "used: requests.cpu=1,requests.memory=512Mi, limited: requests.cpu=1500m,requests.memory=1Gi"
    )
  })

  it("is reported canonically, in the order of names", () => {
    expect(JSON.stringify(quotaStatus(rule, parseAmounts({ "requests.cpu": "0.25", pods: "1" })))).toBe(
      '{"hard":{"pods":"3","requests.cpu":"1500m","requests.memory":"1Gi"},"used":{"pods":"1","requests.cpu":"250m"}}'
    )
  })
})

describe("a ResourceQuota", () => {
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
  ])("may say $spec", ({ spec }) => {
    expect(problems(spec)).toEqual([])
  })

  const rows: ReadonlyArray<{ readonly spec: object; readonly says: ReadonlyArray<string> }> = [
    {
      spec: { hard: { pods: "-1" } },
      says: ['spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0']
    },
    {
      spec: { hard: { pods: "1500m" } },
      says: ['spec.hard[pods]: Invalid value: "1500m": must be an integer']
    },
    {
      spec: { hard: { "count/pods": "0.5" } },
      says: ['spec.hard[count/pods]: Invalid value: "500m": must be an integer']
    },
    {
      spec: { hard: { cpu: "two" } },
      says: [
        'spec.hard[cpu]: Invalid value: "two": quantities must match the regular expression ' +
          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
      ]
    },
    {
      spec: { hard: { "limit.cpu": "1" } },
      says: [
        'spec.hard[limit.cpu]: Invalid value: "limit.cpu": must be a standard resource type or fully qualified',
        'spec.hard[limit.cpu]: Invalid value: "limit.cpu": must be a standard resource for quota'
      ]
    },
    {
      spec: { hard: { services: "1" }, scopes: ["NotTerminating"] },
      says: ['spec.scopes: Invalid value: ["NotTerminating"]: unsupported scope applied to resource']
    },
    {
      spec: { hard: { cpu: "1", pods: "2" }, scopes: ["BestEffort", "NotBestEffort"] },
      says: [
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'
      ]
    },
    {
      spec: { scopes: ["Idle"] },
      says: ['spec.scopes: Invalid value: ["Idle"]: unsupported scope']
    },
    {
      spec: { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] } },
      says: [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is " +
          "'In' or 'NotIn' for scope selector"
      ]
    },
    {
      spec: { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "Is" }] } },
      says: [
        'spec.scopeSelector.matchExpressions.operator: Invalid value: "Is": not a valid selector operator'
      ]
    }
  ]
  it.each(rows)("may not say $spec", ({ spec, says }) => {
    expect(problems(spec)).toEqual(says)
  })

  it("keeps its scopes, in any order", () => {
    const old = draft({ scopes: ["Terminating", "NotBestEffort"] })
    expect(validateUpdate(kind, draft({ scopes: ["NotBestEffort", "Terminating"] }), old)).toEqual([])
    expect(validateUpdate(kind, draft({ scopes: [] }), old)).toMatchObject([
      { field: "spec.scopes", detail: "field is immutable" }
    ])
  })
})
