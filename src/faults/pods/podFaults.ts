import { lifeUnderFault, affectsPod } from "./lastingPodFaults.ts"
import { containerLife } from "../../kubernetes/pods/containers/containers.ts"
import { initContainerRole } from "../../kubernetes/pods/containers/containerRoles.ts"
import { isChosenPod } from "./choosePods.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { LastingPodFault } from "./lastingPodFaults.ts"
import type { ContainerRole } from "../../kubernetes/pods/containers/containerRoles.ts"
import type { Key, Pod } from "../../kubernetes/meta/objects.ts"
import type { ContainerLife, PodLife, KubeletEnding, RunFault } from "../../kubernetes/pods/podLife.ts"
import type { ClusterView } from "../../store/objectStore.ts"

export interface PodFaults {
  readonly lifeOf: (pod: Pod, life: PodLife) => PodLife
  readonly addRunFault: (pod: Pod, container: string, runFault: RunFault) => void
  readonly endHang: (pod: NamedPod, container: string, run: number) => void
  readonly failPod: (pod: Pod, ending: KubeletEnding) => void
  readonly beginLastingFault: (podFault: LastingPodFault) => number
  readonly endLastingFault: (faultNumber: number) => void
  /** How many Pods a slow start has affected. */
  readonly slowStartCount: (faultNumber: number) => number
  /** Calls back when a fault begins or ends for a Pod. Returns the unsubscribe function. */
  readonly onPodChange: (listener: (pod: Pod) => void) => () => void
  /** A fault changes no object, so it has to wake a Pod's actor. */
  readonly connectWake: (wake: (key: Key) => void) => void
  readonly save: () => PodFaultsState
  readonly restore: (state: PodFaultsState) => void
}

export interface PodFaultsState {
  /** The faults that strike single Pods. */
  readonly struck: ReadonlyArray<readonly [uid: string, SinglePodFaults]>
  /** The lasting faults. */
  readonly afflictions: ReadonlyArray<readonly [number: number, LastingPodFault]>
  /** Number of the last lasting fault. */
  readonly begun: number
}

export interface NamedPod {
  readonly uid: string
  readonly key: Key
}

export const namedPodOf = (pod: Pod): NamedPod => ({ uid: pod.metadata.uid, key: objectKeyOf(pod) })

interface SinglePodFaults {
  /** Why the kubelet has evicted the Pod. */
  readonly verdict?: KubeletEnding
  /** The faults of one run each, by container. */
  readonly mishaps: Readonly<Record<string, RunFault>>
}

