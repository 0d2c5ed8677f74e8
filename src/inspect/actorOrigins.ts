import { actorKindList } from "../../machines/actorKinds.ts"
import { controllerOf, isTerminating } from "../kubernetes/meta/ownerReferences.ts"
import { isPodFinished } from "../kubernetes/pods/podState.ts"
import { allManagedFieldsOf } from "../kubernetes/apply/managedFields/allManagedFields.ts"
import { managedFieldsOf } from "../kubernetes/apply/managedFields/ownerships.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { KubeObject, Node, Pod, ReplicaSet } from "../kubernetes/meta/objects.ts"

export interface ObjectChangeEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly resource: string
  readonly object: KubeObject
  readonly old: KubeObject | undefined
}

export interface ObservableCluster {
  readonly onChange: (listener: (change: ObjectChangeEvent) => void) => () => void
  /** The objects that exist already when `follow` is called. */
  readonly existingObjects?: ReadonlyArray<{ readonly resource: string; readonly object: KubeObject }>
}

/** By actor id, such as `deployment/default/web`. A source that is no actor is a client, such as `client kubectl`. */
export interface ActorOrigins {
  readonly follow: (cluster: ObservableCluster) => () => void
  readonly ownerOf: (id: string) => string | undefined
  /** The writer of the changes that the actor has not observed yet; `isSeen` marks them as observed. */
  readonly sourceOf: (id: string, options: { readonly isSeen: boolean }) => string | undefined
}

const chartByResource: ReadonlyMap<string, string> = new Map(
  actorKindList.flatMap(({ resource, chart }) => (resource === undefined ? [] : [[resource, chart] as const]))
)
const chartByKind: ReadonlyMap<string, string> = new Map(
  actorKindList.map(({ kind, chart }) => [kind, chart] as const)
)

export const makeActorOrigins = (): ActorOrigins => {
  const objects = new Map<string, { readonly object: KubeObject; readonly owner: string | undefined }>()
  const sources = new Map<string, string>()

  const setSource = (id: string, source: string): void => {
    // Of several unseen writes, one by another writer is shown rather than the actor's own.
    if (source !== id || !sources.has(id)) sources.set(id, source)
  }

  const writerOf = (change: ObjectChangeEvent, id: string, owner: string | undefined): string => {
    const manager = newManager(change)
    if (manager !== undefined) return `client ${manager}`
    const creator = owner ?? clientSource
    switch (change.resource) {
      case resources.deployments:
        return isOnlyStatus(change) ? id : clientSource
      case resources.replicaSets:
        if (isDeletion(change)) return owner === undefined || objects.has(owner) ? creator : garbageCollector
        return isOnlyStatus(change) ? id : creator
      case resources.pods:
        return podWriter(change, {
          id,
          creator,
          objectOf: (other) => objects.get(other)?.object,
          owner
        })
      // Nodes.
      default:
        return isOnlyStatus(change) || isTaintChange(change) ? id : clientSource
    }
  }

  const observe = (change: ObjectChangeEvent): void => {
    const chart = chartByResource.get(change.resource)
    if (chart === undefined) return
    const { object } = change
    const id = idOf(chart, object)
    const owner = ownerIdOf(object)
    const writer = writerOf(change, id, owner)
    if (change.type === "DELETED") {
      objects.delete(id)
      sources.delete(id)
    } else {
      objects.set(id, { object, owner })
      setSource(id, writer)
    }
    // An owner without an object has no actor.
    if (owner !== undefined && objects.has(owner)) setSource(owner, writer)
  }

  return {
    follow: ({ onChange, existingObjects = [] }) => {
      for (const { resource, object } of existingObjects) {
        const chart = chartByResource.get(resource)
        if (chart !== undefined) objects.set(idOf(chart, object), { object, owner: ownerIdOf(object) })
      }
      return onChange(observe)
    },
    ownerOf: (id) => objects.get(id)?.owner,
    sourceOf: (id, { isSeen }) => {
      const source = sources.get(id)
      if (isSeen) sources.delete(id)
      return source
    }
  }
}

const clientSource = "client"
const scheduler = "scheduler"
const garbageCollector = "garbage collector"

const idOf = (chart: string, { metadata: { namespace, name } }: KubeObject): string =>
  [chart, ...(namespace === undefined ? [] : [namespace]), name].join("/")

const ownerIdOf = (object: KubeObject): string | undefined => {
  const controller = controllerOf(object)
  const chart = controller === undefined ? undefined : chartByKind.get(controller.kind)
  if (controller === undefined || chart === undefined) return undefined
  return [chart, object.metadata.namespace ?? "", controller.name].join("/")
}

const newManager = ({ type, object, old }: ObjectChangeEvent): string | undefined => {
  if (type === "DELETED" || object.metadata.managedFields === old?.metadata.managedFields) return undefined
  const before = new Set((old === undefined ? [] : allManagedFieldsOf(old)).map((it) => JSON.stringify(it)))
  return managedFieldsOf(object).findLast((it) => !before.has(JSON.stringify(it)))?.manager
}

const isDeletion = ({ type, object, old }: ObjectChangeEvent): boolean =>
  type === "DELETED" || (isTerminating(object) && (old === undefined || !isTerminating(old)))

/** Only status and annotations changed, which the object's own actor writes. */
const isOnlyStatus = (change: ObjectChangeEvent): boolean =>
  change.type === "MODIFIED" &&
  !isDeletion(change) &&
  change.object.metadata.generation === change.old?.metadata.generation &&
  specOf(change.object) === specOf(change.old)

const specOf = (object: KubeObject | undefined): unknown =>
  object !== undefined && "spec" in object ? object.spec : undefined

const isTaintChange = (change: ObjectChangeEvent): boolean =>
  change.type === "MODIFIED" &&
  JSON.stringify((change.object as Node).spec.taints) !==
    JSON.stringify((change.old as Node | undefined)?.spec.taints)

const isEvicting = (node: Node | undefined): boolean =>
  node?.spec.taints?.some(({ effect }) => effect === "NoExecute") === true

/** Infers from what changed who wrote a Pod: changes do not name their writers. */
const podWriter = (
  change: ObjectChangeEvent,
  context: {
    readonly id: string
    readonly creator: string
    readonly owner: string | undefined
    readonly objectOf: (id: string) => KubeObject | undefined
  }
): string => {
  const { type, old } = change
  const { id, creator, owner, objectOf } = context
  // The resource determines the type of the object, which TypeScript cannot infer.
  const pod = change.object as Pod
  if (type === "ADDED") return creator
  const wasEnding = old !== undefined && (isTerminating(old) || isPodFinished(pod))
  if (type === "DELETED" && wasEnding) return id
  if (isDeletion(change)) {
    const node = `node/${pod.spec.nodeName ?? ""}`
    if (isEvicting(objectOf(node) as Node | undefined)) return node
    if (owner === undefined) return clientSource
    const replicaSet = objectOf(owner) as ReplicaSet | undefined
    if (replicaSet === undefined) return garbageCollector
    return replicaSet.spec.replicas < (replicaSet.status.replicas ?? 0) ? creator : clientSource
  }
  if (pod.spec.nodeName !== (old as Pod | undefined)?.spec.nodeName) return scheduler
  if (pod.metadata.ownerReferences !== old?.metadata.ownerReferences) return creator
  return id
}
