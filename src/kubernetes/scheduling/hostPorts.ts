import { longRunningContainers } from "../pods/containers/containers.ts"
import { resolvableByPreemption } from "./placementFilter.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "../meta/objects.ts"
import type { HostPort, PlacementFilter } from "./placementFilter.ts"

/** Source: node_ports.go, util/utils.go (GetHostPorts). */
export const hasFreePorts: PlacementFilter = (pod, nodeInfos) => {
  const wanted = hostPortsOf(pod.spec)
  if (wanted.length === 0) return undefined
  return (node) => {
    for (const used of nodeInfos.hostPorts(node.metadata.name)) {
      if (wanted.some((it) => portsConflict(it, used))) return resolvableByPreemption(portsReason)
    }
    return undefined
  }
}

const portsReason = "node(s) didn't have free ports for the requested pod ports"

const anyAddress = "0.0.0.0"

export const portsConflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port &&
  a.protocol === b.protocol &&
  (a.address === b.address || a.address === anyAddress || b.address === anyAddress)

const noPorts: ReadonlyArray<HostPort> = []
const portsByContainers = new WeakMap<object, ReadonlyArray<HostPort>>()

/**
 * Memoized by the list of containers, which Pods of one template share; with init containers that list is not
 * enough.
 */
export const hostPortsOf = (spec: PodSpec): ReadonlyArray<HostPort> => {
  if (spec.initContainers !== undefined) return findHostPorts(longRunningContainers(spec))
  const cached = portsByContainers.get(spec.containers)
  if (cached !== undefined) return cached
  const ports = findHostPorts(spec.containers)
  if (Object.isFrozen(spec.containers)) portsByContainers.set(spec.containers, ports)
  return ports
}

const findHostPorts = (containers: ReadonlyArray<Core.Container>): ReadonlyArray<HostPort> => {
  const found = containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = "TCP", hostIP = "" }) =>
      hostPort <= 0 ? [] : [{ port: hostPort, protocol, address: hostIP === "" ? anyAddress : hostIP }]
    )
  )
  return found.length === 0 ? noPorts : found
}
