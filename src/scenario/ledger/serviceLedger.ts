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
  /** Something has come over a Pod, or no longer does. */
  readonly befall: (pod: Pod, atMillis: number) => void
  readonly begin: (atMillis: number) => void
  readonly of: (key: Key) => ServiceTraffic | undefined
  readonly keys: () => ReadonlyArray<Key>
  /** What is seen meanwhile has long been known to everybody. */
  readonly settled: (see: () => void) => void
}

export const makeServiceLedger = (options: {
  readonly traffic: Traffic
  readonly dueAt: DueAt
  readonly lifeOf: (pod: Pod) => PodLife | undefined
}): ServiceLedger => {
  const { traffic, dueAt, lifeOf } = options
  const services = new Map<Key, ServiceTraffic>()
  /** By endpoint: the Services whose clients know it. */
  const followers = new Map<string, Set<ServiceTraffic>>()
  const uids = new Map<Key, string>()
  let isSettled = false

  const pods = makeServicePods({
    dueAt,
    lifeOf,
    onChange: (uid, atMillis, gone) => {
      for (const service of followers.get(uid) ?? []) {
        service.hear(uid, gone)
        service.note(atMillis)
      }
    }
  })

  const open = (): ServiceTraffic => {
    const service = makeServiceTraffic(traffic, {
      // What somebody has written down by hand is no Pod of ours, and answers.
      silenceOf: (endpoint, ports) =>
        endpoint.targetRef?.uid === undefined ? undefined : pods.silenceOf(endpointId(endpoint), ports),
      follow: (endpoint, isKnown) => {
        const those = followers.get(endpoint) ?? new Set()
        if (isKnown) those.add(service)
        else those.delete(service)
        if (those.size > 0) followers.set(endpoint, those)
        else followers.delete(endpoint)
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
    const told: Told = type === "DELETED" ? tellsNothing : { endpoints, ports }
    service.write(metadata.uid, told)
    service.note(atMillis)
    const known = isReachable(slice) ? told : tellsNothing
    const learn = (learnedMillis: number): void => {
      service.learn(metadata.uid, known)
      service.note(learnedMillis)
    }
    const knownMillis = atMillis + traffic.propagationMillis
    if (isSettled || knownMillis === atMillis) learn(atMillis)
    else dueAt(knownMillis, () => learn(knownMillis))
  }

  const seeService = ({ type, object }: Change, atMillis: number): void => {
    const key = keyOf(object)
    const { uid } = object.metadata
    const present = services.get(key)
    if (type === "DELETED") {
      if (uid === uids.get(key)) present?.end(atMillis)
      return
    }
    if (uid === uids.get(key) || !isSelecting(object as Service)) return
    uids.set(key, uid)
    // Clients know one by its name: what was lost before it was made anew is lost all the same.
    if (present !== undefined) return present.goOn(atMillis)
    const service = open()
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
