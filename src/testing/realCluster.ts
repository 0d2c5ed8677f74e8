import { randomBytes } from "node:crypto"
import { kindOfResource, resources } from "../kubernetes/meta/kinds.ts"
import { workloadResources, workloadStatus } from "../kubernetes/apps/workloadStatus.ts"
import { NotFound } from "../store/storeErrors.ts"
import { makeContextKubeconfig } from "../client/contextKubeconfig.ts"
import { openRemoteCluster } from "../client/remoteCluster.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { withUnsupportedMembers, withUnsupportedToken, LeftBehind } from "./realClusterLimits.ts"
import { trackOwnership, toTestNamespace } from "./testOwnership.ts"
import { makeRealTimers } from "./realTimers.ts"
import { sleepRealTime, realNow } from "./realTime.ts"
import { explainerFor } from "../explain/remote/explainers.ts"
import { requireWorkloadName, rolloutOutcome } from "../cluster/calls/rolloutWait.ts"
import { systemErrorText } from "../platform/systemErrorText.ts"
import { allOrFirstError } from "../client/allOrFirstError.ts"
import type { EventObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { OpenCluster } from "../cluster/openCluster.ts"
import type { ServedCluster, UntypedObjectCalls } from "../cluster/calls/clusterCalls.ts"
import type { Duration, ListQuery, ObjectAddress } from "../cluster/calls/callOptions.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { ObjectList } from "../store/objectStore.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"
import type { Workload, WorkloadResource } from "../kubernetes/apps/workloadStatus.ts"
import { closeAfterWaits } from "./clusterUnderTest.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

type SupportedMembers = Pick<
  UntypedObjectCalls<"promise">,
  "apply" | "create" | "update" | "get" | "list" | "watch" | "patch" | "delete" | "events"
> &
  Pick<
    ClusterUnderTest,
    | "rollout"
    | "settle"
    | "sleep"
    | "until"
    | "now"
    | "timers"
    | "close"
    | "isReal"
    | "canMoveTime"
    | "hasBeenServed"
    | "namespace"
    | typeof Symbol.asyncDispose
  > & { readonly clock: Pick<OpenCluster["clock"], "state" | "at"> }

const pollMillis = 250
const defaultLimit = "10m"

/** Maps `default` to a new namespace, writes to no other, and deletes it at the end. */
export const openRealCluster = async (kubeconfig: string | undefined): Promise<ClusterUnderTest> => {
  const namespace = `charthouse-${randomBytes(5).toString("hex")}`
  const remote = await openRemoteCluster({ kubeconfig, namespace, mapNamespace: toTestNamespace(namespace) })
  const ownership = trackOwnership(remote, namespace)
  const closing = new AbortController()
  const { timers, at } = makeRealTimers(closing.signal)
  let removing: Promise<void> | undefined
  const remove = async (): Promise<void> => {
    closing.abort(new Error("the cluster is closed"))
    try {
      await ownership.remove()
    } finally {
      remote.close()
    }
  }
  const closeOnce = (): Promise<void> =>
    removing === undefined ? (removing = remove()) : removing.catch(() => {})
  try {
    await ownership.recordCreated(await remote.create(namespaceManifest(namespace)))
    await waitForServiceAccount(remote, namespace)
  } catch (error) {
    await closeOnce().catch((cleanupError: unknown) => {
      throw new LeftBehind(`${systemErrorText(error)}; ${systemErrorText(cleanupError)}`, {
        cause: cleanupError
      })
    })
    throw error
  }
  const { namespaceOf } = ownership
  const withTestNamespace = (address: ObjectAddress): ObjectAddress => ({
    ...address,
    namespace: namespaceOf(address.namespace)
  })
  const until = async (
    isDone: (nowMillis: number) => boolean | Promise<boolean>,
    limit: Duration = defaultLimit
  ) => {
    const endMillis = realNow().getTime() + toDurationMillis(limit, "limit")
    for (;;) {
      if (await isDone(realNow().getTime())) return true
      if (realNow().getTime() >= endMillis) return false
      await sleepRealTime(pollMillis, closing.signal)
      closing.signal.throwIfAborted()
    }
  }
  const list = async <R extends GroupResource>(
    resource: R,
    listOptions: ListQuery = {}
  ): Promise<ObjectList<ObjectOf<R>>> => {
    if (!(await remote.isNamespaced(resource))) return remote.list(resource, listOptions)
    const namespaces =
      listOptions.namespace === undefined ? ownership.namespaces() : [namespaceOf(listOptions.namespace)]
    const lists = await allOrFirstError(
      namespaces.map((it) => remote.list(resource, { ...listOptions, namespace: it }))
    )
    return {
      items: lists.flatMap(({ items }) => items),
      resourceVersion: lists.at(-1)?.resourceVersion ?? ""
    }
  }
  const close = closeAfterWaits(() => cluster, closeOnce)
  const supported: SupportedMembers = {
    isReal: true,
    canMoveTime: false,
    hasBeenServed: true,
    namespace,
    apply: async (manifest) => {
      await ownership.requireWritable(manifest)
      return ownership.recordApplied(await remote.apply(manifest))
    },
    create: async (draft) => {
      ownership.requireOwnNamespace(draft.metadata?.namespace)
      return ownership.recordCreated(await remote.create(ownership.inTestNamespace(draft)))
    },
    get: (it) => remote.get({ ...it, namespace: namespaceOf(it.namespace) }),
    list,
    watch: (resource, watchOptions = {}) => {
      if (resource === undefined) throw new TypeError("a real cluster is watched one resource at a time")
      const namespaced = kindOfResource(resource)?.namespaced !== false
      return remote.watch(resource, {
        ...watchOptions,
        ...(namespaced ? { namespace: namespaceOf(watchOptions.namespace) } : {})
      })
    },
    update: async (object, target) => {
      const { namespace: requestedNamespace, name = "" } = object.metadata
      const resource = await remote.resourceOf(object)
      await ownership.requireOwnObject({
        resource,
        name,
        ...(requestedNamespace === undefined ? {} : { namespace: requestedNamespace })
      })
      return remote.update(ownership.inTestNamespace(object), target)
    },
    patch: async (it, patch, patchOptions) => {
      await ownership.requireOwnObject(it)
      return remote.patch(withTestNamespace(it), patch, patchOptions)
    },
    delete: async (it, request) => {
      await ownership.requireOwnObject(it)
      return remote.delete(withTestNamespace(it), request)
    },
    rollout: async (text, options = {}) => {
      const { resource, name } = requireWorkloadName(text)
      const address = { resource, name, namespace: namespaceOf(options.namespace) }
      // Rejects if the workload does not exist. A later deletion is an outcome.
      let last: Workload | undefined = await remote.get(address)
      await until(async () => {
        last = await findWorkload(remote, address)
        return last === undefined || workloadStatus(resource, last).state !== "waiting"
      }, options.limit)
      const result = rolloutOutcome(resource, last)
      if (result.outcome !== "failed" && result.outcome !== "unfinished") return result
      const reasons = await readReasons({ ...remote, namespace: address.namespace }, `${resource}/${name}`)
      return { ...result, reasons }
    },
    // A real cluster does not say whether its actors still move: waits until no rollout is under way and no Pod
    // terminates.
    settle: (limit) =>
      until(async () => {
        const workloads = await allOrFirstError(
          workloadResources.map(async (resource) =>
            (await list(resource)).items.map((it) => workloadStatus(resource, it))
          )
        )
        const pods = await list(resources.pods)
        return (
          workloads.flat().every(({ state }) => state !== "waiting") &&
          pods.items.every(({ metadata }) => metadata.deletionTimestamp === undefined)
        )
      }, limit),
    until,
    sleep: async (duration) => sleepRealTime(toDurationMillis(duration, "duration")),
    events: async (about) => {
      const { items } = await list(resources.events)
      return items.filter((it: EventObject) => about === undefined || it.involvedObject?.uid === about.uid)
    },
    now: realNow,
    timers,
    clock: { state: () => ({ now: realNow().toISOString(), speed: 1 }), at },
    close,
    [Symbol.asyncDispose]: close
  }
  const cluster: ClusterUnderTest = withUnsupportedMembers(
    {
      ...supported,
      serve: async () => withUnsupportedToken({ ...accessOf(remote), requests: cluster.requests })
    },
    remote.context.url
  )
  return cluster
}

const accessOf = ({ context, namespace }: RemoteCluster): Omit<ServedCluster, "requests" | "token"> => {
  const { name, url, ca } = context
  const stop = async (): Promise<void> => {}
  const kubeconfig = makeContextKubeconfig(context, namespace)
  return { name, url, ca, page: undefined, kubeconfig, stop, [Symbol.asyncDispose]: stop }
}

const namespaceManifest = (name: string): Manifest => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "app.kubernetes.io/managed-by": "charthouse" } }
})

/** The server refuses Pods without a service account. If it never appears, tests see that refusal. */
const waitForServiceAccount = async (remote: RemoteCluster, namespace: string): Promise<void> => {
  for (let tries = 0; tries < serviceAccountTriesMax; tries += 1) {
    const { items } = await remote.list("serviceaccounts", { namespace })
    if (items.some(({ metadata }) => metadata.name === "default")) return
    await sleepRealTime(pollMillis)
  }
}
/** Ten seconds of polls. */
const serviceAccountTriesMax = 40

const findWorkload = async (
  remote: RemoteCluster,
  address: ObjectAddress<WorkloadResource>
): Promise<Workload | undefined> => {
  try {
    return await remote.get(address)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

const readReasons = async (remote: RemoteCluster, object: string): Promise<ReadonlyArray<string>> => {
  try {
    const explanation = await explainerFor(object)?.(remote)
    return explanation?.stateExplanation.sentences ?? []
  } catch (error) {
    return [`Its Pods cannot be read: ${systemErrorText(error)}`]
  }
}
