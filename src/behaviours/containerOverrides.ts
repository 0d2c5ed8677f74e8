import { containerLife } from "../kubernetes/pods/containers/containers.ts"
import type { ContainerOverride } from "./matchBehaviours.ts"
import type { Behaviour } from "./behaviour.ts"
import type { ContainerLife, PodLife } from "../kubernetes/pods/podLife.ts"

/** The Pod's life, in which some containers follow another behaviour than the Pod does. */
export const withContainerOverrides = (
  life: PodLife,
  overrides: ReadonlyArray<ContainerOverride>,
  drawLifeBy: (behaviour: Behaviour) => PodLife
): PodLife => {
  if (overrides.length === 0) return life
  // No prototype: a container may be called `constructor`.
  const containers: Record<string, ContainerLife> = Object.assign(Object.create(null), life.containers)
  for (const override of overrides)
    containers[override.name] = lifeOf(override, drawLifeBy(override.behaviour))
  return { ...life, containers }
}

const lifeOf = ({ name, role, scope }: ContainerOverride, drawn: PodLife): ContainerLife => {
  const podDefault = containerLife(drawn, name, role)
  if (scope === "nothing") return podDefault
  const asApp = containerLife(drawn, name, "app")
  return scope === "all" ? asApp : { ...podDefault, pullFailures: asApp.pullFailures }
}
