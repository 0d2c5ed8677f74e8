import { controllingOwner } from "../../store/ownerLookup.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { containerLife } from "../../kubernetes/pods/containers/containers.ts"
import { initContainerRole } from "../../kubernetes/pods/containers/containerRoles.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { workloadReference } from "../workloads.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { ContainerLife, PodLife } from "../../kubernetes/pods/podLife.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { WorkloadId } from "../workloads.ts"

/** `drawnLife`: the life that the Pod has drawn from its behaviour. */
export type ChangeLife = (pod: Pod, drawnLife: PodLife, view: Pick<ClusterView["Service"], "get">) => PodLife

type StartTimes = Pick<ContainerLife, "startMillis" | "readyMillis">

interface SlowStarts {
  /** Returns lives unchanged. */
  readonly recordStarts: ChangeLife
  /** Each container of a Deployment's Pods takes its longest recorded start, times the factor. */
  readonly slowDown: (factors: ReadonlyMap<WorkloadId, number>) => ChangeLife
}

export const makeSlowStarts = (): SlowStarts => {
  const slowest = new Map<WorkloadId, Map<string, StartTimes>>()
  return {
    recordStarts: (pod, drawnLife, view) => {
      const id = deploymentIdOf(pod, view)
      if (id === undefined) return drawnLife
      const byName = slowest.get(id) ?? new Map<string, StartTimes>()
      for (const [name, life] of containerLives(pod, drawnLife)) {
        const { startMillis, readyMillis } = byName.get(name) ?? life
        byName.set(name, {
          startMillis: Math.max(startMillis, life.startMillis),
          readyMillis: Math.max(readyMillis, life.readyMillis)
        })
      }
      slowest.set(id, byName)
      return drawnLife
    },
    slowDown: (factors) => (pod, drawnLife, view) => {
      const id = deploymentIdOf(pod, view)
      const factor = id === undefined ? undefined : factors.get(id)
      const byName = id === undefined ? undefined : slowest.get(id)
      if (factor === undefined || byName === undefined) return drawnLife
      const slowed = containerLives(pod, drawnLife).map(([name, life]) => {
        const { startMillis, readyMillis } = byName.get(name) ?? life
        const times = {
          startMillis: Math.round(startMillis * factor),
          readyMillis: Math.round(readyMillis * factor)
        }
        return [name, { ...life, ...times }] as const
      })
      return { ...drawnLife, containers: { ...drawnLife.containers, ...Object.fromEntries(slowed) } }
    }
  }
}

const containerLives = ({ spec }: Pod, life: PodLife): ReadonlyArray<readonly [string, ContainerLife]> => [
  ...(spec.initContainers ?? []).map(
    (it) => [it.name, containerLife(life, it.name, initContainerRole(it))] as const
  ),
  ...spec.containers.map(({ name }) => [name, containerLife(life, name, "app")] as const)
]

export const withChangedContainers = (life: PodLife, fields: Partial<ContainerLife>): PodLife => ({
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
