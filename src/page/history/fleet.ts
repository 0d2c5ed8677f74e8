import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import type {
  Deployment,
  EventObject,
  KubeObject,
  Node,
  Pod,
  ReplicaSet
} from "../../kubernetes/meta/objects.ts"

/** All that is known of a cluster at a moment; what has not changed from one to another is the same object. */
export interface Fleet {
  /** By uid, as the others are. */
  readonly deployments: ReadonlyMap<string, Deployment>
  readonly replicaSets: ReadonlyMap<string, ReplicaSet>
  readonly pods: ReadonlyMap<string, Pod>
  readonly nodes: ReadonlyMap<string, Node>
  /** By the uid of who controls them, in the order in which they came. */
  readonly podsOf: Families<Pod>
  /** By the uid of what they are about. */
  readonly eventsOf: Families<EventObject>
}

/** A family is made anew only where one of its own has changed. */
export type Families<O> = ReadonlyMap<string, ReadonlyMap<string, O>>

export const emptyFleet: Fleet = {
  deployments: new Map(),
  replicaSets: new Map(),
  pods: new Map(),
  nodes: new Map(),
  podsOf: new Map(),
  eventsOf: new Map()
}

/** What became of one object. */
export interface Change {
  readonly uid: string
  readonly resource: string
  /** Undefined where it is not there any more. */
  readonly object: KubeObject | undefined
  /** As it was at any time: whose it is does not change. */
  readonly known: KubeObject
  /** What came earlier has a smaller one. */
  readonly rank: number
}

/** A fleet after changes, of which there is one for each object at the most. */
export const changed = (fleet: Fleet, changes: ReadonlyArray<Change>, rankOf: RankOf): Fleet => {
  const of = Map.groupBy(changes, ({ resource }) => resource)
  const flat = <O extends KubeObject>(before: ReadonlyMap<string, O>, resource: string) =>
    mapAfter(before, of.get(resource) ?? [])
  const families = <O extends KubeObject>(before: Families<O>, resource: string, headOf: HeadOf) =>
    familiesAfter(before, of.get(resource) ?? [], headOf, rankOf)
  return {
    deployments: flat(fleet.deployments, "deployments"),
    replicaSets: flat(fleet.replicaSets, "replicasets"),
    pods: flat(fleet.pods, "pods"),
    nodes: flat(fleet.nodes, "nodes"),
    podsOf: families(fleet.podsOf, "pods", ownerOf),
    eventsOf: families(fleet.eventsOf, "events", involvedIn)
  }
}

type RankOf = (uid: string) => number
type HeadOf = (object: KubeObject) => string

const mapAfter = <O extends KubeObject>(
  before: ReadonlyMap<string, O>,
  changes: ReadonlyArray<Change>
): ReadonlyMap<string, O> => {
  if (changes.length === 0) return before
  const after = new Map(before)
  for (const change of changes) set(after, change)
  return after
}

const set = <O extends KubeObject>(map: Map<string, O>, { uid, object }: Change): void => {
  // What is recorded under a resource is an object of its kind.
  if (object === undefined) map.delete(uid)
  else map.set(uid, object as O)
}

const familiesAfter = <O extends KubeObject>(
  before: Families<O>,
  changes: ReadonlyArray<Change>,
  headOf: HeadOf,
  rankOf: RankOf
): Families<O> => {
  if (changes.length === 0) return before
  const after = new Map(before)
  for (const [head, own] of Map.groupBy(changes, ({ known }) => headOf(known))) {
    const family = new Map(before.get(head))
    const hasCome = own.some(({ uid, object }) => object !== undefined && !family.has(uid))
    for (const change of own) set(family, change)
    if (family.size === 0) after.delete(head)
    else after.set(head, hasCome ? inOrder(family, rankOf) : family)
  }
  return after
}

/** What comes back when time goes back stands where it stood. */
const inOrder = <O>(family: Map<string, O>, rankOf: RankOf): Map<string, O> => {
  let last = -1
  for (const uid of family.keys()) {
    const rank = rankOf(uid)
    if (rank < last) return new Map([...family].sort(([a], [b]) => rankOf(a) - rankOf(b)))
    last = rank
  }
  return family
}

/** The uid of who controls an object; "" for nobody. */
export const ownerOf = (object: KubeObject): string => controllerOf(object)?.uid ?? ""

/** The uid of what an event is about. */
export const involvedIn = (event: KubeObject): string => toCompleteEvent(event).involvedObject.uid ?? ""
