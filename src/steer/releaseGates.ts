import { isApproved, hasApprovalGate, withApproval } from "../kubernetes/steering/podApproval.ts"
import { isPodActive } from "../kubernetes/pods/podState.ts"
import { Conflict, NotFound } from "../store/storeErrors.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"

interface ReleaseOptions {
  readonly cluster: Pick<RemoteCluster, "list" | "get" | "update" | "watch">
  /** Undefined for all namespaces. */
  readonly namespaces: ReadonlyArray<string> | undefined
  readonly nowMillis: () => number
  readonly onReleased: (pod: Pod) => void
}

/** Returns the number of opened gates. */
export const releaseGates = async (options: ReleaseOptions): Promise<number> => {
  let released = 0
  for (const namespace of options.namespaces ?? [undefined]) {
    const { items } = await options.cluster.list(resources.pods, namespace === undefined ? {} : { namespace })
    for (const pod of items) if (await releaseGate(options, pod)) released += 1
  }
  return released
}

/** Opens the gates of new Pods until the signal aborts. */
export const keepReleasing = async (options: ReleaseOptions, signal: AbortSignal): Promise<void> => {
  const watchNamespace = async (namespace: string | undefined): Promise<void> => {
    const place = { signal, retries: Infinity, ...(namespace === undefined ? {} : { namespace }) }
    for await (const { type, object } of options.cluster.watch(resources.pods, place))
      if (type !== "DELETED") await releaseGate(options, object as Pod)
  }
  await Promise.all((options.namespaces ?? [undefined]).map(watchNamespace))
}

const triesMax = 10

/** Returns true if it has opened the gate. Tries again with the new version of a Pod that has changed. */
const releaseGate = async (
  { cluster, nowMillis, onReleased }: ReleaseOptions,
  seen: Pod
): Promise<boolean> => {
  const { name, namespace = "default" } = seen.metadata
  let pod = seen
  for (let tries = 1; ; tries += 1) {
    if (!hasApprovalGate(pod) || isApproved(pod) || !isPodActive(pod)) return false
    const approval = { isOpen: true, reason: "Released", message: "by charthouse steer release" }
    try {
      onReleased((await cluster.update(withApproval(pod, approval, nowMillis()), { status: true })) as Pod)
      return true
    } catch (error) {
      if (error instanceof NotFound) return false
      if (!(error instanceof Conflict) || tries === triesMax) throw error
    }
    const latest = await findPod(cluster, { name, namespace })
    if (latest?.metadata.uid !== seen.metadata.uid) return false
    pod = latest
  }
}

const findPod = async (
  cluster: ReleaseOptions["cluster"],
  address: { readonly name: string; readonly namespace: string }
): Promise<Pod | undefined> => {
  try {
    return await cluster.get({ resource: resources.pods, ...address })
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
