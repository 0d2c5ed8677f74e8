import type * as Effect from "effect/Effect"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { resolveFenceposts } from "../../src/kubernetes/apps/deploymentObservation.ts"
import { rolloutStatus } from "../../src/kubernetes/apps/rolloutStatus.ts"
import { aManifest, change } from "../cluster/worlds.ts"
import { unfinishedBusiness, watchSafety } from "../simulation/oracles.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "../cluster/worlds.ts"

export const deploymentOf = ({ view }: Living): Deployment => {
  const deployment = view.get(resources.deployments, "default/web")
  if (deployment === undefined) throw new Error("the Deployment is gone")
  return deployment
}

/** What is asked of the ReplicaSets, by version: `v1: 3, v2: 1`. */
export const asked = (cluster: Living): string =>
  [...cluster.view.all(resources.replicaSets)]
    .map(({ spec }) => `${spec.template.spec?.containers[0]?.image?.split(":")[1]}: ${spec.replicas}`)
    .sort()
    .join(", ")

/** Pods that have not ended and are not about to, by version: `v1: 3, v2: 1`. */
export const running = (cluster: Living): string => {
  const counts: Record<string, number> = {}
  for (const pod of cluster.view.all(resources.pods)) {
    const version = pod.spec.containers[0]?.image?.split(":")[1] ?? ""
    if (isPodActive(pod)) counts[version] = (counts[version] ?? 0) + 1
  }
  return Object.keys(counts)
    .sort()
    .map((version) => `${version}: ${counts[version]}`)
    .join(", ")
}

export const activePods = ({ view }: Living): number =>
  [...view.all(resources.pods)].filter(isPodActive).length

export const isComplete = (cluster: Living) => (): boolean =>
  rolloutStatus(deploymentOf(cluster)).state === "complete"

export const roll = (cluster: Living, replicas = 3, version = "v2"): Effect.Effect<void> =>
  change(cluster, aManifest({ replicas, version }))

/** Watches a story for what a controller may never do, however it is hindered; answers what it has seen. */
export const watchBounds = (cluster: Living): (() => ReadonlyArray<string>) => watchSafety(cluster, () => "")

/**
 * Watches a story for Pods above desired + surge. A ReplicaSet that is behind with taking Pods away may bring them
 * about, upstream as well: a Deployment counts what it has asked for.
 */
export const watchPods = (cluster: Living): (() => ReadonlyArray<string>) => {
  const over: Array<string> = []
  cluster.onChange(({ resource, type, object }) => {
    if (resource !== resources.pods || type !== "ADDED") return
    const deployment = deploymentOf(cluster)
    const ceiling = deployment.spec.replicas + resolveFenceposts(deployment).surgeMax
    const count = activePods(cluster)
    if (count > ceiling) over.push(`${object.metadata.name} is one of ${count} > ${ceiling}`)
  })
  return () => over
}

/** Pods ever made. */
export const countMade = (cluster: Living): (() => number) => {
  let made = 0
  cluster.onChange(({ resource, type }) => {
    if (resource === resources.pods && type === "ADDED") made += 1
  })
  return () => made
}

/** Nothing was broken on the way, and everything has come to its end. */
export const broken = (cluster: Living, bounds: () => ReadonlyArray<string>): ReadonlyArray<string> => [
  ...bounds(),
  ...unfinishedBusiness(cluster)
]
