import { isApproved, hasApprovalGate, withApprovalCondition } from "../kubernetes/steering/podApproval.ts"
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

/** Opens the gates of all present Pods, which then need no steering. Returns how many it opened. */
export const openApprovalGates = async (options: ReleaseOptions): Promise<number> => {
  let openedCount = 0
  for (const namespace of options.namespaces ?? [undefined]) {
    const { items } = await options.cluster.list(resources.pods, namespace === undefined ? {} : { namespace })
    for (const pod of items) if (await openApprovalGate(options, pod)) openedCount += 1
  }
  return openedCount
}

export const openGatesOfNewPods = async (options: ReleaseOptions, signal: AbortSignal): Promise<void> => {
  const watchNamespace = async (namespace: string | undefined): Promise<void> => {
    const watchOptions = { signal, retries: Infinity, ...(namespace === undefined ? {} : { namespace }) }
    for await (const { type, object } of options.cluster.watch(resources.pods, watchOptions))
      if (type !== "DELETED") await openApprovalGate(options, object as Pod)
  }
  await Promise.all((options.namespaces ?? [undefined]).map(watchNamespace))
}

const triesMax = 10

/** Returns true if it has opened the gate. Tries again with the new version of a Pod that has changed. */
const openApprovalGate = async (
  { cluster, nowMillis, onReleased }: ReleaseOptions,
  seenPod: Pod
): Promise<boolean> => {
  const { name, namespace = "default" } = seenPod.metadata
  let pod = seenPod
  for (let tries = 1; ; tries += 1) {
    if (!hasApprovalGate(pod) || isApproved(pod) || !isPodActive(pod)) return false
    const approval = { isGateOpen: true, reason: "Released", message: "by charthouse steer release" }
    try {
      onReleased(
        (await cluster.update(withApprovalCondition(pod, approval, nowMillis()), { status: true })) as Pod
      )
      return true
    } catch (error) {
      if (error instanceof NotFound) return false
      if (!(error instanceof Conflict) || tries === triesMax) throw error
    }
    const latest = await findPod(cluster, { name, namespace })
    if (latest?.metadata.uid !== seenPod.metadata.uid) return false
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
