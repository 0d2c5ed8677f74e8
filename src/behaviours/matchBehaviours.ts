import { initContainerRole } from "../kubernetes/pods/containers/containerRoles.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerRole } from "../kubernetes/pods/containers/containerRoles.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { Behaviour, PodMatch } from "./behaviour.ts"
import { builtInBehaviours } from "./builtInBehaviours.ts"

/** A Pod annotation that takes precedence over `match`. */
export const behaviourAnnotation = "charthouse.dev/behaviour"

/** `fallback` is for a Pod without a match, or with an annotation that names no behaviour. */
export const behaviourFor = (
  pod: Pod,
  behaviours: ReadonlyArray<Behaviour>,
  fallback: Behaviour
): Behaviour => {
  const name = pod.metadata.annotations?.[behaviourAnnotation]
  if (name !== undefined) return behaviourNamed(name, behaviours) ?? fallback
  for (const behaviour of behaviours) {
    if (behaviour.match !== undefined && matches(behaviour.match, pod)) return behaviour
  }
  return fallback
}

const matches = (match: PodMatch, pod: Pod): boolean => {
  const { matchesPod, matchesImage } = matcherOf(match)
  return matchesPod(pod) && pod.spec.containers.some(({ image = "" }) => matchesImage(image))
}

export const behaviourNamed = (name: string, behaviours: ReadonlyArray<Behaviour>): Behaviour | undefined =>
  behaviours.find((behaviour) => behaviour.name === name) ??
  builtInBehaviours.find((behaviour) => behaviour.name === name)

export interface ContainerOverride {
  readonly name: string
  readonly role: ContainerRole
  readonly behaviour: Behaviour
  /** The fields that hold for an init container, besides the durations of its pull and start. */
  readonly fieldsForInit: "all" | "pullFailures" | "none"
}

/**
 * A behaviour that matches an image holds for containers with that image and for containers that it names.
 * Containers without a match take `fallback`.
 */
export const containerOverrides = (
  pod: Pod,
  behaviours: ReadonlyArray<Behaviour>,
  { podBehaviour, fallback }: { readonly podBehaviour: Behaviour; readonly fallback: Behaviour }
): ReadonlyArray<ContainerOverride> => {
  const { containers, initContainers = [] } = pod.spec
  if (containers.length + initContainers.length === 1) return noOverrides
  if (pod.metadata.annotations?.[behaviourAnnotation] !== undefined) return noOverrides
  const candidates = behaviours.filter(({ match }) => match !== undefined && matcherOf(match).matchesPod(pod))
  const overridesOf = (container: Core.Container, role: ContainerRole): ReadonlyArray<ContainerOverride> => {
    const behaviour = candidates.find((candidate) => appliesTo(candidate, container, pod)) ?? fallback
    const fieldsForInit = role === "app" ? "none" : chooseFieldsForInit(behaviour, container, pod)
    return behaviour === podBehaviour && fieldsForInit === "none"
      ? noOverrides
      : [{ name: container.name, role, behaviour, fieldsForInit }]
  }
  return [
    ...initContainers.flatMap((container) => overridesOf(container, initContainerRole(container))),
    ...containers.flatMap((container) => overridesOf(container, "app"))
  ]
}

/** If an app container has the same image, exits and flaps are meant for that container. */
const chooseFieldsForInit = (
  behaviour: Behaviour,
  container: Core.Container,
  { spec }: Pod
): ContainerOverride["fieldsForInit"] => {
  if (!hasImage(behaviour, container)) return "none"
  return spec.containers.some((other) => hasImage(behaviour, other)) ? "pullFailures" : "all"
}

const noOverrides: ReadonlyArray<ContainerOverride> = []

const appliesTo = (behaviour: Behaviour, container: Core.Container, pod: Pod): boolean => {
  if (behaviour.match?.image === undefined || hasImage(behaviour, container)) return true
  const { containers, initContainers = [] } = pod.spec
  const isNamed = Object.hasOwn(behaviour.containers ?? {}, container.name)
  return isNamed && [...containers, ...initContainers].some((other) => hasImage(behaviour, other))
}

const hasImage = ({ match }: Behaviour, { image = "" }: Core.Container): boolean =>
  match?.image !== undefined && matcherOf(match).matchesImage(image)

interface Matcher {
  readonly matchesPod: (pod: Pod) => boolean
  readonly matchesImage: (image: string) => boolean
}

const matchers = new WeakMap<PodMatch, Matcher>()

const matcherOf = (match: PodMatch): Matcher => {
  const cached = matchers.get(match)
  if (cached !== undefined) return cached
  const matcher = compileMatch(match)
  matchers.set(match, matcher)
  return matcher
}

const compileMatch = (match: PodMatch): Matcher => {
  const matchesName = match.name === undefined ? anything : compileGlob(match.name)
  const labels = Object.entries(match.labels ?? {})
  return {
    matchesPod: ({ metadata }) =>
      matchesName(metadata.name) && labels.every(([label, value]) => metadata.labels?.[label] === value),
    matchesImage: match.image === undefined ? anything : compileGlob(match.image)
  }
}

const anything = (): boolean => true

/** The first occurrence of each part leaves the most room for later parts: no backtracking is needed. */
export const compileGlob = (glob: string): ((text: string) => boolean) => {
  const [head = "", ...parts] = glob.split("*")
  const tail = parts.pop()
  if (tail === undefined) return (text) => text === glob
  return (text) => {
    const end = text.length - tail.length
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false
    let offset = head.length
    for (const part of parts) {
      const foundAt = text.indexOf(part, offset)
      if (foundAt === -1 || foundAt + part.length > end) return false
      offset = foundAt + part.length
    }
    return true
  }
}
