import type { Draft, OpenCluster, Pod } from "charthouse"
import { resources } from "charthouse"

/** One line of the story, at the cluster's time. */
export const say = (cluster: OpenCluster, text: string): void => {
  console.log(`${cluster.now().toISOString().slice(11, 19)}  ${text}`)
}

/** The story must go so. When it goes otherwise it ends here, and says what was expected. */
export const expect = (what: string, holds: boolean): void => {
  if (!holds) throw new Error(`expected ${what}`)
}

export const theEnd = (cluster: OpenCluster): void => {
  say(cluster, "The end.")
}

/** A Deployment called web, in some version. `spec` is what shall be different. */
export const web = (version: string, spec: object = {}): Draft & { readonly spec: object } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web", version } },
      spec: { containers: [{ name: "web", image: `registry.example/web:${version}` }] }
    },
    ...spec
  }
})

/** How many Pods of each version there are that nobody has asked to stop. */
export const podsByVersion = async (cluster: OpenCluster): Promise<Readonly<Record<string, number>>> => {
  const { items } = await cluster.list(resources.pods)
  const counts: Record<string, number> = {}
  for (const { metadata } of items) {
    const version = metadata.labels?.["version"] ?? "none"
    if (metadata.deletionTimestamp === undefined) counts[version] = (counts[version] ?? 0) + 1
  }
  return counts
}

/**
 * Watches every change of a Pod, to tell afterwards how few were ready and how many there were at any
 * time.
 */
export const watchPods = (cluster: OpenCluster) => {
  const pods = new Map<string, Pod>()
  const seen = { readyFewest: Infinity, podsMost: 0, versionsMost: 0 }
  cluster.onChange(({ type, resource, object }) => {
    if (resource !== resources.pods) return
    const pod = object as Pod
    if (type === "DELETED") pods.delete(pod.metadata.uid)
    else pods.set(pod.metadata.uid, pod)
    const wanted = [...pods.values()].filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const ready = wanted.filter(({ status }) =>
      status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True")
    )
    seen.podsMost = Math.max(seen.podsMost, wanted.length)
    seen.readyFewest = Math.min(seen.readyFewest, ready.length)
    seen.versionsMost = Math.max(
      seen.versionsMost,
      new Set([...pods.values()].map(({ metadata }) => metadata.labels?.["version"])).size
    )
  })
  return {
    seen,
    /** Forgets the lowest and highest numbers so far. */
    beginAnew: () => Object.assign(seen, { readyFewest: Infinity, podsMost: 0, versionsMost: 0 })
  }
}
