import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { resolveFenceposts } from "../../src/kubernetes/apps/rolloutBounds.ts"
import { isPodActive } from "../../src/kubernetes/pods/podState.ts"
import { rolloutStatus } from "../../src/kubernetes/apps/rolloutStatus.ts"
import type { Change } from "../../src/store/objectStore.ts"
import type { ClusterService } from "../cluster/testCluster.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../../src/kubernetes/meta/objects.ts"

/**
 * What must hold at every change.
 *
 * S1  A controller never raises the number of Pods asked for above desired + surge.
 * S2  A rolling update takes no Pod away that availability cannot spare.
 * S3  Under Recreate no ReplicaSet of the new revision asks for Pods while another still does.
 * S4  Resource versions grow with every change.
 * S5  A deleted object does not change.
 */
export const watchSafety = (cluster: ClusterService, where: () => string): (() => ReadonlyArray<string>) => {
  const violations: Array<string> = []
  const deletedUids = new Set<string>()
  let version = 0
  cluster.onChange((change) => {
    if (change.resourceVersion <= version)
      violations.push(`${where()} S4 ${change.resourceVersion} after ${version}`)
    version = change.resourceVersion
    if (deletedUids.has(change.object.metadata.uid))
      violations.push(`${where()} S5 ${change.object.metadata.name}`)
    if (change.type === "DELETED") deletedUids.add(change.object.metadata.uid)
    if (change.resource === resources.replicaSets && change.type !== "DELETED") {
      violations.push(...checkReplicaSet(cluster, change).map((broken) => `${where()} ${broken}`))
    }
  })
  return () => violations
}

const total = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + it.spec.replicas, 0)
const available = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + (it.status.availableReplicas ?? 0), 0)

const checkReplicaSet = ({ view }: ClusterService, { object, old }: Change): ReadonlyArray<string> => {
  const replicaSet = object as KubeObject & ReplicaSet
  const before = old as (KubeObject & ReplicaSet) | undefined
  const change = replicaSet.spec.replicas - (before?.spec.replicas ?? 0)
  const owner = controllerOf(replicaSet)
  const deployment = view.get(resources.deployments, `default/${owner?.name ?? ""}`)
  if (change === 0 || deployment === undefined || deployment.metadata.uid !== owner?.uid) return []
  const family = view.controlled(resources.replicaSets, deployment.metadata.uid)
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  const ceiling = deployment.spec.replicas + surgeMax
  const broken: Array<string> = []
  if (change > 0 && total(family) > ceiling) {
    broken.push(`S1 ${replicaSet.metadata.name}: asked for ${total(family)} > ${ceiling}`)
  }
  const idle = before === undefined ? 0 : before.spec.replicas - (before.status.availableReplicas ?? 0)
  const good = Math.max(0, -change - Math.max(0, idle))
  const floor = deployment.spec.replicas - unavailableMax
  const isRolling = deployment.spec.strategy.type === "RollingUpdate" && !isScaled(deployment, replicaSet)
  if (change < 0 && isRolling && good > 0 && available(family) - good < floor) {
    broken.push(`S2 ${replicaSet.metadata.name}: ${available(family)} - ${good} available < ${floor}`)
  }
  const active = family.filter((it) => it.spec.replicas > 0)
  if (
    change > 0 &&
    deployment.spec.strategy.type === "Recreate" &&
    before === undefined &&
    active.length > 1
  ) {
    broken.push(`S3 ${replicaSet.metadata.name}: created beside ${active.length - 1}`)
  }
  return broken
}

/** A scaled Deployment shrinks at once; that is no step of a rolling update. */
const isScaled = (deployment: Deployment, replicaSet: ReplicaSet): boolean =>
  deployment.spec.paused === true || replicaSet.spec.replicas >= deployment.spec.replicas

/** L1  When the faults have stopped, every rollout completes and no Pod is left over. */
export const unfinishedRollouts = ({ view }: ClusterService): ReadonlyArray<string> => {
  const unfinished: Array<string> = []
  for (const deployment of view.all(resources.deployments)) {
    const { state, message } = rolloutStatus(deployment)
    if (state !== "complete") unfinished.push(`L1 ${message}`)
    const pods = view
      .controlled(resources.replicaSets, deployment.metadata.uid)
      .flatMap((it) => view.controlled(resources.pods, it.metadata.uid))
    const active = pods.filter(isPodActive)
    if (active.length !== deployment.spec.replicas) {
      unfinished.push(
        `L1 ${deployment.metadata.name} has ${active.length} Pods, not ${deployment.spec.replicas}`
      )
    }
    if (pods.some(isTerminating)) unfinished.push(`L1 ${deployment.metadata.name} has Pods that never end`)
  }
  return unfinished
}
