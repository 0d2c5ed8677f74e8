import {
  invalidField,
  noErrors,
  type FieldError,
  type FieldErrors
} from "../../kubernetes/validation/fieldErrors.ts"
import {
  usesNodePorts,
  withIpFamilies,
  type ServiceDraft
} from "../../kubernetes/admission/kinds/validateService.ts"
import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectIndex } from "./objectIndex.ts"

/**
 * Cluster IPs and node ports of Services. Unlike Kubernetes, they are allocated in order.
 * Source: pkg/registry/core/service (storage/alloc.go, ipallocator, portallocator, strategy.go).
 */
export interface ServiceAddresses extends ObjectIndex {
  /** Completes a Service; returns other objects unchanged. */
  readonly complete: (object: Draft, old?: KubeObject) => Draft
  readonly problems: (object: Draft, old?: KubeObject) => FieldErrors
  readonly copyForDryRun: () => ServiceAddresses
  readonly save: () => ServiceAddressesState
  readonly restore: (state: ServiceAddressesState) => void
}

export interface ServiceAddressesState {
  readonly addresses: PoolState
  readonly ports: PoolState
}

const addressRange = "10.96.0.0/16"
const addressPrefix = "10.96."
/** Only Services that ask for them get lower addresses and ports. */
const addressFirst = 256
const addressLast = 65_534
const portMin = 30_000
const portFirst = 30_086
const portMax = 32_767

type Spec = Core.ServiceSpec

export const makeServiceAddresses = (): ServiceAddresses =>
  addressesFrom({
    addresses: makePool({ first: addressFirst, last: addressLast, isUsable: isHostAddress }),
    ports: makePool({ first: portFirst, last: portMax, isUsable: () => true })
  })

const addressesFrom = ({
  addresses,
  ports
}: {
  readonly addresses: NumberPool
  readonly ports: NumberPool
}): ServiceAddresses => {
  const withAddress = (spec: Spec): Spec => {
    if (spec.type === "ExternalName" || (spec.clusterIP ?? "") !== "") return spec
    const number = addresses.nextFree(new Set())
    if (number === undefined) return spec
    const address = `${addressPrefix}${number >> 8}.${number & 255}`
    return { ...spec, clusterIP: address, clusterIPs: [address] }
  }
  /** Ports of the same number and different protocols share a node port. */
  const withNodePorts = (spec: Spec): Spec => {
    if (!usesNodePorts(spec) || spec.allocateLoadBalancerNodePorts === false) return spec
    const requestedPorts = (spec.ports ?? []).map(({ nodePort = 0 }) => nodePort)
    const allocated = new Map<number, number>()
    const portsWithNodePorts = (spec.ports ?? []).map((port) => {
      const allocatedPort =
        port.nodePort ||
        allocated.get(port.port) ||
        ports.nextFree(new Set([...requestedPorts, ...allocated.values()]))
      if (allocatedPort === undefined) return port
      allocated.set(port.port, allocatedPort)
      return port.nodePort === allocatedPort ? port : { ...port, nodePort: allocatedPort }
    })
    return portsWithNodePorts.every((port, index) => port === spec.ports?.[index])
      ? spec
      : { ...spec, ports: portsWithNodePorts }
  }

  const changePools = (object: KubeObject, change: "take" | "release"): void => {
    const { clusterIP = "", ports: servicePorts = [] } = specOf(object) ?? {}
    const number = addressNumber(clusterIP)
    if (number !== undefined) addresses[change](number)
    for (const { nodePort = 0 } of servicePorts) if (nodePort !== 0) ports[change](nodePort)
  }

  return {
    complete: (object, old) => {
      const spec = specOf(object)
      if (spec === undefined) return object
      const oldSpec = old === undefined ? undefined : specOf(old)
      const next =
        oldSpec === undefined ? spec : withoutFormerTypeFields(withStoredValues(spec, oldSpec), oldSpec)
      const filled = withNodePorts(withAddress(withIpFamilies(next)))
      return filled === spec ? object : ({ ...object, spec: filled } as Draft)
    },
    problems: (object, old) => {
      const spec = specOf(object)
      if (spec === undefined) return noErrors
      const oldSpec = old === undefined ? undefined : specOf(old)
      return [...addressProblems(spec, oldSpec, addresses), ...portProblems(spec, oldSpec, ports)]
    },
    update: (resource, old, next) => {
      if (resource !== resources.services) return
      if (old !== undefined) changePools(old, "release")
      if (next !== undefined) changePools(next, "take")
    },
    copyForDryRun: () =>
      addressesFrom({ addresses: addresses.copyForDryRun(), ports: ports.copyForDryRun() }),
    save: () => ({ addresses: addresses.save(), ports: ports.save() }),
    restore: (state) => {
      addresses.restore(state.addresses)
      ports.restore(state.ports)
    }
  }
}

