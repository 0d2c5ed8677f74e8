import { normalizeEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { ControllerRevision } from "../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type {
  Deployment,
  EventObject,
  KubeObject,
  Node,
  Pod,
  ReplicaSet
} from "../../kubernetes/meta/objects.ts"

/** An object that has not changed between two moments is identical at both. */
export interface Fleet {
  /** The maps of objects have uids as keys. */
  readonly deployments: ReadonlyMap<string, Deployment>
  readonly replicaSets: ReadonlyMap<string, ReplicaSet>
  readonly statefulSets: ReadonlyMap<string, StatefulSet>
  readonly daemonSets: ReadonlyMap<string, DaemonSet>
  readonly revisions: ReadonlyMap<string, ControllerRevision>
  readonly cronJobs: ReadonlyMap<string, CronJob>
  readonly jobs: ReadonlyMap<string, Job>
  readonly autoscalers: ReadonlyMap<string, Autoscaler>
  readonly pods: ReadonlyMap<string, Pod>
  readonly nodes: ReadonlyMap<string, Node>
  /** By the uid of the controller, in order of creation. */
  readonly podsOf: ObjectGroups<Pod>
  readonly eventsOf: ObjectGroups<EventObject>
}

/** A group is a new map only when one of its objects changed. */
export type ObjectGroups<O> = ReadonlyMap<string, ReadonlyMap<string, O>>

export const emptyFleet: Fleet = {
  deployments: new Map(),
  replicaSets: new Map(),
  statefulSets: new Map(),
  daemonSets: new Map(),
  revisions: new Map(),
  cronJobs: new Map(),
  jobs: new Map(),
  autoscalers: new Map(),
  pods: new Map(),
  nodes: new Map(),
  podsOf: new Map(),
  eventsOf: new Map()
}

export interface FleetChange {
  readonly uid: string
  readonly resource: string
  /** Undefined if the object does not exist at the later moment. */
  readonly object: KubeObject | undefined
  /** Any known version: its owner and involved object never change. */
  readonly lastKnown: KubeObject
}

export const applyFleetChanges = (
  fleet: Fleet,
  changes: ReadonlyArray<FleetChange>,
  arrivalOrderOf: ArrivalOrderOf
): Fleet => {
  const byResource = Map.groupBy(changes, ({ resource }) => resource)
  const mapOf = <O extends KubeObject>(before: ReadonlyMap<string, O>, resource: string) =>
    mapAfter(before, byResource.get(resource) ?? [])
  const groupsOf = <O extends KubeObject>(
    before: ObjectGroups<O>,
    resource: string,
    groupUidOf: GroupUidOf
  ) => groupsAfter(before, byResource.get(resource) ?? [], groupUidOf, arrivalOrderOf)
  return {
    deployments: mapOf(fleet.deployments, "deployments"),
    replicaSets: mapOf(fleet.replicaSets, "replicasets"),
    statefulSets: mapOf(fleet.statefulSets, "statefulsets"),
    daemonSets: mapOf(fleet.daemonSets, "daemonsets"),
    revisions: mapOf(fleet.revisions, "controllerrevisions"),
    cronJobs: mapOf(fleet.cronJobs, "cronjobs"),
    jobs: mapOf(fleet.jobs, "jobs"),
    autoscalers: mapOf(fleet.autoscalers, "horizontalpodautoscalers"),
    pods: mapOf(fleet.pods, "pods"),
    nodes: mapOf(fleet.nodes, "nodes"),
    podsOf: groupsOf(fleet.podsOf, "pods", controllerUid),
    eventsOf: groupsOf(fleet.eventsOf, "events", involvedUid)
  }
}

type ArrivalOrderOf = (uid: string) => number
type GroupUidOf = (object: KubeObject) => string

const mapAfter = <O extends KubeObject>(
  before: ReadonlyMap<string, O>,
  changes: ReadonlyArray<FleetChange>
): ReadonlyMap<string, O> => {
  if (changes.length === 0) return before
  const after = new Map(before)
  for (const change of changes) applyChange(after, change)
  return after
}

const applyChange = <O extends KubeObject>(map: Map<string, O>, { uid, object }: FleetChange): void => {
  if (object === undefined) map.delete(uid)
  else map.set(uid, object as O)
}

const groupsAfter = <O extends KubeObject>(
  before: ObjectGroups<O>,
  changes: ReadonlyArray<FleetChange>,
  groupUidOf: GroupUidOf,
  arrivalOrderOf: ArrivalOrderOf
): ObjectGroups<O> => {
  if (changes.length === 0) return before
  const after = new Map(before)
  for (const [groupUid, groupChanges] of Map.groupBy(changes, ({ lastKnown }) => groupUidOf(lastKnown))) {
    const group = new Map(before.get(groupUid))
    const hasNewObject = groupChanges.some(({ uid, object }) => object !== undefined && !group.has(uid))
    for (const change of groupChanges) applyChange(group, change)
    if (group.size === 0) after.delete(groupUid)
    else after.set(groupUid, hasNewObject ? inArrivalOrder(group, arrivalOrderOf) : group)
  }
  return after
}

/** An object that reappears when time goes backwards gets its former place. */
const inArrivalOrder = <O>(group: Map<string, O>, arrivalOrderOf: ArrivalOrderOf): Map<string, O> => {
  let lastOrder = -1
  for (const uid of group.keys()) {
    const order = arrivalOrderOf(uid)
    if (order < lastOrder)
      return new Map([...group].sort(([a], [b]) => arrivalOrderOf(a) - arrivalOrderOf(b)))
    lastOrder = order
  }
  return group
}

/** "" without a controller. */
export const controllerUid = (object: KubeObject): string => controllerOf(object)?.uid ?? ""

export const replicaSetsOf = (
  { metadata }: KubeObject,
  fleet: Pick<Fleet, "replicaSets">
): ReadonlyArray<ReplicaSet> =>
  [...fleet.replicaSets.values()].filter((it) => controllerUid(it) === metadata.uid)

export const ownedPods = ({ metadata }: KubeObject, fleet: Fleet): ReadonlyArray<Pod> => [
  ...(fleet.podsOf.get(metadata.uid)?.values() ?? [])
]

export const involvedUid = (event: KubeObject): string => normalizeEvent(event).involvedObject.uid ?? ""
