import { randomBytes } from "node:crypto"
import { kindOfResource, resources } from "../kubernetes/meta/kinds.ts"
import { rolloutStatus } from "../kubernetes/apps/rolloutStatus.ts"
import { NotFound } from "../store/storeErrors.ts"
import { makeContextKubeconfig } from "../client/contextKubeconfig.ts"
import { openRemoteCluster } from "../client/remoteCluster.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { withUnsupportedMembers, LeftBehind } from "./realClusterLimits.ts"
import { trackOwnership, toTestNamespace } from "./testOwnership.ts"
import { sleepRealTime, realNow } from "./realTime.ts"
import { systemErrorText } from "../platform/systemErrorText.ts"
import { awaitInOrder } from "../client/awaitInOrder.ts"
import type { RolloutOutcome } from "../cluster/rolloutWait.ts"
import type { EventObject, Manifest } from "../kubernetes/meta/objects.ts"
import type { OpenCluster, ServedCluster } from "../cluster/openCluster.ts"
import type { Duration, ObjectAddress } from "../cluster/callOptions.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

type SupportedMembers = Pick<
  ClusterUnderTest,
  | "apply"
  | "create"
  | "get"
  | "list"
  | "watch"
  | "patch"
  | "delete"
  | "rollout"
  | "settle"
  | "until"
  | "events"
  | "now"
  | "close"
  | "isReal"
  | "canMoveTime"
  | "hasBeenServed"
  | "namespace"
  | typeof Symbol.asyncDispose
> & { readonly clock: Pick<OpenCluster["clock"], "state"> }

const pollMillis = 250
const defaultLimit = "10m"

/**
 * Opens a real cluster for a test, with a namespace of its own, to which `default` is mapped. Nothing is written to
 * other namespaces; the namespace is deleted at the end.
 */
