import { readFileSync } from "node:fs"
import { join } from "node:path"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { UnusableKubeconfig } from "./clientErrors.ts"
import type { KubeContext } from "./kubeContext.ts"

const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

/**
 * The cluster of the Pod in which this process runs; undefined outside a Pod.
 *
 * Source: client-go/rest/config.go (InClusterConfig).
 */
export const inClusterContext = (
  env: NodeJS.ProcessEnv,
  folder: string = accountFolder
): KubeContext | undefined => {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = env
  if (host === "" || port === "") return undefined
  const read = (name: string): string => {
    try {
      return readFileSync(join(folder, name), "utf8")
    } catch (error) {
      throw new UnusableKubeconfig(
        `this Pod's service account cannot be read: ${errorText(error)}; set automountServiceAccountToken, or give --kubeconfig`
      )
    }
  }
  return {
    name: "in-cluster",
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: read("namespace").trim() || "default",
    ca: read("ca.crt"),
    skipsTlsVerify: false,
    serverName: undefined,
    user: { name: "service account", fields: { tokenFile: join(folder, "token") }, folder }
  }
}
