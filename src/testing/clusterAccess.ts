import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { replaceFile } from "../platform/replaceFile.ts"
import type { ServedCluster } from "../cluster/calls/clusterCalls.ts"

export interface Access {
  readonly url: string
  readonly kubeconfig: string
  readonly token: string
  /** A kubeconfig file with mode 0600, deleted after the test. */
  readonly kubeconfigFile: () => string
}

export const makeClusterAccess = (
  served: Pick<ServedCluster, "url" | "kubeconfig" | "token">
): Access & { readonly deleteKubeconfigFile: () => void } => {
  const { url, kubeconfig } = served
  let folder: string | undefined
  return {
    url,
    kubeconfig,
    // A getter, because `token` throws for a real cluster.
    get token() {
      return served.token
    },
    kubeconfigFile: () => {
      folder ??= mkdtempSync(join(tmpdir(), "charthouse-"))
      const path = join(folder, "kubeconfig")
      replaceFile(path, kubeconfig, { mode: 0o600 })
      return path
    },
    deleteKubeconfigFile: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      folder = undefined
    }
  }
}
