import { keyOf } from "../domain/objects.ts"
import { byName, controllerOf } from "../domain/ownerReferences.ts"
import { isForbidden, RemoteRefused } from "../remote/errors.ts"
import { resources } from "../domain/kinds.ts"
import { wordsOf } from "../wordsOf.ts"
import { allInOrder } from "../remote/allInOrder.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { Deployment, KubeObject, Node, Pod, ReplicaSet } from "../domain/objects.ts"
import type { RolloutSeen, Unread } from "../domain/explanation/rolloutSeen.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"
import type { Change, ObjectOf } from "../store/objectStore.ts"
import { wholeEvent } from "../domain/wholeEvent.ts"
import type { WholeEvent } from "../domain/wholeEvent.ts"

/** Which rollout, and where: a Deployment on any cluster that a kubeconfig leads to. */
export interface RolloutPlace {
  readonly name: string
  /** The context's where it is left out. */
  readonly namespace: string | undefined
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

/** A Deployment with what it controls, without what only an explanation needs. */
export type RolloutObjects = Pick<RolloutSeen, "deployment" | "replicaSets" | "pods" | "unread">

/** Asks the cluster that a kubeconfig leads to, and closes the connection afterwards. */
export const withRemote = async <A>(
  { kubeconfig, context, namespace }: RolloutPlace,
  use: (remote: RemoteCluster) => Promise<A>
): Promise<A> => {
  // Nobody else waits for it.
  const { openRemote } = await import("../remote/remoteCluster.ts")
  const remote = await openRemote({ kubeconfig, context, namespace })
  try {
    return await use(remote)
  } finally {
    remote.close()
  }
}

/** The present moment there: by its own clock where it tells, else by this machine's. */
export const nowThere = async (remote: RemoteCluster): Promise<number> => (await remote.clock()) ?? Date.now()

/** Reads a Deployment and what it controls. Fails with `NotFound` where it is not there. */
export const readObjects = async (remote: RemoteCluster, name: string): Promise<RolloutObjects> => {
  const deployment = await remote.get({ resource: resources.deployments, name })
  const where = whereOf(remote, deployment)
  const [replicaSets, pods] = await allInOrder([
    allowed(remote.list(resources.replicaSets, where), "ReplicaSets"),
    allowed(remote.list(resources.pods, where), "Pods")
  ])
  return ownedBy(deployment, replicaSets, pods)
}

/** What was read, or why it may not be. */
type Read<A> = { readonly items: Iterable<A> } | NotAllowed

interface NotAllowed {
  readonly unread: Unread
}

/** What a client is not allowed to read it does without; anything else is a failure. */
const allowedOr = async <A, B>(asked: Promise<A>, otherwise: (error: unknown) => B): Promise<A | B> =>
  asked.catch((error: unknown) => {
    if (!isForbidden(error)) throw error
    return otherwise(error)
  })

/** As `allowedOr`, and says what was not read. */
const allowed = <A>(listed: Promise<A>, what: Unread["what"]): Promise<A | NotAllowed> =>
  allowedOr(listed, (error) => ({ unread: { what, why: wordsOf(error) } }))

const itemsOf = <A>(read: Read<A>): Iterable<A> => ("items" in read ? read.items : [])
const unreadOf = (read: Read<unknown>): ReadonlyArray<Unread> => ("items" in read ? [] : [read.unread])

/** Reads all that an explanation is made from; what may not be read is done without. */
export const readSeen = async (remote: RemoteCluster, name: string): Promise<RolloutSeen> => {
  const { namespace } = remote
  const [objects, events, nodes, within, nowMillis] = await allInOrder([
    readObjects(remote, name),
    listEvents(remote),
    readNodes(remote),
    allowedOr(remote.get({ resource: resources.namespaces, name: namespace }), () => undefined),
    nowThere(remote)
  ])
  return {
    ...objects,
    events: Array.from(itemsOf(events)),
    nodes,
    namespace: within,
    nowMillis,
    unread: [...(objects.unread ?? []), ...unreadOf(events)]
  }
}

/** None where they may not be read, as few may: an explanation says less then. */
export const readNodes = async (remote: RemoteCluster): Promise<ReadonlyArray<Node>> =>
  allowedOr(
    remote.list(resources.nodes).then(({ items }) => items),
    () => []
  )

/** Those of a namespace; none where they may not be read. */
export const readEvents = async (remote: RemoteCluster): Promise<ReadonlyArray<WholeEvent>> =>
  Array.from(itemsOf(await listEvents(remote)))

const listEvents = (remote: RemoteCluster): Promise<Read<WholeEvent>> =>
  allowed(
    remote
      .list(resources.events, { namespace: remote.namespace })
      .then(({ items }) => ({ items: items.map(wholeEvent) })),
    "events"
  )

/** Where the objects are that a Deployment may control. */
const whereOf = ({ namespace }: RemoteCluster, { spec }: Deployment) => ({
  namespace,
  labelSelector: spec.selector
})

/** In the order in which a server lists them, whichever a watch has told of first. */
const ownedBy = (deployment: Deployment, replicaSets: Read<ReplicaSet>, pods: Read<Pod>): RolloutObjects => {
  const owned = [...itemsOf(replicaSets)]
    .filter((it) => controllerOf(it)?.uid === deployment.metadata.uid)
    .sort(byName)
  const uids = new Set(owned.map(({ metadata }) => metadata.uid))
  return {
    deployment,
    replicaSets: owned,
    pods: [...itemsOf(pods)].filter((it) => uids.has(controllerOf(it)?.uid ?? "")).sort(byName),
    unread: [...unreadOf(replicaSets), ...unreadOf(pods)]
  }
}

/** What becomes of a rollout that is followed. */
export interface Followed {
  /** Undefined while the Deployment is not there. */
  readonly objects: () => RolloutObjects | undefined
  /** Ends when one of its watches fails, or `signal` says so; the reason, where there is one. */
  readonly ended: Promise<unknown>
}

/**
 * Keeps a Deployment and what it controls as they are, by watch. What its selector says never changes; where another
 * Deployment of the name has another, that is followed from its beginning.
 */
export const followObjects = async (
  remote: RemoteCluster,
  options: { readonly name: string; readonly signal: AbortSignal; readonly changed: () => void }
): Promise<Followed> => {
  const { name, signal, changed } = options
  const first = await remote.get({ resource: resources.deployments, name })
  const where = whereOf(remote, first)
  const keep = async <R extends GroupResource>(
    resource: R,
    listed: Parameters<RemoteCluster["list"]>[1]
  ): Promise<Kept<ObjectOf<R>>> => {
    const { items, resourceVersion } = await remote.list(resource, listed)
    const kept = new Map(items.map((item) => [keyOf(item), item]))
    // Whoever looks is told at once that the server is lost, and it may come back under another address.
    const changes = remote.watch(resource, { ...listed, resourceVersion, signal, retries: 0 })
    return {
      get items() {
        return kept.values()
      },
      ended: follow(kept, changes, changed)
    }
  }
  const [deployments, replicaSets, pods] = await allInOrder([
    keep(resources.deployments, { namespace: remote.namespace, fieldSelector: `metadata.name=${name}` }),
    allowed(keep(resources.replicaSets, where), "ReplicaSets"),
    allowed(keep(resources.pods, where), "Pods")
  ])
  return {
    objects: () => {
      const [deployment] = deployments.items
      return deployment === undefined ? undefined : ownedBy(deployment, replicaSets, pods)
    },
    ended: Promise.race([deployments, replicaSets, pods].flatMap((it) => ("ended" in it ? [it.ended] : [])))
  }
}

interface Kept<O extends KubeObject> {
  /** As they are now. */
  readonly items: Iterable<O>
  readonly ended: Promise<unknown>
}

const follow = async <O extends KubeObject>(
  kept: Map<string, O>,
  changes: AsyncIterable<Change>,
  changed: () => void
): Promise<unknown> => {
  try {
    for await (const { type, object } of changes) {
      if (type === "DELETED") kept.delete(keyOf(object))
      // A watch tells of the resource that it was asked for.
      else kept.set(keyOf(object), object as O)
      changed()
    }
    return undefined
  } catch (error) {
    return error
  }
}

/** What a refusal, or a kubeconfig that leads nowhere, is told as: `kubectl` has a word before the server's own. */
export const refusalLine = (error: unknown): string => {
  const words = wordsOf(error)
  const reason = reasonOf(error)
  return reason === "" ? `error: ${words}` : `Error from server (${reason}): ${words}`
}

const reasonOf = (error: unknown): string => {
  if (error instanceof RemoteRefused) return error.reason
  return error instanceof Error && "_tag" in error && typeof error._tag === "string" ? error._tag : ""
}
