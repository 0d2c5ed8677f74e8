import { controllingOwner } from "../../store/ownerLookup.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { workloadReference } from "../workloads.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { ContainerLife, PodLife } from "../../kubernetes/pods/podLife.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { WorkloadId } from "../workloads.ts"

/** `drawn`: the life that the Pod has drawn from its behaviour. */
export type ChangeLife = (pod: Pod, drawn: PodLife, view: Pick<ClusterView["Service"], "get">) => PodLife

type StartTimes = Pick<ContainerLife, "startMillis" | "readyMillis">

interface SlowStarts {
  /** Returns lives unchanged. */
  readonly recordStarts: ChangeLife
  /** All Pods of a Deployment take its longest recorded start, times the factor. */
  readonly slowDown: (factors: ReadonlyMap<WorkloadId, number>) => ChangeLife
}

export const makeSlowStarts = (): SlowStarts => {
  const slowest = new Map<WorkloadId, StartTimes>()
  return {
    recordStarts: (pod, drawn, view) => {
      const id = deploymentIdOf(pod, view)
      if (id === undefined) return drawn
      const { startMillis, readyMillis } = slowest.get(id) ?? { startMillis: 0, readyMillis: 0 }
      const containers = [drawn.otherContainers, ...Object.values(drawn.containers)]
      slowest.set(id, {
        startMillis: Math.max(startMillis, ...containers.map((container) => container.startMillis)),
        readyMillis: Math.max(readyMillis, ...containers.map((container) => container.readyMillis))
      })
      return drawn
    },
    slowDown: (factors) => (pod, drawn, view) => {
      const id = deploymentIdOf(pod, view)
      const factor = id === undefined ? undefined : factors.get(id)
      const times = id === undefined ? undefined : slowest.get(id)
      if (factor === undefined || times === undefined) return drawn
      return withContainers(drawn, {
        startMillis: Math.round(times.startMillis * factor),
        readyMillis: Math.round(times.readyMillis * factor)
      })
    }
  }
}

export const withContainers = (life: PodLife, fields: Partial<ContainerLife>): PodLife => ({
  ...life,
  otherContainers: { ...life.otherContainers, ...fields },
  containers: Object.fromEntries(
    Object.entries(life.containers).map(([name, container]) => [name, { ...container, ...fields }])
  )
})

const deploymentIdOf = (pod: Pod, view: Pick<ClusterView["Service"], "get">): WorkloadId | undefined => {
  const replicaSet = controllingOwner(view, resources.replicaSets, pod)
  const deployment =
    replicaSet === undefined ? undefined : controllingOwner(view, resources.deployments, replicaSet)
  return deployment === undefined
    ? undefined
    : workloadReference(resources.deployments, objectKeyOf(deployment)).id
}
