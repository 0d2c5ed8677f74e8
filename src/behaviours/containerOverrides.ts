import { containerLife } from "../kubernetes/pods/containers/containers.ts"
import type { ContainerOverride } from "./matchBehaviours.ts"
import type { Behaviour } from "./behaviour.ts"
import type { ContainerLife, PodLife } from "../kubernetes/pods/podLife.ts"

export const withContainerOverrides = (
  life: PodLife,
  overrides: ReadonlyArray<ContainerOverride>,
  drawPodLife: (behaviour: Behaviour) => PodLife
): PodLife => {
  if (overrides.length === 0) return life
  // No prototype: a container may be called `constructor`.
  const containers: Record<string, ContainerLife> = Object.assign(Object.create(null), life.containers)
  for (const override of overrides)
    containers[override.name] = containerLifeOf(override, drawPodLife(override.behaviour))
  return { ...life, containers }
}

const containerLifeOf = (
  { name, role, fieldsForInit }: ContainerOverride,
  podLife: PodLife
): ContainerLife => {
  const ownLife = containerLife(podLife, name, role)
  if (fieldsForInit === "none") return ownLife
  const appLife = containerLife(podLife, name, "app")
  return fieldsForInit === "all" ? appLife : { ...ownLife, pullFailures: appLife.pullFailures }
}
