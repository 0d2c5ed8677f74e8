import { describe, expect, it } from "vitest"
import { objectUsage } from "../../../src/kubernetes/core/quotaUsage.ts"
import { quotaRule } from "../../../src/kubernetes/core/quotas.ts"
import { formatQuantity } from "../../../src/kubernetes/meta/amounts/quantity.ts"
import { anObject, aPod } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../../src/kubernetes/pods/podResources.ts"
import type { ResourceQuota } from "../../../src/kubernetes/core/quotas.ts"

const textsOf = (amounts: AmountsByResource): object =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))

describe("the usage of a Service", () => {
  const ports = [{ port: 80 }, { port: 81, nodePort: 30081 }, { port: 82 }]
  it.each([
    { spec: { type: "ClusterIP", ports }, expectedUsage: {}, why: "ClusterIP has no node ports" },
    { spec: { type: "ExternalName" }, expectedUsage: {}, why: "ExternalName has no ports" },
    {
      spec: { type: "NodePort", ports },
      expectedUsage: { "services.nodeports": "3" },
      why: "every port gets a node port"
    },
    {
      spec: { type: "LoadBalancer", ports },
      expectedUsage: { "services.nodeports": "3", "services.loadbalancers": "1" },
      why: "LoadBalancer ports have node ports"
    },
    {
      spec: { type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false },
      expectedUsage: { "services.nodeports": "1", "services.loadbalancers": "1" },
      why: "only given node ports without allocation"
    },
    {
      spec: { type: "NodePort", ports, allocateLoadBalancerNodePorts: false },
      expectedUsage: { "services.nodeports": "3" },
      why: "the allocation field is ignored for NodePort"
    }
  ])("of type $spec.type adds $expectedUsage: $why", ({ spec, expectedUsage }) => {
    const usage = objectUsage("services", { ...aPod({ name: "s" }), spec } as KubeObject)
    expect(textsOf(usage)).toEqual({ "count/services": "1", services: "1", ...expectedUsage })
  })
})

describe("the usage of a PersistentVolumeClaim", () => {
  const storage = (text: string) => ({ resources: { requests: { storage: text } } })
  const countedAsObject = { "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" }
  const goldPrefix = "gold.storageclass.storage.k8s.io/"
  it.each([
    { spec: undefined, expectedUsage: {}, why: "no spec" },
    { spec: {}, expectedUsage: {}, why: "no request" },
    { spec: storage("5Gi"), expectedUsage: { "requests.storage": "5Gi" }, why: "no storage class" },
    { spec: storage("2500m"), expectedUsage: { "requests.storage": "3" }, why: "bytes are rounded up" },
    { spec: { storageClassName: "" }, expectedUsage: {}, why: "an empty storage class" },
    {
      spec: { ...storage("7Gi"), storageClassName: "gold" },
      expectedUsage: {
        "requests.storage": "7Gi",
        [`${goldPrefix}requests.storage`]: "7Gi",
        [`${goldPrefix}persistentvolumeclaims`]: "1"
      },
      why: "counted for its storage class as well"
    },
    {
      annotations: { "volume.beta.kubernetes.io/storage-class": "gold" },
      spec: { storageClassName: "lead" },
      expectedUsage: { [`${goldPrefix}persistentvolumeclaims`]: "1" },
      why: "the old annotation wins over the field"
    },
    {
      spec: storage("2Gi"),
      status: { allocatedResources: { storage: "3Gi" } },
      expectedUsage: { "requests.storage": "3Gi" },
      why: "more is allocated than requested"
    },
    {
      spec: storage("4096Mi"),
      status: { allocatedResources: { storage: "4294967296" } },
      expectedUsage: { "requests.storage": "4Gi" },
      why: "an equal allocation is written like the request"
    },
    {
      spec: storage("4Gi"),
      status: { allocatedResources: { storage: "3Gi" } },
      expectedUsage: { "requests.storage": "4Gi" },
      why: "more is requested than allocated"
    }
  ])("adds $expectedUsage: $why", ({ annotations = {}, spec, status, expectedUsage }) => {
    const { metadata } = aPod({ name: "c" })
    const claim = { kind: "PersistentVolumeClaim", metadata: { ...metadata, annotations }, spec, status }
    expect(textsOf(objectUsage("persistentvolumeclaims", claim as unknown as KubeObject))).toEqual({
      ...countedAsObject,
      ...expectedUsage
    })
  })
})

describe("claims covered by the scope VolumeAttributesClass", () => {
  const withClass = (name: string) => ({ spec: { volumeAttributesClassName: name } })
  const slowAfterFast = { ...withClass("slow"), status: { currentVolumeAttributesClassName: "fast" } }
  const currentlyFast = { status: { currentVolumeAttributesClassName: "fast" } }
  const becomingFast = { status: { modifyVolumeStatus: { targetVolumeAttributesClassName: "fast" } } }
  const scope = (operator: string, ...values: ReadonlyArray<string>) => ({
    scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator, values }] }
  })
  // `within`: 1 for each of the claims below that the quota covers.
  it.each([
    { scopeText: "named in a list", spec: { scopes: ["VolumeAttributesClass"] }, within: [1, 1, 1, 1, 0, 1] },
    { scopeText: "that one has", spec: scope("Exists"), within: [1, 1, 1, 1, 0, 1] },
    { scopeText: "that one lacks", spec: scope("DoesNotExist"), within: [0, 0, 0, 0, 1, 0] },
    { scopeText: "of these", spec: scope("In", "fast"), within: [1, 0, 1, 1, 0, 1] },
    { scopeText: "of others", spec: scope("NotIn", "fast"), within: [0, 1, 0, 0, 1, 1] },
    { scopeText: "that is one of Pods", spec: { scopes: ["NotBestEffort"] }, within: [0, 0, 0, 0, 0, 0] }
  ])("$scopeText: $within", ({ spec, within }) => {
    const bounds = { hard: { "requests.storage": "1Gi" }, ...spec }
    const quota = anObject("ResourceQuota", { name: "q" }, { spec: bounds, status: {} }) as ResourceQuota
    const { covers } = quotaRule(quota)
    const claims = [
      withClass("fast"),
      withClass("slow"),
      currentlyFast,
      becomingFast,
      withClass(""),
      slowAfterFast
    ]
    const covered = claims.map((it) => covers("persistentvolumeclaims", { ...aPod({}), ...it } as KubeObject))
    expect(covered.map(Number)).toEqual(within)
    expect(covers("services", aPod({}))).toBe(false)
  })
})
