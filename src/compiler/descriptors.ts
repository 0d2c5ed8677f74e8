import { selfAndDescendants } from "./stateTree.ts"
import type { AnyStateNode, AnyTransitionDefinition } from "xstate"

/** The events that the states of a chart name. */
export interface EventDescriptors {
  readonly named: ReadonlySet<string>
  /** The most specific first. */
  readonly wildcards: ReadonlyArray<string>
}

export const descriptorsOf = (root: AnyStateNode): EventDescriptors => {
  const named = new Set(selfAndDescendants(root).flatMap(({ transitions }) => [...transitions.keys()]))
  const wildcards = [...named].filter(isWildcard).sort((one, other) => other.length - one.length)
  return { named, wildcards }
}

/** The most specific descriptor first. */
export const transitionDefinitionsFor = (
  { transitions }: AnyStateNode,
  eventType: string
): ReadonlyArray<AnyTransitionDefinition> => {
  const wildcards = [...transitions.keys()]
    .filter((descriptor) => descriptor !== eventType && matchesWildcard(eventType, descriptor))
    .sort((one, other) => other.length - one.length)
  return [eventType, ...wildcards].flatMap((descriptor) => transitions.get(descriptor) ?? [])
}

/** `pod.*` matches `pod`, `pod.ready` and all other types that begin with `pod.`. */
export const matchesWildcard = (eventType: string, descriptor: string): boolean => {
  if (descriptor === "*") return true
  if (!isWildcard(descriptor)) return false
  const prefix = descriptor.slice(0, -2)
  if (prefix.split(".").includes("*")) return false
  return eventType === prefix || eventType.startsWith(`${prefix}.`)
}

const isWildcard = (descriptor: string): boolean => descriptor === "*" || descriptor.endsWith(".*")