interface NumberPool {
  readonly nextFree: (reserved: ReadonlySet<number>) => number | undefined
  readonly take: (number: number) => void
  readonly release: (number: number) => void
  readonly has: (number: number) => boolean
  readonly copyForDryRun: () => NumberPool
  readonly save: () => PoolState
  readonly restore: (state: PoolState) => void
}

interface PoolState {
  readonly held: ReadonlyArray<number>
  readonly next: number
}

const makePool = (options: {
  readonly first: number
  readonly last: number
  readonly isUsable: (number: number) => boolean
  /** The pool that a copy for dry runs reads from. */
  readonly base?: { readonly has: (number: number) => boolean; readonly next: number }
}): NumberPool => {
  const { first, last, isUsable, base } = options
  const held = new Set<number>()
  /** Numbers of `base` that this copy has released. */
  const released = new Set<number>()
  /** Released numbers are not reused at once. */
  let next = base?.next ?? first
  const has = (number: number): boolean =>
    held.has(number) || (base !== undefined && !released.has(number) && base.has(number))
  return {
    nextFree: (reserved) => {
      for (let offset = 0; offset <= last - first; offset += 1) {
        const number = first + ((next - first + offset) % (last - first + 1))
        if (isUsable(number) && !has(number) && !reserved.has(number)) return number
      }
      return undefined
    },
    take: (number) => {
      held.add(number)
      if (number >= next && number <= last) next = number === last ? first : number + 1
    },
    release: (number) => {
      held.delete(number)
      if (base !== undefined) released.add(number)
    },
    has,
    copyForDryRun: () => makePool({ ...options, base: { has, next } }),
    save: () => ({ held: [...held], next }),
    restore: (state) => {
      for (const number of state.held) held.add(number)
      next = state.next
    }
  }
}

const isHostAddress = (number: number): boolean => (number & 255) !== 0 && (number & 255) !== 255

const addressNumber = (address: string): number | undefined => {
  const [, high, low] = /^10\.96\.(\d{1,3})\.(\d{1,3})$/.exec(address) ?? []
  return high === undefined || low === undefined ? undefined : Number(high) * 256 + Number(low)
}

export const isServiceAddress = (address: string): boolean => addressNumber(address) !== undefined

const specOf = (object: Draft): Spec | undefined =>
  object.kind === "Service" && object.apiVersion === "v1" ? (object as ServiceDraft).spec : undefined

const addressProblems = (
  { clusterIP = "", clusterIPs, type }: Spec,
  oldSpec: Spec | undefined,
  allocatedAddresses: NumberPool
): FieldErrors => {
  const isGiven = /^\d+\.\d+\.\d+\.\d+$/.test(clusterIP)
  // A Service with an address gets no other: its validation refuses one.
  const hasAddress = oldSpec !== undefined && oldSpec.type !== "ExternalName"
  if (type === "ExternalName" || !isGiven || (hasAddress && oldSpec.clusterIP !== undefined)) return noErrors
  const failed = (why: string): FieldErrors => [
    invalidField("spec.clusterIPs", clusterIPs ?? [clusterIP], `failed to allocate IP ${clusterIP}: ${why}`)
  ]
  const number = addressNumber(clusterIP)
  if (number === undefined) {
    return failed(
      `the provided IP (${clusterIP}) is not in the valid range. The range of valid IPs is ${addressRange}`
    )
  }
  return allocatedAddresses.has(number) ? failed("provided IP is already allocated") : noErrors
}

