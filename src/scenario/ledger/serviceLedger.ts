import { isReachable, isSelecting } from "../../domain/endpoints.ts"
import { keyIn, keyOf } from "../../domain/objects.ts"
import { kubeletOf } from "../../domain/nodeStatus.ts"
import { resources } from "../../domain/kinds.ts"
import { makeServicePods } from "./servicePods.ts"
import { endpointId, makeServiceTraffic, tellsNothing } from "./serviceTraffic.ts"
import type { EndpointSlice, Service } from "../../domain/endpoints.ts"
import type { Key, Pod } from "../../domain/objects.ts"
import type { PodLife } from "../../domain/podLife.ts"
import type { Change } from "../../store/objectStore.ts"
import type { DueAt } from "./dueTimes.ts"
import type { ServiceTraffic, Told, Traffic } from "./serviceTraffic.ts"

/** The requests of every Service with a selector. */
export interface ServiceLedger {
  readonly see: (change: Change, atMillis: number) => void
  /** A fault started or stopped affecting the Pod. */
  readonly befall: (pod: Pod, atMillis: number) => void
  readonly begin: (atMillis: number) => void
  readonly of: (key: Key) => ServiceTraffic | undefined
  readonly keys: () => ReadonlyArray<Key>
  /** Changes during `see` count as known to all clients already. */
  readonly settled: (see: () => void) => void
}

export const makeServiceLedger = (options: {
  readonly traffic: Traffic
  readonly dueAt: DueAt
  readonly lifeOf: (pod: Pod) => PodLife | undefined
}): ServiceLedger => {
  const { traffic, dueAt, lifeOf } = options
  const services = new Map<Key, ServiceTraffic>()
  const servicesByEndpoint = new Map<string, Set<ServiceTraffic>>()
  const uids = new Map<Key, string>()
  let isSettled = false

  const pods = makeServicePods({
    dueAt,
    lifeOf,
    onChange: (uid, atMillis, goneReason) => {
      for (const service of servicesByEndpoint.get(uid) ?? []) {
        service.hear(uid, goneReason)
        service.note(atMillis)
      }
    }
  })

  const openTraffic = (): ServiceTraffic => {
    const service = makeServiceTraffic(traffic, {
      // An endpoint that was written by hand has no Pod and always answers.
      silenceOf: (endpoint, ports) =>
        endpoint.targetRef?.uid === undefined ? undefined : pods.silenceOf(endpointId(endpoint), ports),
      follow: (endpoint, isKnown) => {
        const knowing = servicesByEndpoint.get(endpoint) ?? new Set()
        if (isKnown) knowing.add(service)
        else knowing.delete(service)
        if (knowing.size > 0) servicesByEndpoint.set(endpoint, knowing)
        else servicesByEndpoint.delete(endpoint)
      }
    })
    return service
  }

  const seeSlice = ({ type, object }: Change, atMillis: number): void => {
    const slice = object as EndpointSlice
    const { metadata, endpoints, ports = [] } = slice
    const name = metadata.labels?.["kubernetes.io/service-name"]
    const service = name === undefined ? undefined : services.get(keyIn(metadata.namespace, name))
    if (service === undefined) return
    const content: Told = type === "DELETED" ? tellsNothing : { endpoints, ports }
    service.write(metadata.uid, content)
    service.note(atMillis)
    const reachable = isReachable(slice) ? content : tellsNothing
    const propagate = (nowMillis: number): void => {
      service.learn(metadata.uid, reachable)
      service.note(nowMillis)
    }
    const knownMillis = atMillis + traffic.propagationMillis
    if (isSettled || knownMillis === atMillis) propagate(atMillis)
    else dueAt(knownMillis, () => propagate(knownMillis))
  }

  const seeService = ({ type, object }: Change, atMillis: number): void => {
    const key = keyOf(object)
    const { uid } = object.metadata
    const existing = services.get(key)
    if (type === "DELETED") {
      if (uid === uids.get(key)) existing?.end(atMillis)
      return
    }
    if (uid === uids.get(key) || !isSelecting(object as Service)) return
    uids.set(key, uid)
    // Clients address a Service by name, so a Service that is created again continues its counts.
    if (existing !== undefined) return existing.goOn(atMillis)
    const service = openTraffic()
    services.set(key, service)
    service.begin(atMillis)
  }

  return {
    see: (change, atMillis) => {
      const { type, resource, object } = change
      switch (resource) {
        case resources.pods:
          if (isSettled) return pods.seeSettled(object as Pod, atMillis)
          return pods.see(type, object as Pod, atMillis)
        case resources.nodes:
          return pods.seeNode(
            object.metadata.name,
            type === "DELETED" || kubeletOf(object) === "stopped",
            atMillis
          )
        case resources.endpointSlices:
          return seeSlice(change, atMillis)
        case resources.services:
          seeService(change, atMillis)
      }
    },
    befall: (pod, atMillis) => pods.see("MODIFIED", pod, atMillis),
    begin: (atMillis) => {
      for (const service of services.values()) service.begin(atMillis)
    },
    of: (key) => services.get(key),
    keys: () => [...services.keys()],
    settled: (see) => {
      isSettled = true
      see()
      isSettled = false
    }
  }
}
