import { randomBytes } from "node:crypto"
import { kindOfResource, resources } from "../domain/kinds.ts"
import { rolloutStatus } from "../domain/rolloutStatus.ts"
import { NotFound } from "../store/errors.ts"
import { kubeconfigFor } from "../remote/kubeconfigFor.ts"
import { openRemote } from "../remote/remoteCluster.ts"
import { millisOf } from "../domain/durations.ts"
import { cannotBe, LeftBehind } from "./realLimits.ts"
import { ownership, ownNamespace } from "./ownership.ts"
import { passReally, realNow } from "./realTime.ts"
import { wordsOf } from "../wordsOf.ts"
import { allInOrder } from "../remote/allInOrder.ts"
import type { RolloutOutcome } from "../rollouts.ts"
import type { EventObject, Manifest } from "../domain/objects.ts"
import type { Duration, Named, OpenCluster, ServedCluster } from "../openCluster.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"

type Here = Pick<
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

/** How often a real cluster is looked at. */
const pollMillis = 250
/** How long things are waited for when nobody says otherwise. */
const limitDefault = "10m"

/**
 * A real cluster as a test sees it: a namespace of its own, which is what `default` means there, deleted at the end
 * with everything in it. Nothing is written to any other namespace.
 */
export const openRealCluster = async (kubeconfig: string | undefined): Promise<ClusterUnderTest> => {
  const namespace = `charthouse-${randomBytes(5).toString("hex")}`
  const remote = await openRemote({ kubeconfig, namespace, meant: ownNamespace(namespace) })
  const own = ownership(remote, namespace)
  const close = async (): Promise<void> => {
    try {
      await own.remove()
    } finally {
      remote.close()
    }
  }
  try {
    own.created(await remote.create(namespaceOf(namespace)))
    await serviceAccountOf(remote, namespace)
  } catch (error) {
    await close().catch((left: unknown) => {
      throw new LeftBehind(`${wordsOf(error)}; ${wordsOf(left)}`, { cause: left })
    })
    throw error
  }
  const inside = own.namespaceOf
  const named = (it: Named): Named => ({ ...it, namespace: inside(it.namespace) })
  const until = async (holds: () => boolean | Promise<boolean>, limit: Duration = limitDefault) => {
    const endMillis = realNow().getTime() + millisOf(limit, "limit")
    for (;;) {
      if (await holds()) return true
      if (realNow().getTime() >= endMillis) return false
      await passReally(pollMillis)
    }
  }
  const list: OpenCluster["list"] = async (resource, listed = {}) => {
    if (!(await remote.isNamespaced(resource))) return remote.list(resource, listed)
    const where = listed.namespace === undefined ? own.namespaces() : [inside(listed.namespace)]
    const all = await allInOrder(where.map((it) => remote.list(resource, { ...listed, namespace: it })))
    return { items: all.flatMap(({ items }) => items), resourceVersion: all.at(-1)?.resourceVersion ?? "" }
  }
  const here: Here = {
    isReal: true,
    canMoveTime: false,
    hasBeenServed: true,
    namespace,
    apply: async (manifest) => {
      await own.requireWritable(manifest)
      return own.applied(await remote.apply(manifest))
    },
    create: async (draft) => {
      own.requireOwn(draft.metadata?.namespace)
      return own.created(await remote.create(own.placed(draft)))
    },
    get: (it) => remote.get({ ...it, namespace: inside(it.namespace) }),
    list,
    watch: (resource, watched = {}) => {
      if (resource === undefined) throw new TypeError("a real cluster is watched one resource at a time")
      const namespaced = kindOfResource(resource)?.namespaced !== false
      return remote.watch(resource, {
        ...watched,
        ...(namespaced ? { namespace: inside(watched.namespace) } : {})
      })
    },
    patch: async (it, patch, only) => {
      await own.requireNamed(it)
      return remote.patch(named(it), patch, only)
    },
    delete: async (it, request) => {
      await own.requireNamed(it)
      return remote.delete(named(it), request)
    },
    rollout: async (name, options = {}) => {
      const deployment = (): ReturnType<typeof deploymentOf> =>
        deploymentOf(remote, { name, namespace: inside(options.namespace) })
      const first = await remote.get({
        resource: resources.deployments,
        name,
        namespace: inside(options.namespace)
      })
      let outcome = outcomeOf(first)
      await until(async () => {
        outcome = outcomeOf(await deployment())
        return outcome.outcome !== "unfinished"
      }, options.limit)
      return outcome
    },
    // Nobody can know that nothing moves by itself; that all rollouts are over can be seen.
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
  const cluster: ClusterUnderTest = cannotBe(
    { ...here, serve: async () => ({ ...accessOf(remote), requests: cluster.requests }) },
    remote.context.url
  )
  return cluster
}

/** It is served already, however that was asked for. */
const accessOf = ({ context, namespace }: RemoteCluster): Omit<ServedCluster, "requests"> => {
  const { name, url, ca } = context
  const stop = async (): Promise<void> => {}
  const kubeconfig = kubeconfigFor(context, namespace)
  return { name, url, ca, token: undefined, page: undefined, kubeconfig, stop, [Symbol.asyncDispose]: stop }
}

const namespaceOf = (name: string): Manifest => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "app.kubernetes.io/managed-by": "charthouse" } }
})

/** The first Pod of a namespace is refused before it has its account. */
const serviceAccountOf = async (remote: RemoteCluster, namespace: string): Promise<void> => {
  for (let tries = 0; tries < accountTries; tries += 1) {
    const { items } = await remote.list("serviceaccounts", { namespace })
    if (items.some(({ metadata }) => metadata.name === "default")) return
    await passReally(pollMillis)
  }
}
const accountTries = 40

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
