import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { replaceFile } from "../replaceFile.ts"
import type { ServedCluster } from "../openCluster.ts"

/** How clients get at a cluster. */
export interface Access {
  readonly url: string
  /** As text. */
  readonly kubeconfig: string
  /** A file with the kubeconfig, for its owner alone; made when it is asked for, gone when the test is over. */
  readonly kubeconfigFile: () => string
}

/** The access to a served cluster, and how to take away what was written for it. */
export const accessTo = ({
  url,
  kubeconfig
}: Pick<ServedCluster, "url" | "kubeconfig">): Access & { readonly forget: () => void } => {
  let folder: string | undefined
  return {
    url,
    kubeconfig,
    kubeconfigFile: () => {
      // Whom it lets in may do everything.
      folder ??= mkdtempSync(join(tmpdir(), "charthouse-"))
      const path = join(folder, "kubeconfig")
      replaceFile(path, kubeconfig, { mode: 0o600 })
      return path
    },
    forget: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      folder = undefined
    }
  }
}
