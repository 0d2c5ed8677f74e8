import { Expired } from "../../src/store/storeErrors.ts"
import { isTransientError } from "../../src/client/clientErrors.ts"
import type { Change } from "../../src/store/objectStore.ts"
import type { GroupResource } from "../../src/kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { RemoteCluster } from "../../src/client/remoteCluster.ts"

type Followed =
  | { readonly type: "all"; readonly objects: ReadonlyArray<KubeObject> }
  | { readonly type: "change"; readonly change: Change }

interface FollowOptions {
  readonly namespace: string
  readonly signal: AbortSignal
  /** The API server no longer answers. */
  readonly onLost?: () => void
}

/** All objects, then each change; all again when changes were missed, as when the API server was restarted. */
export async function* followObjects(
  cluster: RemoteCluster,
  resource: GroupResource,
  { namespace, signal, onLost }: FollowOptions
): AsyncGenerator<Followed> {
  let isLost = false
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await cluster.list(resource, { namespace })
      isLost = false
      yield { type: "all", objects: items }
      const since = { namespace, signal, resourceVersion, retries: 0 }
      for await (const change of cluster.watch(resource, since)) yield { type: "change", change }
    } catch (error) {
      if (!(error instanceof Expired)) {
        if (!isTransientError(error)) throw error
        if (!isLost) onLost?.()
        isLost = true
      }
      await new Promise((resolve) => setTimeout(resolve, retryMillis))
    }
  }
}

const retryMillis = 500
