import type { Draft, OpenCluster, OpenOptions } from "charthouse"

/** A Deployment as small as can be. */
export const manifest = (
  replicas: number,
  version: string,
  name = "web"
): Draft & { readonly spec: object } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "app", image: `registry.example/app:${version}` }] }
    }
  }
})

/** Nodes enough for a rollout of so many Pods with its surge. */
export const nodesFor = (pods: number): number => Math.ceil((pods * 1.3) / 100) + 1

export const open = async (pods: number, options: OpenOptions = {}): Promise<OpenCluster> => {
  const { openCluster } = await import("charthouse")
  return openCluster({ nodes: nodesFor(pods), ...options })
}
