import { openCluster } from "../../src/cluster/openCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

interface AppOptions {
  readonly version?: string
  readonly replicas: number
  readonly spec?: object
  readonly podSpec?: object
}

const appManifest = (name: string, options: AppOptions): Draft & { readonly spec: object } => {
  const { version = "1.0", replicas } = options
  const labels = { app: name }
  const containers = [{ name: "app", image: `registry.example/${name}:${version}` }]
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, ...options.podSpec } },
      ...options.spec
    }
  }
}

const lostNode = "node-3"
const onLostNode = { nodeSelector: { "kubernetes.io/hostname": lostNode } }

/**
 * A cluster in which four of many Deployments are sick: `tills` crashes with every Pod, `search` rolls out an image
 * that cannot be pulled, `ledger` has all its Pods on a lost node, and `quotes` is paused in the middle of a rollout.
 */
export const openSickFleet = async (
  { deployments, replicas }: { readonly deployments: number; readonly replicas: number },
  options: { readonly why?: boolean } = {}
): Promise<OpenCluster> => {
  const tills = { name: "tills", match: { image: "registry.example/tills:*" } }
  const cluster = await openCluster({
    record: true,
    ...options,
    nodes: Math.max(4, Math.ceil((deployments * replicas) / 100)),
    behaviours: [{ ...tills, exit: { after: "3m", code: 137, reason: "OOMKilled", times: "forever" } }]
  })
  const healthy = Array.from(
    { length: deployments - 4 },
    (_, index) => `app-${String(index).padStart(3, "0")}`
  )
  await cluster.create(appManifest("ledger", { replicas, podSpec: onLostNode }))
  await cluster.advance("10s")
  // The other Deployments lose no Pod with the node.
  await cluster.patch({ resource: resources.nodes, name: lostNode }, { spec: { unschedulable: true } })
  for (const name of [...healthy, "tills", "search", "quotes"])
    await cluster.create(appManifest(name, { replicas }))
  await cluster.advance("2m")
  await cluster.apply(appManifest("search", { replicas, version: "broken" }))
  await cluster.fault({
    fault: "pullFails",
    image: "registry.example/search:broken",
    error: "manifest unknown"
  })
  await cluster.apply(appManifest("quotes", { replicas, version: "2.0" }))
  await cluster.advance("2s")
  await cluster.apply(appManifest("quotes", { replicas, version: "2.0", spec: { paused: true } }))
  await cluster.fault({ fault: "nodeLost", node: lostNode })
  await cluster.advance("4m")
  return cluster
}

/** A cluster whose only Deployment has no Pod that serves. */
export const openOutage = async (): Promise<OpenCluster> => {
  const cluster = await openCluster({
    record: true,
    why: true,
    nodes: 3,
    behaviours: [
      {
        name: "shop",
        match: { image: "registry.example/shop:*" },
        exit: { after: "1m", code: 137, reason: "OOMKilled", times: "forever" }
      }
    ]
  })
  await cluster.create(appManifest("shop", { replicas: 20 }))
  await cluster.advance("5m")
  return cluster
}
