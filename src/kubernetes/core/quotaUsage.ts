import { storedKinds, groupResourceOf, resources } from "../meta/kinds.ts"
import { parseAmounts } from "../pods/podResources.ts"
import { storageClassNameOf } from "../storage/storageClasses.ts"
import { compareQuantities, countQuantity } from "../meta/amounts/quantity.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { GroupResource } from "../meta/kinds.ts"
import type { KubeObject } from "../meta/objects.ts"
import type { AmountTextsByResource, AmountsByResource } from "../pods/podResources.ts"
import type { Quantity } from "../meta/amounts/quantity.ts"

/** All namespaced resources except Events. */
export const quotaCountedResources: ReadonlySet<GroupResource> = new Set(
  storedKinds
    .filter(({ namespaced }) => namespaced)
    .map(groupResourceOf)
    .filter((resource) => resource !== resources.events)
)

/**
 * Only these may use more of a quota after an update. Source: evaluator/core (services.go,
 * persistent_volume_claims.go).
 */
export const resourcesChargedOnUpdate: ReadonlySet<GroupResource> = new Set([
  resources.services,
  resources.persistentVolumeClaims
])

/** The names, besides `count/…`, by which quotas limit a resource. */
const legacyNames: ReadonlyMap<GroupResource, ReadonlySet<string>> = new Map(
  Object.entries({
    configmaps: [],
    persistentvolumeclaims: ["requests.storage"],
    replicationcontrollers: [],
    resourcequotas: [],
    secrets: [],
    services: ["services.nodeports", "services.loadbalancers"],
    pods: ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [
      name,
      `requests.${name}`,
      `limits.${name}`
    ])
  }).map(([resource, names]) => [resource, new Set([resource, ...names])])
)

export const isCountedTowards = (resource: GroupResource, name: string): boolean => {
  if (name === `count/${resource}`) return quotaCountedResources.has(resource)
  if (legacyNames.get(resource)?.has(name) === true) return true
  if (resource === resources.persistentVolumeClaims)
    return storageClassSuffixes.some((suffix) => name.endsWith(suffix))
  if (resource !== resources.pods) return false
  return /^(requests\.)?hugepages-/.test(name) || isExtendedRequest(name)
}

/** Extended resources have no limits. */
const isExtendedRequest = (name: string): boolean =>
  name.startsWith("requests.") && name.includes("/") && !name.includes("kubernetes.io/")

const claimsOfClassSuffix = ".storageclass.storage.k8s.io/persistentvolumeclaims"
const storageOfClassSuffix = ".storageclass.storage.k8s.io/requests.storage"
const storageClassSuffixes = [claimsOfClassSuffix, storageOfClassSuffix]

export const oneUnit = countQuantity(1)
const uncounted: AmountsByResource = new Map()
const countAmounts: ReadonlyMap<GroupResource, AmountsByResource> = new Map(
  [...quotaCountedResources].map((resource) => {
    const legacyAmounts =
      legacyNames.has(resource) && resource !== resources.pods ? [[resource, oneUnit] as const] : []
    return [resource, new Map([[`count/${resource}`, oneUnit], ...legacyAmounts])]
  })
)

/** What an object uses by its existence alone. A finished Pod uses nothing else. */
export const objectCountUsage = (resource: GroupResource): AmountsByResource =>
  countAmounts.get(resource) ?? uncounted

/** For Pods see `podUsage` in `quotas.ts`. */
export const objectUsage = (resource: GroupResource, object: KubeObject): AmountsByResource => {
  if (resource === resources.services) return serviceUsage(object as Core.Service)
  return resource === resources.persistentVolumeClaims ? claimUsage(object) : objectCountUsage(resource)
}

/**
 * Node ports count before they have a number. Source: evaluator/core/services.go
 * (Usage).
 */
const serviceUsage = ({
  spec: { type, ports = [], allocateLoadBalancerNodePorts } = {}
}: Core.Service): AmountsByResource => {
  const count = objectCountUsage(resources.services)
  if (type !== "NodePort" && type !== "LoadBalancer") return count
  const isNodePortOptional = type === "LoadBalancer" && allocateLoadBalancerNodePorts === false
  const nodePorts = isNodePortOptional ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports
  return new Map([
    ...count,
    ["services.nodeports", countQuantity(nodePorts.length)],
    ...(type === "LoadBalancer" ? [["services.loadbalancers", oneUnit] as const] : [])
  ])
}

type VolumeClaim = KubeObject & {
  readonly spec?: {
    readonly storageClassName?: string
    readonly volumeAttributesClassName?: string
    readonly resources?: { readonly requests?: AmountTextsByResource }
  }
  readonly status?: {
    readonly allocatedResources?: AmountTextsByResource
    readonly currentVolumeAttributesClassName?: string
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string }
  }
}

/**
 * The larger of requested and allocated storage counts. Source:
 * evaluator/core/persistent_volume_claims.go (Usage).
 */
const claimUsage = ({ metadata, spec, status }: VolumeClaim): AmountsByResource => {
  const storageClass = storageClassNameOf({ metadata, spec: spec ?? {} })
  const usage = new Map(objectCountUsage(resources.persistentVolumeClaims))
  if (storageClass !== "") usage.set(`${storageClass}${claimsOfClassSuffix}`, oneUnit)
  const requested = parseAmounts(spec?.resources?.requests).get("storage")
  if (requested === undefined) return usage
  const allocated = parseAmounts(status?.allocatedResources).get("storage")
  const storage = roundUpToBytes(
    allocated !== undefined && compareQuantities(allocated, requested) > 0 ? allocated : requested
  )
  usage.set("requests.storage", storage)
  if (storageClass !== "") usage.set(`${storageClass}${storageOfClassSuffix}`, storage)
  return usage
}

const roundUpToBytes = (quantity: Quantity): Quantity => {
  const fraction = quantity.nanos % oneUnit.nanos
  return fraction <= 0n ? quantity : { ...quantity, nanos: quantity.nanos - fraction + oneUnit.nanos }
}

/** The wanted, the present and the target class. */
export const volumeAttributesClasses = ({ spec, status }: VolumeClaim): ReadonlyArray<string> =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  ].filter((name) => name !== undefined && name !== "") as ReadonlyArray<string>

export const amountsIncrease = (usage: AmountsByResource, before: AmountsByResource): AmountsByResource => {
  const increase = new Map<string, Quantity>()
  for (const [name, quantity] of usage) {
    const nanos = quantity.nanos - (before.get(name)?.nanos ?? 0n)
    if (nanos > 0n) increase.set(name, { ...quantity, nanos })
  }
  return increase
}