export const makePodFaults = (view: ClusterView["Service"]): PodFaults => {
  const singlePodFaults = new Map<string, SinglePodFaults>()
  const lastingFaults = new Map<number, LastingPodFault>()
  let lastFaultNumber = 0
  let wake: (key: Key) => void = () => {}
  let isListening = false
  const listeners = new Set<(pod: Pod) => void>()

  /** Subscribes at the first fault. */
  const forgetDeletedPods = (): void => {
    if (isListening) return
    isListening = true
    view.subscribe(({ type, object: { metadata } }) => {
      if (type !== "DELETED") return
      singlePodFaults.delete(metadata.uid)
      for (const [number, podFault] of lastingFaults) {
        if (podFault.type !== "slowStart" || !podFault.among.isOver) continue
        if (podFault.among.met.delete(metadata.uid) && podFault.among.met.size === 0)
          lastingFaults.delete(number)
      }
    })
  }

  const updatePodFaults = (
    { uid, key }: NamedPod,
    change: (present: SinglePodFaults) => SinglePodFaults
  ): void => {
    forgetDeletedPods()
    singlePodFaults.set(uid, change(singlePodFaults.get(uid) ?? { mishaps: {} }))
    wake(key)
    // The caller's Pod may be older.
    const present = view.get(resources.pods, key)
    if (present?.metadata.uid === uid) for (const listener of listeners) listener(present)
  }

  const slowDownNewPod = (pod: Pod): void => {
    for (const podFault of lastingFaults.values()) {
      if (podFault.type !== "slowStart" || podFault.among.isOver) continue
      const { choice, before, met } = podFault.among
      const { uid } = pod.metadata
      if (met.size >= (choice.count ?? Infinity) || met.has(uid) || before.has(uid)) continue
      if (isChosenPod(view, choice, pod)) met.add(uid)
    }
  }

  const wakeAffected = (podFault: LastingPodFault): void => {
    for (const pod of view.all(resources.pods)) {
      if (isPodFinished(pod) || !affectsPod(view, podFault, pod)) continue
      wake(objectKeyOf(pod))
      for (const listener of listeners) listener(pod)
    }
  }

  return {
    lifeOf: (pod, life) => {
      // With mover `you`, only API writes change the Pod.
      if ((singlePodFaults.size === 0 && lastingFaults.size === 0) || life.mover === "you") return life
      slowDownNewPod(pod)
      const activeFaults = [...lastingFaults.values()].filter((podFault) => affectsPod(view, podFault, pod))
      const ownFaults = singlePodFaults.get(pod.metadata.uid)
      return ownFaults === undefined && activeFaults.length === 0
        ? life
        : withFaults({ pod, life, activeFaults, ownFaults })
    },
    addRunFault: (pod, container, runFault) =>
      updatePodFaults(namedPodOf(pod), ({ mishaps, ...rest }) => {
        // The kubelet has evicted the Pod, which stops its containers.
        if (rest.verdict !== undefined) return { mishaps, ...rest }
        const present = mishaps[container]
        const combined = present?.run === runFault.run ? { ...present, ...runFault } : runFault
        return { ...rest, mishaps: { ...mishaps, [container]: combined } }
      }),
    endHang: (pod, container, run) => {
      const present = singlePodFaults.get(pod.uid)?.mishaps[container]
      if (present?.run !== run) return
      const { silentMillis: _over, ...rest } = present
      updatePodFaults(pod, (it) => ({ ...it, mishaps: { ...it.mishaps, [container]: rest } }))
    },
    failPod: (pod, ending) => updatePodFaults(namedPodOf(pod), (it) => ({ ...it, verdict: ending })),
    beginLastingFault: (podFault) => {
      forgetDeletedPods()
      lastFaultNumber += 1
      const number = lastFaultNumber
      lastingFaults.set(number, podFault)
      wakeAffected(podFault)
      return number
    },
    endLastingFault: (number) => {
      const lastingFault = lastingFaults.get(number)
      if (lastingFault === undefined) return
      lastingFaults.delete(number)
      if (lastingFault.type !== "slowStart") return wakeAffected(lastingFault)
      // Affected Pods stay slow.
      const met = new Set<string>()
      for (const { metadata } of view.all(resources.pods)) {
        if (lastingFault.among.met.has(metadata.uid)) met.add(metadata.uid)
      }
      const among = { ...lastingFault.among, before: noUids, met, isOver: true }
      if (met.size > 0) lastingFaults.set(number, { ...lastingFault, among })
    },
    slowStartCount: (number) => {
      const podFault = lastingFaults.get(number)
      return podFault?.type === "slowStart" ? podFault.among.met.size : 0
    },
    onPodChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    connectWake: (wakeActor) => {
      wake = wakeActor
    },
    save: () => ({
      struck: [...singlePodFaults],
      afflictions: copyOf(lastingFaults),
      begun: lastFaultNumber
    }),
    restore: (state) => {
      for (const [uid, it] of state.struck) singlePodFaults.set(uid, it)
      for (const [number, it] of copyOf(state.afflictions)) lastingFaults.set(number, it)
      lastFaultNumber = state.begun
      if (singlePodFaults.size > 0 || lastingFaults.size > 0) forgetDeletedPods()
    }
  }
}

const copyOf = (afflictions: Iterable<readonly [number, LastingPodFault]>) =>
  [...afflictions].map(([number, podFault]): readonly [number, LastingPodFault] => [
    number,
    podFault.type === "slowStart"
      ? { ...podFault, among: { ...podFault.among, met: new Set(podFault.among.met) } }
      : podFault
  ])

const noUids: ReadonlySet<string> = new Set()

const withFaults = (options: {
  readonly pod: Pod
  readonly life: PodLife
  readonly activeFaults: ReadonlyArray<LastingPodFault>
  readonly ownFaults: SinglePodFaults | undefined
}): PodLife => {
  const { pod, life, activeFaults, ownFaults } = options
  // No prototype: a container may be called `constructor`.
  const containers: Record<string, ContainerLife> = Object.assign(Object.create(null), life.containers)
  const addContainerLife = (container: Core.Container, role: ContainerRole): void => {
    const { name } = container
    const target = { container, role, podUid: pod.metadata.uid }
    const before = containerLife(life, name, role)
    const after = activeFaults.reduce(
      (affectedLife, podFault) => lifeUnderFault(podFault, affectedLife, target),
      before
    )
    const runFault =
      ownFaults !== undefined && Object.hasOwn(ownFaults.mishaps, name) ? ownFaults.mishaps[name] : undefined
    if (runFault === undefined && after === before) return
    containers[name] = runFault === undefined ? after : { ...after, runFault }
  }
  for (const container of pod.spec.initContainers ?? [])
    addContainerLife(container, initContainerRole(container))
  for (const container of pod.spec.containers) addContainerLife(container, "app")
  return { ...life, containers, ...(ownFaults?.verdict === undefined ? {} : { eviction: ownFaults.verdict }) }
}