const portProblems = (spec: Spec, oldSpec: Spec | undefined, allocatedPorts: NumberPool): FieldErrors => {
  if (!usesNodePorts(spec)) return noErrors
  const currentPorts = new Set((oldSpec?.ports ?? []).map(({ nodePort }) => nodePort))
  return (spec.ports ?? []).flatMap(({ nodePort }, index): ReadonlyArray<FieldError> => {
    if (nodePort === undefined || nodePort === 0 || currentPorts.has(nodePort)) return noErrors
    const field = `spec.ports[${index}].nodePort`
    if (nodePort < portMin || nodePort > portMax) {
      const why = `provided port is not in the valid range. The range of valid ports is ${portMin}-${portMax}`
      return [invalidField(field, nodePort, why)]
    }
    return allocatedPorts.has(nodePort)
      ? [invalidField(field, nodePort, "provided port is already allocated")]
      : noErrors
  })
}

const withStoredValues = (spec: Spec, oldSpec: Spec): Spec => {
  const merged = { ...spec }
  if (spec.type !== "ExternalName" && oldSpec.clusterIP !== undefined) {
    if ((spec.clusterIP ?? "") === "") merged.clusterIP = oldSpec.clusterIP
    if (spec.ipFamilyPolicy === undefined && oldSpec.ipFamilyPolicy !== undefined) {
      merged.ipFamilyPolicy = oldSpec.ipFamilyPolicy
    }
    if ((spec.ipFamilies ?? []).length === 0) merged.ipFamilies = oldSpec.ipFamilies ?? []
    // Setting one of the two fields sets both.
    if ((spec.clusterIPs ?? []).length === 0 || isSemanticallyEqual(spec.clusterIPs, oldSpec.clusterIPs)) {
      merged.clusterIPs =
        merged.clusterIP === oldSpec.clusterIP || merged.clusterIP === undefined
          ? (oldSpec.clusterIPs ?? [])
          : [merged.clusterIP]
    }
  }
  if (!usesNodePorts(spec) || !usesNodePorts(oldSpec)) return merged
  const ports = (spec.ports ?? []).map((port) => {
    if (port.nodePort !== undefined && port.nodePort !== 0) return port
    const storedPort = (oldSpec.ports ?? []).find(
      (it) => it.port === port.port && it.protocol === port.protocol
    )
    return storedPort?.nodePort === undefined ? port : { ...port, nodePort: storedPort.nodePort }
  })
  return { ...merged, ports }
}

const withoutFormerTypeFields = (spec: Spec, oldSpec: Spec): Spec => {
  if (spec.type === oldSpec.type) return spec
  let next = spec
  if (!usesNodePorts(spec) && usesNodePorts(oldSpec)) {
    const { externalTrafficPolicy, allocateLoadBalancerNodePorts: _allocates, ...others } = next
    const isChanged = externalTrafficPolicy !== oldSpec.externalTrafficPolicy
    next = isChanged && externalTrafficPolicy !== undefined ? { ...others, externalTrafficPolicy } : others
    const allocated = new Set((oldSpec.ports ?? []).map(({ nodePort }) => nodePort))
    const ports = (spec.ports ?? []).map((port) => {
      const { nodePort, ...rest } = port
      return allocated.has(nodePort) ? rest : port
    })
    next = { ...next, ports }
  }
  if (spec.type !== "ExternalName" || spec.clusterIP !== oldSpec.clusterIP) return next
  const {
    clusterIP: _one,
    clusterIPs: _all,
    ipFamilies: _families,
    ipFamilyPolicy: _policy,
    ...others
  } = next
  const { internalTrafficPolicy: _inside, ...external } = others
  return external
}
