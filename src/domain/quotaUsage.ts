import { allKinds, groupResourceOf, resources } from "./kinds.ts"
import { amountsOf } from "./podResources.ts"
import { compareQuantities, units } from "./quantity.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { GroupResource } from "./kinds.ts"
import type { KubeObject } from "./objects.ts"
import type { AmountTexts, Amounts } from "./podResources.ts"
import type { Quantity } from "./quantity.ts"

/** Resources whose objects are counted; Events never are. */
export const quotaResources: ReadonlySet<GroupResource> = new Set(
  allKinds
    .filter(({ namespaced }) => namespaced)
    .map(groupResourceOf)
    .filter((resource) => resource !== resources.events)
)

/**
 * Those whose objects may take more by a change: of any other only a new one is asked about.
 *
 * Source: pkg/quota/v1/evaluator/core/services.go, persistent_volume_claims.go (Handles).
 */
export const changesUse: ReadonlySet<GroupResource> = new Set([
  resources.services,
  resources.persistentVolumeClaims
])

/** What of a resource has names of its own in quotas, from before every kind could be counted. */
const ownNames: ReadonlyMap<GroupResource, ReadonlySet<string>> = new Map(
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

/** Whether a quota of that name counts objects of a resource, or what they take. */
export const isCountedTowards = (resource: GroupResource, name: string): boolean => {
  if (name === `count/${resource}`) return quotaResources.has(resource)
  if (ownNames.get(resource)?.has(name) === true) return true
  if (resource === resources.persistentVolumeClaims) return ofClasses.some((suffix) => name.endsWith(suffix))
  if (resource !== resources.pods) return false
  return /^(requests\.)?hugepages-/.test(name) || isExtendedRequest(name)
}

/** `requests.example.com/gpu`: nothing else than requests is counted of what is handed out whole. */
const isExtendedRequest = (name: string): boolean =>
  name.startsWith("requests.") && name.includes("/") && !name.includes("kubernetes.io/")

const claimsOfClass = ".storageclass.storage.k8s.io/persistentvolumeclaims"
const storageOfClass = ".storageclass.storage.k8s.io/requests.storage"
const ofClasses = [claimsOfClass, storageOfClass]

export const one = units(1)
const uncounted: Amounts = new Map()
const counts: ReadonlyMap<GroupResource, Amounts> = new Map(
  [...quotaResources].map((resource) => {
    const own = ownNames.has(resource) && resource !== resources.pods ? [[resource, one] as const] : []
    return [resource, new Map([[`count/${resource}`, one], ...own])]
  })
)

/** What an object takes by being there at all; all that a Pod takes that has come to its end. */
export const countOf = (resource: GroupResource): Amounts => counts.get(resource) ?? uncounted

/** What an object takes that is no Pod. */
export const objectUsage = (resource: GroupResource, object: KubeObject): Amounts => {
  if (resource === resources.services) return serviceUsage(object as Core.Service)
  return resource === resources.persistentVolumeClaims ? claimUsage(object) : countOf(resource)
}

/**
 * A port that is open on the nodes counts before it has its number, and a load balancer whatever becomes of it.
 *
 * Source: pkg/quota/v1/evaluator/core/services.go (Usage).
 */
const serviceUsage = ({
  spec: { type, ports = [], allocateLoadBalancerNodePorts } = {}
}: Core.Service): Amounts => {
  const count = countOf(resources.services)
  if (type !== "NodePort" && type !== "LoadBalancer") return count
  const isOnRequest = type === "LoadBalancer" && allocateLoadBalancerNodePorts === false
  const open = isOnRequest ? ports.filter(({ nodePort = 0 }) => nodePort !== 0) : ports
  return new Map([
    ...count,
    ["services.nodeports", units(open.length)],
    ...(type === "LoadBalancer" ? [["services.loadbalancers", one] as const] : [])
  ])
}

/** A PersistentVolumeClaim; some of its fields came later than the published types. */
type Claim = KubeObject & {
  readonly spec?: {
    readonly storageClassName?: string
    readonly volumeAttributesClassName?: string
    readonly resources?: { readonly requests?: AmountTexts }
  }
  readonly status?: {
    readonly allocatedResources?: AmountTexts
    readonly currentVolumeAttributesClassName?: string
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string }
  }
}

/**
 * Itself and its bytes, both once more for its class; of what it asks for and what it has got the greater.
 *
 * Source: pkg/quota/v1/evaluator/core/persistent_volume_claims.go (Usage), the class as in
 * staging/src/k8s.io/component-helpers/storage/volume/helpers.go (GetPersistentVolumeClaimClass).
 */
const claimUsage = ({ metadata, spec, status }: Claim): Amounts => {
  const storageClass =
    metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? ""
  const usage = new Map(countOf(resources.persistentVolumeClaims))
  if (storageClass !== "") usage.set(`${storageClass}${claimsOfClass}`, one)
  const asked = amountsOf(spec?.resources?.requests).get("storage")
  if (asked === undefined) return usage
  const got = amountsOf(status?.allocatedResources).get("storage")
  const storage = inWholeUnits(got !== undefined && compareQuantities(got, asked) > 0 ? got : asked)
  usage.set("requests.storage", storage)
  if (storageClass !== "") usage.set(`${storageClass}${storageOfClass}`, storage)
  return usage
}

const inWholeUnits = (quantity: Quantity): Quantity => {
  const beyond = quantity.nanos % one.nanos
  return beyond <= 0n ? quantity : { ...quantity, nanos: quantity.nanos - beyond + one.nanos }
}

/** The VolumeAttributesClasses that a claim has, and those it is on its way to. */
export const attributesClassesOf = ({ spec, status }: Claim): ReadonlyArray<string> =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  ].filter((name) => name !== undefined && name !== "") as ReadonlyArray<string>

/** What is taken beyond what was: nothing of what has become less. */
export const amountsBeyond = (usage: Amounts, before: Amounts): Amounts => {
  const more = new Map<string, Quantity>()
  for (const [name, quantity] of usage) {
    const nanos = quantity.nanos - (before.get(name)?.nanos ?? 0n)
    if (nanos > 0n) more.set(name, { ...quantity, nanos })
  }
  return more
}