export const openRealCluster = async (kubeconfig: string | undefined): Promise<ClusterUnderTest> => {
  const namespace = `charthouse-${randomBytes(5).toString("hex")}`
  const remote = await openRemoteCluster({ kubeconfig, namespace, mapNamespace: toTestNamespace(namespace) })
  const owned = trackOwnership(remote, namespace)
  const close = async (): Promise<void> => {
    try {
      await owned.remove()
    } finally {
      remote.close()
    }
  }
  try {
    owned.created(await remote.create(namespaceManifest(namespace)))
    await waitForServiceAccount(remote, namespace)
  } catch (error) {
    await close().catch((cleanupError: unknown) => {
      throw new LeftBehind(`${systemErrorText(error)}; ${systemErrorText(cleanupError)}`, {
        cause: cleanupError
      })
    })
    throw error
  }
  const namespaceOfRef = owned.namespaceOf
  const refInside = (ref: ObjectAddress): ObjectAddress => ({
    ...ref,
    namespace: namespaceOfRef(ref.namespace)
  })
  const until = async (
    holds: (nowMillis: number) => boolean | Promise<boolean>,
    limit: Duration = defaultLimit
  ) => {
    const endMillis = realNow().getTime() + toDurationMillis(limit, "limit")
    for (;;) {
      if (await holds(realNow().getTime())) return true
      if (realNow().getTime() >= endMillis) return false
      await sleepRealTime(pollMillis)
    }
  }
  const list: OpenCluster["list"] = async (resource, listOptions = {}) => {
    if (!(await remote.isNamespaced(resource))) return remote.list(resource, listOptions)
    const namespaces =
      listOptions.namespace === undefined ? owned.namespaces() : [namespaceOfRef(listOptions.namespace)]
    const all = await awaitInOrder(
      namespaces.map((it) => remote.list(resource, { ...listOptions, namespace: it }))
    )
    return { items: all.flatMap(({ items }) => items), resourceVersion: all.at(-1)?.resourceVersion ?? "" }
  }
  const supported: SupportedMembers = {
    isReal: true,
    canMoveTime: false,
    hasBeenServed: true,
    namespace,
    apply: async (manifest) => {
      await owned.requireWritable(manifest)
      return owned.applied(await remote.apply(manifest))
    },
    create: async (draft) => {
      owned.requireOwn(draft.metadata?.namespace)
      return owned.created(await remote.create(owned.placed(draft)))
    },
    get: (it) => remote.get({ ...it, namespace: namespaceOfRef(it.namespace) }),
    list,
    watch: (resource, watchOptions = {}) => {
      if (resource === undefined) throw new TypeError("a real cluster is watched one resource at a time")
      const namespaced = kindOfResource(resource)?.namespaced !== false
      return remote.watch(resource, {
        ...watchOptions,
        ...(namespaced ? { namespace: namespaceOfRef(watchOptions.namespace) } : {})
      })
    },
    patch: async (it, patch, only) => {
      await owned.requireNamed(it)
      return remote.patch(refInside(it), patch, only)
    },
    delete: async (it, request) => {
      await owned.requireNamed(it)
      return remote.delete(refInside(it), request)
    },
    rollout: async (name, options = {}) => {
      const deployment = (): ReturnType<typeof deploymentOf> =>
        deploymentOf(remote, { name, namespace: namespaceOfRef(options.namespace) })
      const first = await remote.get({
        resource: resources.deployments,
        name,
        namespace: namespaceOfRef(options.namespace)
      })
      let outcome = outcomeOf(first)
      await until(async () => {
        outcome = outcomeOf(await deployment())
        return outcome.outcome !== "unfinished"
      }, options.limit)
      return outcome
    },
    // Whether a real cluster still moves is unknown, so this waits until all rollouts and deletions are finished.
    settle: (limit) =>
      until(async () => {
        const { items } = await list(resources.deployments)
        const pods = await list(resources.pods)
        return (
          items.every((it) => rolloutStatus(it).state !== "waiting") &&
          pods.items.every(({ metadata }) => metadata.deletionTimestamp === undefined)
        )
      }, limit),
    until,
    events: async (about) => {
      const { items } = await list(resources.events)
      return items.filter((it: EventObject) => about === undefined || it.involvedObject?.uid === about.uid)
    },
    now: realNow,
    clock: { state: () => ({ now: realNow().toISOString(), speed: 1 }) },
    close,
    [Symbol.asyncDispose]: close
  }
  const cluster: ClusterUnderTest = withUnsupportedMembers(
    { ...supported, serve: async () => ({ ...accessOf(remote), requests: cluster.requests }) },
    remote.context.url
  )
  return cluster
}

const accessOf = ({ context, namespace }: RemoteCluster): Omit<ServedCluster, "requests"> => {
  const { name, url, ca } = context
  const stop = async (): Promise<void> => {}
  const kubeconfig = makeContextKubeconfig(context, namespace)
  return { name, url, ca, token: undefined, page: undefined, kubeconfig, stop, [Symbol.asyncDispose]: stop }
}

const namespaceManifest = (name: string): Manifest => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "app.kubernetes.io/managed-by": "charthouse" } }
})

/** Pods are refused until the namespace's default service account exists. */
const waitForServiceAccount = async (remote: RemoteCluster, namespace: string): Promise<void> => {
  for (let tries = 0; tries < accountTriesMax; tries += 1) {
    const { items } = await remote.list("serviceaccounts", { namespace })
    if (items.some(({ metadata }) => metadata.name === "default")) return
    await sleepRealTime(pollMillis)
  }
}
const accountTriesMax = 40

const deploymentOf = async (
  remote: RemoteCluster,
  it: { readonly name: string; readonly namespace: string }
) => {
  try {
    return await remote.get({ resource: resources.deployments, ...it })
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

const outcomeOf = (deployment: Awaited<ReturnType<typeof deploymentOf>>): RolloutOutcome => {
  if (deployment === undefined) return { outcome: "deleted", message: "object has been deleted", deployment }
  const { state, message } = rolloutStatus(deployment)
  return { outcome: state === "waiting" ? "unfinished" : state, message, deployment }
}
