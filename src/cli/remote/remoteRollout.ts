import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { RemoteRefused } from "../../client/clientErrors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"
import { allOrFirstError } from "../../client/allOrFirstError.ts"
import { rolloutListOptions, rolloutObjectsOf, unlessForbidden } from "../../explain/remote/readRollout.ts"
import type { ObjectOf } from "../../kubernetes/meta/resourceTypes.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { RolloutObjects } from "../../explain/remote/readRollout.ts"
import type { RemoteCluster, RemoteListOptions } from "../../client/remoteCluster.ts"
import type { Change } from "../../store/objectStore.ts"

export interface RemoteClusterRef {
  readonly namespace: string | undefined
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

export interface RemoteRolloutRef extends RemoteClusterRef {
  readonly name: string
}

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

export interface FollowedRollout {
  /** Undefined while the Deployment does not exist. */
  readonly objects: () => RolloutObjects | undefined
  /** Resolves when a watch fails, with the error, or when `signal` aborts. */
  readonly ended: Promise<unknown>
}

/** Reads the Deployment's selector once: call this again when the Deployment is created anew. */
export const followRollout = async (
  remote: RemoteCluster,
  options: { readonly name: string; readonly signal: AbortSignal; readonly onChange: () => void }
): Promise<FollowedRollout> => {
  const { name, signal, onChange } = options
  const initialDeployment = await remote.get({ resource: resources.deployments, name })
  const listOptions = rolloutListOptions(remote, initialDeployment)
  const listAndWatch = async <R extends GroupResource>(
    resource: R,
    options: RemoteListOptions
  ): Promise<WatchedObjects<ObjectOf<R>>> => {
    const { items, resourceVersion } = await remote.list(resource, options)
    const objectsByKey = new Map(items.map((item) => [objectKeyOf(item), item]))
    // The caller reconnects: the server may return under another URL.
    const changes = remote.watch(resource, { ...options, resourceVersion, signal, retries: 0 })
    return {
      // Each reader needs its own iterator.
      get items() {
        return objectsByKey.values()
      },
      ended: applyChanges(objectsByKey, changes, onChange)
    }
  }
  const [deployments, replicaSets, pods] = await allOrFirstError([
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
      return deployment === undefined ? undefined : rolloutObjectsOf(deployment, replicaSets, pods)
    },
    // Forbidden resources are not watched.
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

/** The error as kubectl prints it: `Error from server (NotFound): …`. */
export const remoteErrorLine = (error: unknown): string => {
  const text = systemErrorText(error)
  const reason = reasonOf(error)
  return reason === "" ? `error: ${text}` : `Error from server (${reason}): ${text}`
}

const reasonOf = (error: unknown): string => {
  if (error instanceof RemoteRefused) return error.reason
  return error instanceof Error && "_tag" in error && typeof error._tag === "string" ? error._tag : ""
}
