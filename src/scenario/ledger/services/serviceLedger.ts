import { canReceiveRequests, hasPodSelector } from "../../../kubernetes/core/endpoints.ts"
import { toObjectKey, objectKeyOf } from "../../../kubernetes/meta/objects.ts"
import { kubeletState } from "../../../kubernetes/core/nodeStatus.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import { makeServicePods } from "./servicePods.ts"
import { emptySlice, endpointId } from "./knownEndpoints.ts"
import { makeServiceTraffic } from "./serviceTraffic.ts"
import type { EndpointSlice, Service } from "../../../kubernetes/core/endpoints.ts"
import type { Key, Pod } from "../../../kubernetes/meta/objects.ts"
import type { PodLife } from "../../../kubernetes/pods/podLife.ts"
import type { Change } from "../../../store/objectStore.ts"
import type { ScheduleCallback } from "../ledgerTimers.ts"
import type { SliceContent } from "./knownEndpoints.ts"
import type { ServiceTraffic, TrafficOptions } from "./serviceTraffic.ts"

export interface ServiceLedger {
  readonly observe: (change: Change, atMillis: number) => void
  readonly podFaultChanged: (pod: Pod, atMillis: number) => void
  /** Forgets the requests so far. */
  readonly restart: (atMillis: number) => void
  readonly of: (key: Key) => ServiceTraffic | undefined
  readonly keys: () => ReadonlyArray<Key>
  /** Clients know the observed endpoints at once. */
  readonly whileObservingExisting: (observeAll: () => void) => void
}

export const makeServiceLedger = (options: {
  readonly traffic: TrafficOptions
  readonly schedule: ScheduleCallback
  readonly lifeOf: (pod: Pod) => PodLife | undefined
}): ServiceLedger => {
  const { traffic, schedule, lifeOf } = options
  const services = new Map<Key, ServiceTraffic>()
  const servicesByEndpoint = new Map<string, Set<ServiceTraffic>>()
  const serviceUids = new Map<Key, string>()
  let isObservingExisting = false

  const pods = makeServicePods({
    schedule,
    lifeOf,
    onChange: (uid, atMillis, deletionReason) => {
      for (const service of servicesByEndpoint.get(uid) ?? []) {
        service.updateSilence(uid, deletionReason)
        service.record(atMillis)
      }
    }
  })

  const makeTraffic = (): ServiceTraffic => {
    const service = makeServiceTraffic(traffic, {
      // An endpoint that was written by hand has no Pod and always answers.
      silenceOf: (endpoint, ports) =>
        endpoint.targetRef?.uid === undefined ? undefined : pods.silenceOf(endpointId(endpoint), ports),
      onKnownChange: (endpoint, isKnown) => {
        const knowingServices = servicesByEndpoint.get(endpoint) ?? new Set()
        if (isKnown) knowingServices.add(service)
        else knowingServices.delete(service)
        if (knowingServices.size > 0) servicesByEndpoint.set(endpoint, knowingServices)
        else servicesByEndpoint.delete(endpoint)
      }
    })
    return service
  }

  const observeSlice = ({ type, object }: Change, atMillis: number): void => {
    const slice = object as EndpointSlice
    const { metadata, endpoints, ports = [] } = slice
    const name = metadata.labels?.["kubernetes.io/service-name"]
    const service = name === undefined ? undefined : services.get(toObjectKey(metadata.namespace, name))
    if (service === undefined) return
    const content: SliceContent = type === "DELETED" ? emptySlice : { endpoints, ports }
    service.writeSlice(metadata.uid, content)
    service.record(atMillis)
    const reachableContent = canReceiveRequests(slice) ? content : emptySlice
    const propagate = (nowMillis: number): void => {
      service.propagateSlice(metadata.uid, reachableContent)
      service.record(nowMillis)
    }
    const knownAtMillis = atMillis + traffic.propagationMillis
    if (isObservingExisting || knownAtMillis === atMillis) propagate(atMillis)
    else schedule(knownAtMillis, () => propagate(knownAtMillis))
  }

  const observeService = ({ type, object }: Change, atMillis: number): void => {
    const key = objectKeyOf(object)
    const { uid } = object.metadata
    const existing = services.get(key)
    if (type === "DELETED") {
      if (uid === serviceUids.get(key)) existing?.end(atMillis)
      return
    }
    if (uid === serviceUids.get(key) || !hasPodSelector(object as Service)) return
    serviceUids.set(key, uid)
    // Clients address a Service by name: if it is created again, it continues its counts.
    if (existing !== undefined) return existing.resume(atMillis)
    const service = makeTraffic()
    services.set(key, service)
    service.restart(atMillis)
  }

  return {
    observe: (change, atMillis) => {
      const { type, resource, object } = change
      switch (resource) {
        case resources.pods:
          if (isObservingExisting) return pods.observeExisting(object as Pod, atMillis)
          return pods.observe(type, object as Pod, atMillis)
        case resources.nodes:
          return pods.observeNode(
            object.metadata.name,
            type === "DELETED" || kubeletState(object) === "stopped",
            atMillis
          )
        case resources.endpointSlices:
          return observeSlice(change, atMillis)
        case resources.services:
          observeService(change, atMillis)
      }
    },
    podFaultChanged: (pod, atMillis) => pods.observe("MODIFIED", pod, atMillis),
    restart: (atMillis) => {
      for (const service of services.values()) service.restart(atMillis)
    },
    of: (key) => services.get(key),
    keys: () => [...services.keys()],
    whileObservingExisting: (observeAll) => {
      isObservingExisting = true
      observeAll()
      isObservingExisting = false
    }
  }
}
