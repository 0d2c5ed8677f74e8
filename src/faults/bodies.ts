import { changedBy, concerns } from "./afflictions.ts"
import { containerLife, roleOfInit } from "../domain/containers.ts"
import { isChosen } from "./choosePods.ts"
import { isFinished } from "../domain/pods.ts"
import { keyOf } from "../domain/objects.ts"
import { resources } from "../domain/kinds.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Affliction } from "./afflictions.ts"
import type { ContainerRole } from "../domain/containers.ts"
import type { Key, Pod } from "../domain/objects.ts"
import type { ContainerLife, PodLife, PodVerdict, RunMishap } from "../domain/podLife.ts"
import type { ClusterView } from "../store/objectStore.ts"

/**
 * What befalls Pods from outside, beside how they would live: read anew with every look, so that an actor that is made
 * again knows as much as the one before it. Where nothing befalls anybody it costs one question a look.
 */
export interface Bodies {
  /** How a Pod lives, with all that befalls it. */
  readonly livesOf: (pod: Pod, life: PodLife) => PodLife
  /** Something comes over one run of a container. */
  readonly strike: (pod: Pod, container: string, mishap: RunMishap) => void
  /** A run that hung answers again. */
  readonly revive: (pod: NamedPod, container: string, run: number) => void
  /** The kubelet gives a Pod up. */
  readonly condemn: (pod: Pod, verdict: PodVerdict) => void
  /** Begins something that lasts, and says by which number it is ended. */
  readonly afflict: (affliction: Affliction) => number
  readonly relieve: (number: number) => void
  /** How many have come by now of whom something that lasts meets those who come. */
  readonly metBy: (number: number) => number
  /** Calls back when something befalls a Pod, or no longer does. Returns how to stop. */
  readonly onBefall: (listener: (pod: Pod) => void) => () => void
  /** Whoever moves Pods says here how to make them look. */
  readonly onWake: (wake: (key: Key) => void) => void
  readonly save: () => BodiesState
  readonly restore: (state: BodiesState) => void
}

/** Plain data. */
export interface BodiesState {
  readonly struck: ReadonlyArray<readonly [uid: string, Struck]>
  readonly afflictions: ReadonlyArray<readonly [number: number, Affliction]>
  readonly begun: number
}

/** A Pod by its name and its uid, whatever has become of it. */
export interface NamedPod {
  readonly uid: string
  readonly key: Key
}

export const called = (pod: Pod): NamedPod => ({ uid: pod.metadata.uid, key: keyOf(pod) })

interface Struck {
  readonly verdict?: PodVerdict
  readonly mishaps: Readonly<Record<string, RunMishap>>
}

