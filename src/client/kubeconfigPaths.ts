import { homedir } from "node:os"
import { delimiter, join } from "node:path"

/** Source: client-go/tools/clientcmd/loader.go (NewDefaultClientConfigLoadingRules). */
export const kubeconfigPaths = (env: NodeJS.ProcessEnv): ReadonlyArray<string> => {
  const envPaths = (env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "")
  return envPaths.length > 0 ? envPaths : [join(homedir(), ".kube", "config")]
}
