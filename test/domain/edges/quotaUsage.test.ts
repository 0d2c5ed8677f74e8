import { describe, expect, it } from "vitest"
import { objectUsage } from "../../../src/kubernetes/core/quotaUsage.ts"
import { quotaRule } from "../../../src/kubernetes/core/quotas.ts"
import { formatQuantity } from "../../../src/kubernetes/meta/amounts/quantity.ts"
import { aPod } from "../../builders.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { AmountsByResource } from "../../../src/kubernetes/pods/podResources.ts"
import type { ResourceQuota } from "../../../src/kubernetes/core/quotas.ts"

const textsOf = (amounts: AmountsByResource): object =>
  Object.fromEntries([...amounts].map(([name, quantity]) => [name, formatQuantity(quantity)]))

describe("what a Service takes", () => {
  const ports = [{ port: 80 }, { port: 81, nodePort: 30081 }, { port: 82 }]
  it.each([
    { spec: { type: "ClusterIP", ports }, takes: {}, why: "its ports are inside" },
    { spec: { type: "ExternalName" }, takes: {}, why: "it has no port" },
    { spec: { type: "NodePort", ports }, takes: { "services.nodeports": "3" }, why: "numbers come later" },
    {
      spec: { type: "LoadBalancer", ports },
      takes: { "services.nodeports": "3", "services.loadbalancers": "1" },
      why: "its ports are open on the nodes too"
    },
    {
      spec: { type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false },
      takes: { "services.nodeports": "1", "services.loadbalancers": "1" },
      why: "only those that it states are given"
    },
    {
      spec: { type: "NodePort", ports, allocateLoadBalancerNodePorts: false },
      takes: { "services.nodeports": "3" },
      why: "that is said of load balancers"
    }
  ])("$spec.type: $takes beside itself: $why", ({ spec, takes }) => {
    const usage = objectUsage("services", { ...aPod({ name: "s" }), spec } as KubeObject)
    expect(textsOf(usage)).toEqual({ "count/services": "1", services: "1", ...takes })
  })
})

describe("what a PersistentVolumeClaim takes", () => {
  const storage = (text: string) => ({ resources: { requests: { storage: text } } })
  const itself = { "count/persistentvolumeclaims": "1", persistentvolumeclaims: "1" }
  const gold = "gold.storageclass.storage.k8s.io/"
  it.each([
    { spec: undefined, takes: {}, why: "it asks for nothing" },
    { spec: {}, takes: {}, why: "it asks for no bytes" },
    { spec: storage("5Gi"), takes: { "requests.storage": "5Gi" }, why: "it has no class" },
    { spec: storage("2500m"), takes: { "requests.storage": "3" }, why: "there is no part of a byte" },
    { spec: { storageClassName: "" }, takes: {}, why: "the class of no name is none" },
    {
      spec: { ...storage("7Gi"), storageClassName: "gold" },
      takes: {
        "requests.storage": "7Gi",
        [`${gold}requests.storage`]: "7Gi",
        [`${gold}persistentvolumeclaims`]: "1"
      },
      why: "its class counts it as well"
    },
    {
      annotations: { "volume.beta.kubernetes.io/storage-class": "gold" },
      spec: { storageClassName: "lead" },
      takes: { [`${gold}persistentvolumeclaims`]: "1" },
      why: "the annotation of old goes before the field"
    },
    {
      spec: storage("2Gi"),
      status: { allocatedResources: { storage: "3Gi" } },
      takes: { "requests.storage": "3Gi" },
      why: "it has got more than it asks for now"
    },
    {
      spec: storage("4096Mi"),
      status: { allocatedResources: { storage: "4294967296" } },
      takes: { "requests.storage": "4Gi" },
      why: "it has got what it asks for, and that is as it is written there"
    },
    {
      spec: storage("4Gi"),
      status: { allocatedResources: { storage: "3Gi" } },
      takes: { "requests.storage": "4Gi" },
      why: "it is to grow"
    }
  ])("$takes beside itself: $why", ({ annotations = {}, spec, status, takes }) => {
    const { metadata } = aPod({ name: "c" })
    const claim = { kind: "PersistentVolumeClaim", metadata: { ...metadata, annotations }, spec, status }
    expect(textsOf(objectUsage("persistentvolumeclaims", claim as unknown as KubeObject))).toEqual({
      ...itself,
      ...takes
    })
  })
})

describe("which claims are within a scope of volume attributes", () => {
  const classed = (name: string) => ({ spec: { volumeAttributesClassName: name } })
  const both = { ...classed("slow"), status: { currentVolumeAttributesClassName: "fast" } }
  const current = { status: { currentVolumeAttributesClassName: "fast" } }
  const target = { status: { modifyVolumeStatus: { targetVolumeAttributesClassName: "fast" } } }
  const scope = (operator: string, ...values: ReadonlyArray<string>) => ({
    scopeSelector: { matchExpressions: [{ scopeName: "VolumeAttributesClass", operator, values }] }
  })
  it.each([
    { says: "named in a list", spec: { scopes: ["VolumeAttributesClass"] }, within: [1, 1, 1, 1, 0, 1] },
    { says: "that one has", spec: scope("Exists"), within: [1, 1, 1, 1, 0, 1] },
    { says: "that one lacks", spec: scope("DoesNotExist"), within: [0, 0, 0, 0, 1, 0] },
    { says: "of these", spec: scope("In", "fast"), within: [1, 0, 1, 1, 0, 1] },
    { says: "of others", spec: scope("NotIn", "fast"), within: [0, 1, 0, 0, 1, 1] },
    { says: "that is one of Pods", spec: { scopes: ["NotBestEffort"] }, within: [0, 0, 0, 0, 0, 0] }
  ])("$says: $within", ({ spec, within }) => {
    const bounds = { hard: { "requests.storage": "1Gi" }, ...spec }
    const quota = { ...aPod({ name: "q" }), kind: "ResourceQuota", spec: bounds, status: {} } as ResourceQuota
    const { covers } = quotaRule(quota)
    const claims = [classed("fast"), classed("slow"), current, target, classed(""), both]
    const found = claims.map((it) => covers("persistentvolumeclaims", { ...aPod({}), ...it } as KubeObject))
    expect(found.map(Number)).toEqual(within)
    expect(covers("services", aPod({}))).toBe(false)
  })
})
