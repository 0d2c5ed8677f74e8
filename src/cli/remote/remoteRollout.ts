import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { compareByName, controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isForbidden, RemoteRefused } from "../../client/clientErrors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { awaitInOrder } from "../../client/awaitInOrder.ts"
import type { ObjectOf } from "../../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Deployment, KubeObject, Node, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { ReadableRollout, UnreadableResource } from "../../explain/objects/readableRollout.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"
import type { Change } from "../../store/objectStore.ts"
import { toCompleteEvent } from "../../kubernetes/meta/completeEvent.ts"
import type { CompleteEvent } from "../../kubernetes/meta/completeEvent.ts"

/** Selects a cluster of a kubeconfig, and a namespace in it. */
export interface RemoteClusterRef {
  /** The context's namespace by default. */
  readonly namespace: string | undefined
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

export interface RemoteRolloutRef extends RemoteClusterRef {
  /** The name of the Deployment. */
  readonly name: string
}

export type RolloutObjects = Pick<ReadableRollout, "deployment" | "replicaSets" | "pods" | "unreadable">

export const withRemoteCluster = async <A>(
  { kubeconfig, context, namespace }: RemoteClusterRef,
  use: (remote: RemoteCluster) => Promise<A>
): Promise<A> => {
  // Loaded here: other commands start faster without it.
  const { openRemoteCluster } = await import("../../client/remoteCluster.ts")
  const remote = await openRemoteCluster({ kubeconfig, context, namespace })
  try {
    return await use(remote)
  } finally {
    remote.close()
  }
}

/** The cluster's time if it serves a clock, else this machine's. */
export const remoteNowMillis = async (remote: RemoteCluster): Promise<number> =>
  (await remote.clock()) ?? Date.now()

/** Rejects with `NotFound` if there is no such Deployment. */
export const readRolloutObjects = async (remote: RemoteCluster, name: string): Promise<RolloutObjects> => {
  const deployment = await remote.get({ resource: resources.deployments, name })
  const listOptions = listOptionsOf(remote, deployment)
  const [replicaSets, pods] = await awaitInOrder([
    unlessForbidden(remote.list(resources.replicaSets, listOptions), "ReplicaSets"),
    unlessForbidden(remote.list(resources.pods, listOptions), "Pods")
  ])
  return ownedBy(deployment, replicaSets, pods)
}

type ReadResult<A> = { readonly items: Iterable<A> } | NotAllowed

interface NotAllowed {
  readonly unreadable: UnreadableResource
}

const ifAllowed = async <A, B>(response: Promise<A>, whenForbidden: (error: unknown) => B): Promise<A | B> =>
  response.catch((error: unknown) => {
    if (!isForbidden(error)) throw error
    return whenForbidden(error)
  })

const unlessForbidden = <A>(
  response: Promise<A>,
  resource: UnreadableResource["resource"]
): Promise<A | NotAllowed> =>
  ifAllowed(response, (error) => ({ unreadable: { resource, serverMessage: systemErrorText(error) } }))

const itemsOf = <A>(result: ReadResult<A>): Iterable<A> => ("items" in result ? result.items : [])
const unreadableOf = (result: ReadResult<unknown>): ReadonlyArray<UnreadableResource> =>
  "items" in result ? [] : [result.unreadable]

/** Reads everything that `explainRollout` uses, as far as the client may read it. */
export const readRolloutObservation = async (
  remote: RemoteCluster,
  name: string
): Promise<ReadableRollout> => {
  const { namespace } = remote
  const [objects, events, nodes, namespaceObject, nowMillis] = await awaitInOrder([
    readRolloutObjects(remote, name),
    listEvents(remote),
    readNodes(remote),
    ifAllowed(remote.get({ resource: resources.namespaces, name: namespace }), () => undefined),
    remoteNowMillis(remote)
  ])
  return {
    ...objects,
    events: Array.from(itemsOf(events)),
    nodes,
    namespace: namespaceObject,
    nowMillis,
    unreadable: [...(objects.unreadable ?? []), ...unreadableOf(events)]
  }
}

/** Empty if the client may not read Nodes. */
export const readNodes = async (remote: RemoteCluster): Promise<ReadonlyArray<Node>> =>
  ifAllowed(
    remote.list(resources.nodes).then(({ items }) => items),
    () => []
  )

/** The events of the namespace; empty if the client may not read them. */
export const readEvents = async (remote: RemoteCluster): Promise<ReadonlyArray<CompleteEvent>> =>
  Array.from(itemsOf(await listEvents(remote)))

const listEvents = (remote: RemoteCluster): Promise<ReadResult<CompleteEvent>> =>
  unlessForbidden(
    remote
      .list(resources.events, { namespace: remote.namespace })
      .then(({ items }) => ({ items: items.map(toCompleteEvent) })),
    "events"
  )

const listOptionsOf = ({ namespace }: RemoteCluster, { spec }: Deployment) => ({
  namespace,
  labelSelector: spec.selector
})

/** Sorted by name as a list response is, whatever the order of watch events. */
const ownedBy = (
  deployment: Deployment,
  replicaSets: ReadResult<ReplicaSet>,
  pods: ReadResult<Pod>
): RolloutObjects => {
  const ownedReplicaSets = [...itemsOf(replicaSets)]
    .filter((it) => controllerOf(it)?.uid === deployment.metadata.uid)
    .sort(compareByName)
  const uids = new Set(ownedReplicaSets.map(({ metadata }) => metadata.uid))
  return {
    deployment,
    replicaSets: ownedReplicaSets,
    pods: [...itemsOf(pods)].filter((it) => uids.has(controllerOf(it)?.uid ?? "")).sort(compareByName),
    unreadable: [...unreadableOf(replicaSets), ...unreadableOf(pods)]
  }
}

export interface FollowedRollout {
  /** Undefined while the Deployment does not exist. */
  readonly objects: () => RolloutObjects | undefined
  /** Resolves when a watch fails or `signal` aborts, with the error if there is one. */
  readonly ended: Promise<unknown>
}

/**
 * Lists and watches a Deployment, its ReplicaSets and Pods. Since a selector is immutable, a Deployment that is
 * created anew with another selector has to be followed anew.
 */
export const followRollout = async (
  remote: RemoteCluster,
  options: { readonly name: string; readonly signal: AbortSignal; readonly onChange: () => void }
): Promise<FollowedRollout> => {
  const { name, signal, onChange } = options
  const deploymentBefore = await remote.get({ resource: resources.deployments, name })
  const listOptions = listOptionsOf(remote, deploymentBefore)
  const listAndWatch = async <R extends GroupResource>(
    resource: R,
    options: Parameters<RemoteCluster["list"]>[1]
  ): Promise<WatchedObjects<ObjectOf<R>>> => {
    const { items, resourceVersion } = await remote.list(resource, options)
    const objectsByKey = new Map(items.map((item) => [objectKeyOf(item), item]))
    // The caller reconnects: the server may come back under another URL.
    const changes = remote.watch(resource, { ...options, resourceVersion, signal, retries: 0 })
    return {
      get items() {
        return objectsByKey.values()
      },
      ended: applyChanges(objectsByKey, changes, onChange)
    }
  }
  const [deployments, replicaSets, pods] = await awaitInOrder([
    listAndWatch(resources.deployments, {
      namespace: remote.namespace,
      fieldSelector: `metadata.name=${name}`
    }),
    unlessForbidden(listAndWatch(resources.replicaSets, listOptions), "ReplicaSets"),
    unlessForbidden(listAndWatch(resources.pods, listOptions), "Pods")
  ])
  return {
    objects: () => {
      const [deployment] = deployments.items
      return deployment === undefined ? undefined : ownedBy(deployment, replicaSets, pods)
    },
    ended: Promise.race([deployments, replicaSets, pods].flatMap((it) => ("ended" in it ? [it.ended] : [])))
  }
}

interface WatchedObjects<O extends KubeObject> {
  readonly items: Iterable<O>
  readonly ended: Promise<unknown>
}

const applyChanges = async <O extends KubeObject>(
  objectsByKey: Map<string, O>,
  changes: AsyncIterable<Change>,
  onChange: () => void
): Promise<unknown> => {
  try {
    for await (const { type, object } of changes) {
      if (type === "DELETED") objectsByKey.delete(objectKeyOf(object))
      else objectsByKey.set(objectKeyOf(object), object as O)
      onChange()
    }
    return undefined
  } catch (error) {
    return error
  }
}

/** An error as kubectl prints it: `Error from server (NotFound): …`. */
export const remoteErrorLine = (error: unknown): string => {
  const text = systemErrorText(error)
  const reason = reasonOf(error)
  return reason === "" ? `error: ${text}` : `Error from server (${reason}): ${text}`
}

const reasonOf = (error: unknown): string => {
  if (error instanceof RemoteRefused) return error.reason
  return error instanceof Error && "_tag" in error && typeof error._tag === "string" ? error._tag : ""
}
