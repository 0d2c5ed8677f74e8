import { containerLife } from "../domain/containers.ts"
import type { Apart } from "./match.ts"
import type { Behaviour } from "./behaviour.ts"
import type { ContainerLife, PodLife } from "../domain/podLife.ts"

/** How a Pod lives of which some containers live by another behaviour than it does. */
export const livingApart = (
  life: PodLife,
  apart: ReadonlyArray<Apart>,
  /** How the Pod would live by one. */
  by: (behaviour: Behaviour) => PodLife
): PodLife => {
  if (apart.length === 0) return life
  // Without a prototype: a container may well be called `constructor`.
  const containers: Record<string, ContainerLife> = Object.assign(Object.create(null), life.containers)
  for (const one of apart) containers[one.name] = lifeOf(one, by(one.behaviour))
  return { ...life, containers }
}

const lifeOf = ({ name, role, meant }: Apart, from: PodLife): ContainerLife => {
  const usual = containerLife(from, name, role)
  if (meant === "nothing") return usual
  const whole = containerLife(from, name, "app")
  return meant === "all" ? whole : { ...usual, pullFailures: whole.pullFailures }
}
