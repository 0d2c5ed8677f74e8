import { describe, expect, it } from "vitest"
import { deepFreeze } from "../../../src/kubernetes/meta/deepFreeze.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { parseAmounts } from "../../../src/kubernetes/pods/podResources.ts"
import { formatQuantity } from "../../../src/kubernetes/meta/amounts/quantity.ts"
import {
  exceededQuotaMessage,
  missingAmountsMessage,
  podUsage,
  quotaRule,
  quotaStatus,
  quotaReleaseMillis
} from "../../../src/kubernetes/core/quotas.ts"
import { objectCountUsage, quotaCountedResources } from "../../../src/kubernetes/core/quotaUsage.ts"
import { anObject, aPod, aTime, startMillis } from "../../builders.ts"
import type { PodSpec } from "../../../src/kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../../src/kubernetes/pods/podResources.ts"

const ruleOf = (spec: object) => quotaRule(anObject("ResourceQuota", { name: "q" }, { spec, status: {} }))

const textsOf = (amounts: AmountsByResource): object =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))

const container = (requests: { [name: string]: string }) => ({ name: "c", resources: { requests } })

describe("the names in a quota that count a resource", () => {
  const names = [
    "pods",
    "count/pods",
    "cpu",
    "requests.cpu",
    "limits.memory",
    "hugepages-2Mi",
    "requests.hugepages-2Mi",
    "limits.hugepages-2Mi",
    "example.com/gpu",
    "requests.example.com/gpu",
    "limits.example.com/gpu",
    "requests.kubernetes.io/x",
    "requests.storage",
    "services",
    "count/services",
    "services.nodeports",
    "services.loadbalancers",
    "persistentvolumeclaims",
    "gold.storageclass.storage.k8s.io/requests.storage",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
    "gold.storageclass.storage.k8s.io/pods",
    "configmaps",
    "deployments.apps",
    "count/deployments.apps",
    "events",
    "count/events",
    "count/nodes",
    "nodes"
  ]
  it.each([
    {
      resource: "pods",
      counted: [
        "count/pods",
        "cpu",
        "hugepages-2Mi",
        "limits.memory",
        "pods",
        "requests.cpu",
        "requests.example.com/gpu",
        "requests.hugepages-2Mi"
      ]
    },
    {
      resource: "services",
      counted: ["count/services", "services", "services.loadbalancers", "services.nodeports"]
    },
    {
      resource: "persistentvolumeclaims",
      counted: [
        "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
        "gold.storageclass.storage.k8s.io/requests.storage",
        "persistentvolumeclaims",
        "requests.storage"
      ]
    },
    { resource: "configmaps", counted: ["configmaps"] },
    { resource: "deployments.apps", counted: ["count/deployments.apps"] },
    { resource: "events", counted: [] },
    { resource: "nodes", counted: [] }
  ])("of $resource are $counted", ({ resource, counted }) => {
    const rule = ruleOf({ hard: Object.fromEntries(names.map((name) => [name, "1"])) })
    expect([rule.hardNamesFor(resource), rule.hardNamesFor(resource)]).toEqual([counted, counted])
  })

  it("are sorted in hard and in used", () => {
    const rule = ruleOf({ hard: { cpu: "1", pods: "3", memory: "1Mi", "count/pods": "7" } })
    const used = parseAmounts({ memory: "1", cpu: "2", pods: "0" })
    const status = quotaStatus(rule, used)
    expect([Object.keys(status.hard ?? {}), Object.keys(status.used ?? {})]).toEqual([
      ["count/pods", "cpu", "memory", "pods"],
      ["cpu", "memory", "pods"]
    ])
  })
})

describe("the usage of an object by its existence", () => {
  it.each([
    { resource: resources.pods, usage: { "count/pods": "1" } },
    { resource: "services", usage: { "count/services": "1", services: "1" } },
    ...["configmaps", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas", "secrets"].map(
      (resource) => ({ resource, usage: { [`count/${resource}`]: "1", [resource]: "1" } })
    ),
    { resource: "deployments.apps", usage: { "count/deployments.apps": "1" } },
    { resource: "events", usage: {} },
    { resource: "nodes", usage: {} }
  ])("of $resource is $usage", ({ resource, usage }) => {
    expect(textsOf(objectCountUsage(resource))).toEqual(usage)
    expect(quotaCountedResources.has(resource)).toBe(Object.keys(usage).length > 0)
  })
})

describe("the usage of a Pod", () => {
  const bare = { pods: "1", "count/pods": "1" }

  it("has its requests of counted resources under every name", () => {
    const spec = { containers: [container({ "hugepages-2Mi": "4Mi", odd: "1", "example.com/gpu": "2" })] }
    expect(textsOf(podUsage(spec))).toEqual({
      ...bare,
      "hugepages-2Mi": "4Mi",
      "requests.hugepages-2Mi": "4Mi",
      "requests.example.com/gpu": "2"
    })
  })

  it("has its limits, with overhead where there is a limit", () => {
    const limits = { "ephemeral-storage": "1G", memory: "1Mi", "example.com/gpu": "2" }
    const spec = {
      containers: [{ name: "c", resources: { limits } }],
      overhead: { cpu: "100m", memory: "1Mi" }
    }
    expect(textsOf(podUsage(spec))).toEqual({
      ...bare,
      cpu: "100m",
      "requests.cpu": "100m",
      memory: "1Mi",
      "requests.memory": "1Mi",
      "limits.memory": "2Mi",
      "limits.ephemeral-storage": "1G"
    })
  })

  it("is computed again when init containers, overhead or Pod resources differ", () => {
    const containers = deepFreeze([container({ cpu: "1" })])
    const around: ReadonlyArray<object> = [
      { initContainers: [container({ cpu: "3" })] },
      { overhead: { cpu: "500m" } },
      { resources: { requests: { cpu: "7" } } }
    ]
    const cpus = [{}, ...around.flatMap((more) => [more, {}])].map((more) =>
      podUsage({ containers, ...more } as PodSpec).get("cpu")
    )
    expect(cpus.map((cpu) => formatQuantity(cpu ?? { nanos: 0n, format: "decimal" }))).toEqual([
      "1",
      "3",
      "1",
      "1500m",
      "1",
      "7",
      "1"
    ])
  })

  it("is computed again when the containers are not frozen", () => {
    const containers = [container({ cpu: "1" })]
    expect(textsOf(podUsage({ containers }))).toMatchObject({ cpu: "1" })
    containers.push(container({ cpu: "2" }))
    expect(textsOf(podUsage({ containers }))).toMatchObject({ cpu: "3" })
  })
})

