import { isSemanticallyEqual } from "../../../kubernetes/meta/semanticEquality.ts"
import type * as Discovery from "kubernetes-types/discovery/v1.js"
import type { EndpointPorts, SilenceReason } from "./servicePods.ts"

export interface SilentPod {
  readonly name: string
  readonly silence: SilenceReason
}

export interface SliceContent {
  readonly endpoints: ReadonlyArray<Discovery.Endpoint>
  readonly ports: EndpointPorts
}

export const emptySlice: SliceContent = { endpoints: [], ports: [] }

/** The uid of the endpoint's Pod; the address of an endpoint that was written by hand. */
export const endpointId = ({ targetRef, addresses }: Discovery.Endpoint): string =>
  targetRef?.uid ?? addresses[0] ?? ""

export interface EndpointGroup {
  count: number
  readonly silent: Record<SilenceReason, number>
}

interface KnownEndpoint {
  readonly endpoint: Discovery.Endpoint
  readonly ports: EndpointPorts
  readonly sliceUid: string
  /** Undefined if clients never send to the endpoint. */
  readonly group: EndpointGroup | undefined
  silence: SilenceReason | undefined
}

export interface EndpointSource {
  readonly silenceOf: (endpoint: Discovery.Endpoint, ports: EndpointPorts) => SilenceReason | undefined
  readonly onKnownChange: (endpoint: string, isKnown: boolean) => void
}

/** The endpoints that clients know. */
interface KnownEndpoints {
  readonly learn: (sliceUid: string, content: SliceContent) => void
  readonly updateSilence: (endpoint: string, deletionReason?: SilenceReason) => void
  readonly target: () => Readonly<EndpointGroup>
  /** Pods that clients send to and that do not answer. */
  readonly silentPods: () => ReadonlyArray<SilentPod>
}

/**
 * Clients send to terminating endpoints only if none is ready. Source: pkg/proxy/topology.go (CategorizeEndpoints).
 */
export const makeKnownEndpoints = ({ silenceOf, onKnownChange }: EndpointSource): KnownEndpoints => {
  const learnedSlices = new Map<string, SliceContent>()
  const knownEndpoints = new Map<string, KnownEndpoint>()
  const readyGroup = emptyGroup()
  const terminatingGroup = emptyGroup()

  const target = (): EndpointGroup => (readyGroup.count > 0 ? readyGroup : terminatingGroup)

  const groupOf = ({ conditions = {} }: Discovery.Endpoint): EndpointGroup | undefined => {
    const { ready, serving, terminating } = conditions
    if (ready !== false) return readyGroup
    return terminating === true && serving !== false ? terminatingGroup : undefined
  }

  const forget = (id: string, sliceUid: string): void => {
    const entry = knownEndpoints.get(id)
    if (entry?.sliceUid !== sliceUid) return
    addToGroup(entry, -1)
    knownEndpoints.delete(id)
    onKnownChange(id, false)
  }

  const learnEndpoint = (endpoint: Discovery.Endpoint, sliceUid: string, ports: EndpointPorts): void => {
    const id = endpointId(endpoint)
    const before = knownEndpoints.get(id)
    if (before !== undefined) addToGroup(before, -1)
    else onKnownChange(id, true)
    const silence = silenceOf(endpoint, ports)
    const entry: KnownEndpoint = { endpoint, ports, sliceUid, group: groupOf(endpoint), silence }
    knownEndpoints.set(id, entry)
    addToGroup(entry, 1)
  }

  return {
    learn: (sliceUid, content) => {
      const { endpoints, ports } = content
      const before = learnedSlices.get(sliceUid) ?? emptySlice
      learnedSlices.set(sliceUid, content)
      // Endpoints are frozen: an unchanged one is the same object. With other ports, all have changed.
      const remaining = new Set(isSemanticallyEqual(before.ports, ports) ? endpoints : [])
      const unchanged = new Set<Discovery.Endpoint>()
      for (const endpoint of before.endpoints) {
        if (remaining.has(endpoint)) unchanged.add(endpoint)
        else forget(endpointId(endpoint), sliceUid)
      }
      for (const endpoint of endpoints) if (!unchanged.has(endpoint)) learnEndpoint(endpoint, sliceUid, ports)
    },
    updateSilence: (id, deletionReason) => {
      const entry = knownEndpoints.get(id)
      if (entry === undefined) return
      addToGroup(entry, -1)
      entry.silence =
        deletionReason === undefined
          ? silenceOf(entry.endpoint, entry.ports)
          : (entry.silence ?? deletionReason)
      addToGroup(entry, 1)
    },
    target,
    silentPods: () => {
      const targetGroup = target()
      return [...knownEndpoints].flatMap(([id, { endpoint, group, silence }]) =>
        group === targetGroup && silence !== undefined
          ? [{ name: endpoint.targetRef?.name ?? id, silence }]
          : []
      )
    }
  }
}

const addToGroup = ({ group, silence }: KnownEndpoint, delta: 1 | -1): void => {
  if (group === undefined) return
  group.count += delta
  if (silence !== undefined) group.silent[silence] += delta
}

const emptyGroup = (): EndpointGroup => ({ count: 0, silent: { starting: 0, stopping: 0, failing: 0 } })
