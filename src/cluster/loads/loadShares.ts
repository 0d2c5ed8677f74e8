import { behaviourFor } from "../../behaviours/matchBehaviours.ts"
import { capacityOfPod } from "../../behaviours/load/containerUsage.ts"
import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { loadRateAt, requestsBetween } from "../../behaviours/load/loadRate.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { Load } from "../../behaviours/load/load.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { SnapshotParts } from "../../runtime/snapshotParts.ts"

export interface LoadAccount {
  readonly behaviour: string
  readonly namespace: string
  readonly perSecond: number
  readonly ready: number
  /** Requests since the first Pod was ready. */
  readonly asked: number
  readonly lost: number
}

export interface LoadShares {
  /** 0 for a Pod that is not ready. */
  readonly shareOf: (pod: Pod) => number
  readonly loadOf: (behaviour: Behaviour) => Load | undefined
  readonly setLoad: (behaviour: string, load: Load) => void
  readonly accounts: () => ReadonlyArray<LoadAccount>
}

interface ActiveLoad {
  readonly load: Load
  readonly beganMillis: number
}

interface LoadGroup {
  readonly behaviour: Behaviour
  readonly namespace: string
  /** In requests a second, by uid. */
  readonly capacityByReadyPod: Map<string, number>
  /** When its requests were last counted. */
  countedMillis: number
  asked: number
  lost: number
}

interface SavedShares {
  readonly loads: ReadonlyArray<readonly [behaviour: string, load: ActiveLoad]>
  readonly accounts: ReadonlyArray<
    readonly [key: string, account: Pick<LoadGroup, "countedMillis" | "asked" | "lost">]
  >
}

/** Follows Pods only once a behaviour has a load. */
export const makeLoadShares = ({
  behaviours,
  behaviour: fallback,
  view,
  nowMillis,
  snapshotParts
}: {
  readonly behaviours: ReadonlyArray<Behaviour>
  readonly behaviour: Behaviour
  readonly view: ClusterView["Service"]
  readonly nowMillis: () => number
  readonly snapshotParts: SnapshotParts
}): LoadShares => {
  const allBehaviours = [...behaviours, fallback]
  const loads = new Map<string, ActiveLoad>()
  for (const { name, load } of allBehaviours)
    if (load !== undefined) loads.set(name, { load, beganMillis: nowMillis() })
  const groups = new Map<string, LoadGroup>()
  const savedAccounts = new Map<string, Pick<LoadGroup, "countedMillis" | "asked" | "lost">>()
  let isFollowing = false

  const groupOf = (pod: Pod): LoadGroup => {
    const behaviour = behaviourFor(pod, behaviours, fallback)
    const { namespace = "" } = pod.metadata
    const key = `${namespace}/${behaviour.name}`
    const present = groups.get(key)
    if (present !== undefined) return present
    const account = savedAccounts.get(key) ?? { countedMillis: nowMillis(), asked: 0, lost: 0 }
    const group: LoadGroup = { behaviour, namespace, capacityByReadyPod: new Map(), ...account }
    groups.set(key, group)
    return group
  }
  const countUntilNow = (group: LoadGroup): void => {
    const active = loads.get(group.behaviour.name)
    const toMillis = nowMillis()
    if (active !== undefined && toMillis > group.countedMillis) {
      const capacity = [...group.capacityByReadyPod.values()].reduce((sum, it) => sum + it, 0)
      const { requested, lost } = requestsBetween(active.load.perSecond, {
        beganMillis: active.beganMillis,
        fromMillis: group.countedMillis,
        toMillis,
        capacity
      })
      group.asked += requested
      group.lost += lost
    }
    group.countedMillis = toMillis
  }
  const updatePod = ({ type, object }: Pick<Change, "type" | "object">): void => {
    const pod = object as Pod
    const { uid } = pod.metadata
    const takesLoad = type !== "DELETED" && isPodReady(pod) && !isTerminating(pod)
    if (!takesLoad && !groups.has(`${pod.metadata.namespace ?? ""}/${nameOf(pod)}`)) return
    const group = groupOf(pod)
    if (takesLoad === group.capacityByReadyPod.has(uid)) return
    countUntilNow(group)
    if (takesLoad) group.capacityByReadyPod.set(uid, capacityOfPod(pod, withLoad(group.behaviour)))
    else group.capacityByReadyPod.delete(uid)
  }
  const nameOf = (pod: Pod): string => behaviourFor(pod, behaviours, fallback).name
  const withLoad = (behaviour: Behaviour): Behaviour => {
    const active = loads.get(behaviour.name)
    return active === undefined ? behaviour : { ...behaviour, load: active.load }
  }
  const follow = (): void => {
    if (isFollowing || loads.size === 0) return
    isFollowing = true
    for (const object of view.all(resources.pods)) updatePod({ type: "ADDED", object })
    view.subscribe(updatePod, [resources.pods])
  }
  snapshotParts.registerPart<SavedShares>("loads", {
    save: () =>
      loads.size === 0
        ? undefined
        : {
            loads: [...loads],
            accounts: Array.from(groups, ([key, { countedMillis, asked, lost }]) => [
              key,
              { countedMillis, asked, lost }
            ])
          },
    restore: (state) => {
      for (const [name, load] of state.loads) loads.set(name, load)
      for (const [key, account] of state.accounts) savedAccounts.set(key, account)
    }
  })
  follow()
  return {
    shareOf: (pod) => {
      if (!isFollowing) return 0
      const group = groups.get(`${pod.metadata.namespace ?? ""}/${nameOf(pod)}`)
      const active = group === undefined ? undefined : loads.get(group.behaviour.name)
      if (group === undefined || active === undefined || !group.capacityByReadyPod.has(pod.metadata.uid))
        return 0
      const { beganMillis } = active
      return (
        loadRateAt(active.load.perSecond, { beganMillis, nowMillis: nowMillis() }) /
        group.capacityByReadyPod.size
      )
    },
    loadOf: ({ name }) => loads.get(name)?.load,
    setLoad: (name, load) => {
      for (const group of groups.values()) if (group.behaviour.name === name) countUntilNow(group)
      loads.set(name, { load, beganMillis: nowMillis() })
      follow()
    },
    accounts: () =>
      [...groups.values()].flatMap((group) => {
        const active = loads.get(group.behaviour.name)
        if (active === undefined) return []
        countUntilNow(group)
        const { beganMillis } = active
        const { behaviour, namespace, capacityByReadyPod, asked, lost } = group
        const perSecond = loadRateAt(active.load.perSecond, { beganMillis, nowMillis: nowMillis() })
        return [
          { behaviour: behaviour.name, namespace, perSecond, ready: capacityByReadyPod.size, asked, lost }
        ]
      })
  }
}
