import { controllerOf, isTerminating } from "../domain/ownerReferences.ts"
import { isFinished } from "../domain/pods.ts"
import { allEntriesOf } from "../domain/managedFields/complete.ts"
import { managedFieldsOf } from "../domain/managedFields/entries.ts"
import { resources } from "../domain/kinds.ts"
import type { KubeObject, Node, Pod, ReplicaSet } from "../domain/objects.ts"

/** A change of the cluster's objects, as its `onChange` tells it. */
export interface SeenChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly resource: string
  readonly object: KubeObject
  readonly old: KubeObject | undefined
}

/** A cluster whose actors are inspected; `Cluster` and `OpenCluster` are such. */
export interface Followable {
  readonly onChange: (listener: (change: SeenChange) => void) => () => void
  /** What is there already, where that is known. */
  readonly present?: ReadonlyArray<{ readonly resource: string; readonly object: KubeObject }>
}

/**
 * Whose an actor is, and who caused what it is shown: worked out from what changed, since an observation itself comes
 * from nobody. Actors are meant by their ids; a source that is no actor's id is somebody outside, such as
 * `client kubectl-client-side-apply`.
 */
export interface Origins {
  /** Begins to see; returns how to stop. */
  readonly follow: (cluster: Followable) => () => void
  readonly ownerOf: (id: string) => string | undefined
  /** Who wrote what the actor has not been shown yet; with `isSeen` it is shown it now. */
  readonly sourceOf: (id: string, options: { readonly isSeen: boolean }) => string | undefined
}

const chartByResource: Readonly<Record<string, string>> = {
  [resources.deployments]: "deployment",
  [resources.replicaSets]: "replicaSet",
  [resources.pods]: "pod",
  [resources.nodes]: "node"
}
const chartByKind: Readonly<Record<string, string>> = { Deployment: "deployment", ReplicaSet: "replicaSet" }

export const makeOrigins = (): Origins => {
  const objects = new Map<string, { readonly object: KubeObject; readonly owner: string | undefined }>()
  const sources = new Map<string, string>()

  const note = (id: string, source: string): void => {
    // What somebody else did says more than what the actor has written itself.
    if (source !== id || !sources.has(id)) sources.set(id, source)
  }

  const writerOf = (change: SeenChange, id: string, owner: string | undefined): string => {
    const manager = newManager(change)
    if (manager !== undefined) return `client ${manager}`
    const author = owner ?? outside
    switch (change.resource) {
      case resources.deployments:
        return isOnlyStatus(change) ? id : outside
      case resources.replicaSets:
        if (isLeaving(change)) return owner === undefined || objects.has(owner) ? author : garbageCollector
        return isOnlyStatus(change) ? id : author
      case resources.pods:
        return podWriter(change, { id, author, objectOf: (other) => objects.get(other)?.object, owner })
      default:
        return isOnlyStatus(change) || isTainting(change) ? id : outside
    }
  }

  const see = (change: SeenChange): void => {
    const chart = chartByResource[change.resource]
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
      note(id, writer)
    }
    // Whoever is gone is shown nothing any more, though what it has left may go on for long.
    if (owner !== undefined && objects.has(owner)) note(owner, writer)
  }

  return {
    follow: ({ onChange, present = [] }) => {
      for (const { resource, object } of present) {
        const chart = chartByResource[resource]
        if (chart !== undefined) objects.set(idOf(chart, object), { object, owner: ownerIdOf(object) })
      }
      return onChange(see)
    },
    ownerOf: (id) => objects.get(id)?.owner,
    sourceOf: (id, { isSeen }) => {
      const source = sources.get(id)
      if (isSeen) sources.delete(id)
      return source
    }
  }
}

/** Somebody who has not said a name: the library, or files that are applied. */
const outside = "client"
const scheduler = "scheduler"
const garbageCollector = "garbage collector"

const idOf = (chart: string, { metadata: { namespace, name } }: KubeObject): string =>
  [chart, ...(namespace === undefined ? [] : [namespace]), name].join("/")

const ownerIdOf = (object: KubeObject): string | undefined => {
  const controller = controllerOf(object)
  const chart = controller === undefined ? undefined : chartByKind[controller.kind]
  if (controller === undefined || chart === undefined) return undefined
  return [chart, object.metadata.namespace ?? "", controller.name].join("/")
}

/** Who has written through the API: the entries that an object is stored with are worked out when a client writes. */
const newManager = ({ type, object, old }: SeenChange): string | undefined => {
  if (type === "DELETED" || object.metadata.managedFields === old?.metadata.managedFields) return undefined
  const before = new Set((old === undefined ? [] : allEntriesOf(old)).map((it) => JSON.stringify(it)))
  return managedFieldsOf(object).findLast((it) => !before.has(JSON.stringify(it)))?.manager
}

const isLeaving = ({ type, object, old }: SeenChange): boolean =>
  type === "DELETED" || (isTerminating(object) && (old === undefined || !isTerminating(old)))

/** Nothing but the status and the annotations, which is what its own actor writes. */
const isOnlyStatus = (change: SeenChange): boolean =>
  change.type === "MODIFIED" &&
  !isLeaving(change) &&
  change.object.metadata.generation === change.old?.metadata.generation &&
  specOf(change.object) === specOf(change.old)

const specOf = (object: KubeObject | undefined): unknown =>
  object !== undefined && "spec" in object ? object.spec : undefined

/** A node's own actor taints it for the state that it is in. */
const isTainting = (change: SeenChange): boolean =>
  change.type === "MODIFIED" &&
  JSON.stringify((change.object as Node).spec.taints) !==
    JSON.stringify((change.old as Node | undefined)?.spec.taints)

/** It drives Pods away. */
const isDriving = (node: Node | undefined): boolean =>
  node?.spec.taints?.some(({ effect }) => effect === "NoExecute") === true

const podWriter = (
  change: SeenChange,
  known: {
    readonly id: string
    readonly author: string
    readonly owner: string | undefined
    readonly objectOf: (id: string) => KubeObject | undefined
  }
): string => {
  const { type, old } = change
  const { id, author, owner, objectOf } = known
  // The change says of what resource the object is; the types cannot follow.
  const pod = change.object as Pod
  if (type === "ADDED") return author
  const wasLeaving = old !== undefined && (isTerminating(old) || isFinished(pod))
  if (type === "DELETED" && wasLeaving) return id
  if (isLeaving(change)) {
    const node = `node/${pod.spec.nodeName ?? ""}`
    if (isDriving(objectOf(node) as Node | undefined)) return node
    if (owner === undefined) return outside
    const replicaSet = objectOf(owner) as ReplicaSet | undefined
    if (replicaSet === undefined) return garbageCollector
    return replicaSet.spec.replicas < (replicaSet.status.replicas ?? 0) ? author : outside
  }
  if (pod.spec.nodeName !== (old as Pod | undefined)?.spec.nodeName) return scheduler
  if (pod.metadata.ownerReferences !== old?.metadata.ownerReferences) return author
  return id
}
