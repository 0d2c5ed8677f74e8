import { pause, Refused } from "./connection.ts"
import type { Connection } from "./connection.ts"
import type { Deployment, KubeObject, Pod, ReplicaSet } from "../domain/objects.ts"
import type { Kept } from "./kept.ts"

/** All that is known of the Deployments of a cluster; objects that have not changed are the same objects. */
export interface Fleet {
  readonly deployments: ReadonlyMap<string, Deployment>
  readonly replicaSets: ReadonlyMap<string, ReplicaSet>
  readonly pods: ReadonlyMap<string, Pod>
  /** By the uid of who controls them: a list is made anew only where one of its Pods has changed. */
  readonly podsOf: ReadonlyMap<string, ReadonlyMap<string, Pod>>
}

const retryMillis = 1000

export const emptyFleet: Fleet = {
  deployments: new Map(),
  replicaSets: new Map(),
  pods: new Map(),
  podsOf: new Map()
}

/** Keeps a fleet as it is by list and watch, again and again, until a signal comes. */
export const followFleet = (connection: Connection, signal: AbortSignal, fleet: Kept<Fleet>): void => {
  void followResource<Deployment>(connection, "/apis/apps/v1/deployments", signal, (deployments) =>
    fleet.set({ ...fleet.get(), deployments })
  )
  void followResource<ReplicaSet>(connection, "/apis/apps/v1/replicasets", signal, (replicaSets) =>
    fleet.set({ ...fleet.get(), replicaSets })
  )
  const families = makeFamilies()
  void followResource<Pod>(connection, "/api/v1/pods", signal, (pods, changed) =>
    fleet.set({ ...fleet.get(), pods, podsOf: families(pods, changed) })
  )
}

type Seen<O> = (all: ReadonlyMap<string, O>, changed: ReadonlyArray<O> | "all") => void

interface WatchLine<O> {
  readonly type: string
  readonly object: O
}

const followResource = async <O extends KubeObject>(
  connection: Connection,
  path: string,
  signal: AbortSignal,
  seen: Seen<O>
): Promise<void> => {
  while (!signal.aborted) {
    try {
      const list = (await connection.ask("GET", path)) as ListOf<O>
      let all = new Map(list.items.map((item) => [item.metadata.uid, item]))
      seen(all, "all")
      let version = list.metadata.resourceVersion
      let changed: Array<O> = []
      const tell = (): void => {
        if (changed.length === 0) return
        all = new Map(all)
        seen(all, changed)
        changed = []
      }
      // A watch that ends by itself is taken up where it ended; one that fails is begun anew.
      while (!signal.aborted) {
        const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${encodeURIComponent(version)}`
        for await (const line of connection.lines(`${path}?${query}`, signal)) {
          const { type, object } = line as WatchLine<O>
          if (type === "ERROR") throw new Refused(410, "the watch is too old")
          version = object.metadata.resourceVersion
          if (type === "BOOKMARK") continue
          if (type === "DELETED") all.delete(object.metadata.uid)
          else all.set(object.metadata.uid, object)
          changed.push(object)
          if (changed.length === 1) afterThisPiece(tell)
        }
        tell()
      }
    } catch {
      // The connection says to everybody what is the matter.
      await pause(retryMillis, signal)
    }
  }
}

interface ListOf<O> {
  readonly metadata: { readonly resourceVersion: string }
  readonly items: ReadonlyArray<O>
}

/** What comes in one piece is looked at together. */
const afterThisPiece = (tell: () => void): void => {
  setTimeout(tell, 0)
}

/** Pods by who controls them, made anew only where something changed. */
const makeFamilies = () => {
  let families = new Map<string, ReadonlyMap<string, Pod>>()
  return (pods: ReadonlyMap<string, Pod>, changed: ReadonlyArray<Pod> | "all"): typeof families => {
    if (changed === "all") {
      const fresh = new Map<string, Map<string, Pod>>()
      for (const pod of pods.values()) {
        const owner = ownerOf(pod)
        const family = fresh.get(owner) ?? new Map<string, Pod>()
        fresh.set(owner, family.set(pod.metadata.uid, pod))
      }
      return (families = new Map(fresh))
    }
    families = new Map(families)
    const fresh = new Map<string, Map<string, Pod>>()
    for (const pod of changed) {
      const { uid } = pod.metadata
      const owner = ownerOf(pod)
      const family = fresh.get(owner) ?? new Map(families.get(owner))
      const present = pods.get(uid)
      if (present === undefined) family.delete(uid)
      else family.set(uid, present)
      fresh.set(owner, family)
      families.set(owner, family)
    }
    return families
  }
}

/** The uid of who controls an object; "" for nobody. */
export const ownerOf = ({ metadata }: KubeObject): string =>
  metadata.ownerReferences?.find((it) => it.controller === true)?.uid ?? ""
