import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { workloadReference } from "../workloads.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { ContainerLife, PodLife } from "../../kubernetes/pods/podLife.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { WorkloadId } from "../workloads.ts"

/** Another life for a Pod than the one that was drawn. */
export type ChangeLife = (pod: Pod, drawn: PodLife, view: Pick<ClusterView["Service"], "get">) => PodLife

type StartTimes = Pick<ContainerLife, "startMillis" | "readyMillis">

interface SlowStarts {
  /** Notes how long the Pods of each Deployment take to start at the most, and changes nothing. */
  readonly observe: ChangeLife
  /** All Pods of a Deployment start as slowly as its slowest one, times its factor. */
  readonly slowDown: (factors: ReadonlyMap<WorkloadId, number>) => ChangeLife
}

export const makeSlowStarts = (): SlowStarts => {
  const slowest = new Map<WorkloadId, StartTimes>()
  return {
    observe: (pod, drawn, view) => {
      const id = deploymentIdOf(pod, view)
      if (id === undefined) return drawn
      const { startMillis, readyMillis } = slowest.get(id) ?? { startMillis: 0, readyMillis: 0 }
      const containers = [drawn.otherContainers, ...Object.values(drawn.containers)]
      slowest.set(id, {
        startMillis: Math.max(startMillis, ...containers.map((it) => it.startMillis)),
        readyMillis: Math.max(readyMillis, ...containers.map((it) => it.readyMillis))
      })
      return drawn
    },
    slowDown: (factors) => (pod, drawn, view) => {
      const id = deploymentIdOf(pod, view)
      const factor = id === undefined ? undefined : factors.get(id)
      const times = id === undefined ? undefined : slowest.get(id)
      if (factor === undefined || times === undefined) return drawn
      const slower = (container: ContainerLife): ContainerLife => ({
        ...container,
        startMillis: Math.round(times.startMillis * factor),
        readyMillis: Math.round(times.readyMillis * factor)
      })
      return {
        ...drawn,
        otherContainers: slower(drawn.otherContainers),
        containers: Object.fromEntries(
          Object.entries(drawn.containers).map(([name, container]) => [name, slower(container)])
        )
      }
    }
  }
}

const deploymentIdOf = (pod: Pod, view: Pick<ClusterView["Service"], "get">): WorkloadId | undefined => {
  const { namespace } = pod.metadata
  const owner = controllerOf(pod)
  if (owner?.kind !== "ReplicaSet") return undefined
  const replicaSet = view.get(resources.replicaSets, toObjectKey(namespace, owner.name))
  const deployment = replicaSet === undefined ? undefined : controllerOf(replicaSet)
  return deployment?.kind === "Deployment"
    ? workloadReference(resources.deployments, toObjectKey(namespace, deployment.name)).id
    : undefined
}