export const makeBodies = (view: ClusterView["Service"]): Bodies => {
  const struck = new Map<string, Struck>()
  const afflictions = new Map<number, Affliction>()
  let begun = 0
  let wake: (key: Key) => void = () => {}
  let isListening = false
  const listeners = new Set<(pod: Pod) => void>()

  /** Pods that are gone are remembered no longer; nobody listens before there is anything to remember. */
  const remember = (): void => {
    if (isListening) return
    isListening = true
    view.subscribe(({ type, object: { metadata } }) => {
      if (type !== "DELETED") return
      struck.delete(metadata.uid)
      for (const [number, it] of afflictions) {
        if (it.type !== "slowStart" || !it.among.isOver) continue
        if (it.among.met.delete(metadata.uid) && it.among.met.size === 0) afflictions.delete(number)
      }
    })
  }

  const change = ({ uid, key }: NamedPod, to: (present: Struck) => Struck): void => {
    remember()
    struck.set(uid, to(struck.get(uid) ?? { mishaps: {} }))
    wake(key)
    // As it is by now: whoever ends a fault knows Pods as they were when it began.
    const present = view.get(resources.pods, key)
    if (present?.metadata.uid === uid) for (const listener of listeners) listener(present)
  }

  /** Whoever is new while starts are slow is slow from the first look on. */
  const welcome = (pod: Pod): void => {
    for (const it of afflictions.values()) {
      if (it.type !== "slowStart" || it.among.isOver) continue
      const { choice, before, met } = it.among
      const { uid } = pod.metadata
      if (met.size >= (choice.count ?? Infinity) || met.has(uid) || before.has(uid)) continue
      if (isChosen(view, choice, pod)) met.add(uid)
    }
  }

  const wakeConcerned = (affliction: Affliction): void => {
    for (const pod of view.all(resources.pods)) {
      if (isFinished(pod) || !concerns(view, affliction, pod)) continue
      wake(keyOf(pod))
      for (const listener of listeners) listener(pod)
    }
  }

  return {
    livesOf: (pod, life) => {
      if ((struck.size === 0 && afflictions.size === 0) || life.mover === "you") return life
      welcome(pod)
      const present = [...afflictions.values()].filter((it) => concerns(view, it, pod))
      const own = struck.get(pod.metadata.uid)
      return own === undefined && present.length === 0 ? life : afflicted({ pod, life, present, own })
    },
    strike: (pod, container, mishap) =>
      change(called(pod), ({ mishaps, ...rest }) => {
        // What is stopping already is left to that.
        if (rest.verdict !== undefined) return { mishaps, ...rest }
        const present = mishaps[container]
        const both = present?.run === mishap.run ? { ...present, ...mishap } : mishap
        return { ...rest, mishaps: { ...mishaps, [container]: both } }
      }),
    revive: (pod, container, run) => {
      const present = struck.get(pod.uid)?.mishaps[container]
      if (present?.run !== run) return
      const { silentMillis: _over, ...rest } = present
      change(pod, (it) => ({ ...it, mishaps: { ...it.mishaps, [container]: rest } }))
    },
    condemn: (pod, verdict) => change(called(pod), (it) => ({ ...it, verdict })),
    afflict: (affliction) => {
      remember()
      begun += 1
      const number = begun
      afflictions.set(number, affliction)
      wakeConcerned(affliction)
      return number
    },
    relieve: (number) => {
      const last = afflictions.get(number)
      if (last === undefined) return
      afflictions.delete(number)
      if (last.type !== "slowStart") return wakeConcerned(last)
      const met = new Set<string>()
      for (const { metadata } of view.all(resources.pods)) {
        if (last.among.met.has(metadata.uid)) met.add(metadata.uid)
      }
      const among = { ...last.among, before: nobody, met, isOver: true }
      if (met.size > 0) afflictions.set(number, { ...last, among })
    },
    metBy: (number) => {
      const it = afflictions.get(number)
      return it?.type === "slowStart" ? it.among.met.size : 0
    },
    onBefall: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onWake: (how) => {
      wake = how
    },
    save: () => ({ struck: [...struck], afflictions: copied(afflictions), begun }),
    restore: (state) => {
      for (const [uid, it] of state.struck) struck.set(uid, it)
      for (const [number, it] of copied(state.afflictions)) afflictions.set(number, it)
      begun = state.begun
      if (struck.size > 0 || afflictions.size > 0) remember()
    }
  }
}

/** Whom a slow start meets is the one thing that is added to. */
const copied = (afflictions: Iterable<readonly [number, Affliction]>) =>
  [...afflictions].map(([number, it]): readonly [number, Affliction] => [
    number,
    it.type === "slowStart" ? { ...it, among: { ...it.among, met: new Set(it.among.met) } } : it
  ])

const nobody: ReadonlySet<string> = new Set()

const afflicted = (options: {
  readonly pod: Pod
  readonly life: PodLife
  readonly present: ReadonlyArray<Affliction>
  readonly own: Struck | undefined
}): PodLife => {
  const { pod, life, present, own } = options
  // Without a prototype: a container may well be called `constructor`.
  const containers: Record<string, ContainerLife> = Object.assign(Object.create(null), life.containers)
  const live = (container: Core.Container, role: ContainerRole): void => {
    const { name } = container
    const of = { container, role, podUid: pod.metadata.uid }
    const before = containerLife(life, name, role)
    const after = present.reduce((it, affliction) => changedBy(affliction, it, of), before)
    const mishap = own !== undefined && Object.hasOwn(own.mishaps, name) ? own.mishaps[name] : undefined
    if (mishap === undefined && after === before) return
    containers[name] = mishap === undefined ? after : { ...after, mishap }
  }
  for (const container of pod.spec.initContainers ?? []) live(container, roleOfInit(container))
  for (const container of pod.spec.containers) live(container, "app")
  return { ...life, containers, ...(own?.verdict === undefined ? {} : { verdict: own.verdict }) }
}
