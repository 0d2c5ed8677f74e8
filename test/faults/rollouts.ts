import type * as Effect from "effect/Effect"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { resolveFenceposts } from "../../src/kubernetes/apps/rolloutBounds.ts"
import { rolloutStatus } from "../../src/kubernetes/apps/rolloutStatus.ts"
import { deploymentManifest, replaceSpec } from "../cluster/testCluster.ts"
import { unfinishedRollouts, watchSafety } from "../simulation/invariants.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../cluster/testCluster.ts"

export const deploymentOf = ({ view }: ClusterService): Deployment => {
  const deployment = view.get(resources.deployments, "default/web")
  if (deployment === undefined) throw new Error("the Deployment is gone")
  return deployment
}

/** spec.replicas of the ReplicaSets by version: `v1: 3, v2: 1`. */
export const specReplicasByVersion = (cluster: ClusterService): string =>
  [...cluster.view.all(resources.replicaSets)]
    .map(({ spec }) => `${spec.template.spec?.containers[0]?.image?.split(":")[1]}: ${spec.replicas}`)
    .sort()
    .join(", ")

/** Active Pods by version: `v1: 3, v2: 1`. */
export const activePodsByVersion = (cluster: ClusterService): string => {
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

export const activePods = ({ view }: ClusterService): number =>
  [...view.all(resources.pods)].filter(isPodActive).length

export const isComplete = (cluster: ClusterService) => (): boolean =>
  rolloutStatus(deploymentOf(cluster)).state === "complete"

export const setVersion = (cluster: ClusterService, replicas = 3, version = "v2"): Effect.Effect<void> =>
  replaceSpec(cluster, deploymentManifest({ replicas, version }))

/** Watches the safety invariants of controllers; returns the violations. */
export const watchBounds = (cluster: ClusterService): (() => ReadonlyArray<string>) =>
  watchSafety(cluster, () => "")

/**
 * Watches for Pods above desired + surge. A ReplicaSet that is late in deleting Pods may exceed it, in Kubernetes as
 * well: a Deployment counts spec.replicas.
 */
export const watchExtraPods = (cluster: ClusterService): (() => ReadonlyArray<string>) => {
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

/** How many Pods were created. */
export const countCreatedPods = (cluster: ClusterService): (() => number) => {
  let created = 0
  cluster.onChange(({ resource, type }) => {
    if (resource === resources.pods && type === "ADDED") created += 1
  })
  return () => created
}

/** Violations of the bounds, and rollouts that are not complete. */
export const violationsAndUnfinished = (
  cluster: ClusterService,
  bounds: () => ReadonlyArray<string>
): ReadonlyArray<string> => [...bounds(), ...unfinishedRollouts(cluster)]