describe("the scope of a quota", () => {
  const plain = aPod()
  const urgent = aPod({ spec: { priorityClassName: "high" } })
  const ending = aPod({ spec: { activeDeadlineSeconds: 7 } })
  const withAffinity = (term: object, kind = "podAffinity") =>
    aPod({
      spec: {
        affinity: {
          [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "host", ...term }] }
        }
      }
    })
  const pods = {
    plain,
    urgent,
    ending,
    withAffinity: withAffinity({}),
    nearNone: withAffinity({ namespaces: [] }),
    nearOther: withAffinity({ namespaces: ["x"] }),
    farFromAny: withAffinity({ namespaceSelector: {} }, "podAntiAffinity"),
    rather: aPod({
      spec: {
        affinity: {
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { topologyKey: "host", namespaces: ["x", "y"] } }
            ]
          }
        }
      }
    })
  }
  const select = (operator: string, value: string): object => ({
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values: [value] }] }
  })
  it.each([
    { spec: { scopes: ["CrossNamespacePodAffinity"] }, covers: "nearOther farFromAny rather" },
    { spec: { scopes: ["Terminating"] }, covers: "ending" },
    { spec: { scopes: ["Moon"] }, covers: "" },
    { spec: select("In", ""), covers: "" },
    { spec: select("NotIn", ""), covers: Object.keys(pods).join(" ") }
  ])("covers $covers with $spec", ({ spec, covers }) => {
    const rule = ruleOf({ hard: { pods: "1" }, ...spec })
    const covered = Object.entries(pods).filter(([, pod]) => rule.covers(resources.pods, pod))
    expect(covered.map(([name]) => name).join(" ")).toBe(covers)
  })
})

describe("the time at which a terminating Pod no longer counts", () => {
  it.each([
    { why: "is never without a deletion", more: {}, after: undefined },
    {
      why: "is never without a grace period",
      more: { deletionTimestamp: aTime(5) },
      after: undefined
    },
    {
      why: "is never with a grace period but no deletion",
      more: { deletionGracePeriodSeconds: 30 },
      after: undefined
    },
    {
      why: "is the deletion timestamp plus the grace period",
      more: { deletionTimestamp: aTime(5), deletionGracePeriodSeconds: 30 },
      after: startMillis + 35_000
    },
    {
      why: "is the deletion timestamp for a grace period of 0",
      more: { deletionTimestamp: aTime(5), deletionGracePeriodSeconds: 0 },
      after: startMillis + 5000
    }
  ])("$why", ({ more, after }) => {
    const pod = aPod()
    expect(quotaReleaseMillis({ ...pod, metadata: { ...pod.metadata, ...more } })).toBe(after)
  })
})

describe("the requests and limits that a quota requires", () => {
  const withoutRequests = { containers: [{ name: "b" }, { name: "a", resources: {} }] }
  it.each([
    {
      why: "are missing when no container has them",
      names: ["limits.cpu"],
      spec: withoutRequests,
      problem: "must specify limits.cpu for: a,b"
    },
    {
      why: "are missing as requests too",
      names: ["cpu"],
      spec: withoutRequests,
      problem: "must specify cpu for: a,b"
    },
    {
      why: "are not missing when every container has them, unlike others",
      names: ["requests.cpu", "memory"],
      spec: { containers: [container({ cpu: "1" })] },
      problem: "must specify memory for: c"
    },
    {
      why: "are satisfied by the Pod's own resources",
      names: ["cpu"],
      spec: { ...withoutRequests, resources: { limits: { cpu: "1" } } },
      problem: undefined
    },
    {
      why: "are satisfied by a request of 0",
      names: ["cpu"],
      spec: { containers: [container({ cpu: "0" })] },
      problem: undefined
    }
  ])("$why", ({ names, spec, problem }) => {
    expect(missingAmountsMessage(names, spec)).toBe(problem)
  })
})

describe("an exceeded quota", () => {
  it("has no message when the quota does not limit the resource", () => {
    const options = {
      resource: resources.pods,
      used: parseAmounts({}),
      requested: parseAmounts({ pods: "2", cpu: "9" })
    }
    expect(exceededQuotaMessage({ rule: ruleOf({ hard: { pods: "1" } }), ...options })).toBe(
      "exceeded quota: q, requested: pods=2, used: pods=0, limited: pods=1"
    )
    expect(exceededQuotaMessage({ rule: ruleOf({ hard: {} }), ...options })).toBeUndefined()
  })
})
