import { randomBytes } from "node:crypto"
import { closeAfterWaits } from "./clusterUnderTest.ts"
import { makeContextKubeconfig } from "../client/contextKubeconfig.ts"
import { makeRealTimers } from "./realTimers.ts"
import { openRemoteCluster } from "../client/remoteCluster.ts"
import { pollMillis, realWaits } from "./realWaits.ts"
import { sleepRealTime, realNow } from "./realTime.ts"
import { systemErrorText } from "../platform/systemErrorText.ts"
import { testObjectCalls } from "./testObjects.ts"
import { toDurationMillis } from "../kubernetes/meta/amounts/durations.ts"
import { trackOwnership, toTestNamespace } from "./testOwnership.ts"
import { withUnsupportedMembers, withUnsupportedToken, LeftBehind } from "./realClusterLimits.ts"
import type { ClusterUnderTest } from "./clusterUnderTest.ts"
import type { Manifest } from "../kubernetes/meta/objects.ts"
import type { OpenCluster } from "../cluster/openCluster.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"
import type { ServedCluster } from "../cluster/calls/clusterCalls.ts"
import type { TestObjectCalls } from "./testObjects.ts"

type SupportedMembers = TestObjectCalls &
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
  const objects = testObjectCalls(remote, ownership)
  const { namespaceOf } = ownership
  const waits = realWaits({ remote, namespaceOf, list: objects.list, closed: closing.signal })
  const close = closeAfterWaits(() => cluster, closeOnce)
  const supported: SupportedMembers = {
    isReal: true,
    canMoveTime: false,
    hasBeenServed: true,
    namespace,
    ...objects,
    ...waits,
    sleep: async (duration) => sleepRealTime(toDurationMillis(duration, "duration")),
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
