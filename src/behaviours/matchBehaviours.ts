import { initContainerRole } from "../kubernetes/pods/containers/containers.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerRole } from "../kubernetes/pods/containers/containers.ts"
import type { Pod } from "../kubernetes/meta/objects.ts"
import type { Behaviour, PodMatch } from "./behaviour.ts"
import { builtInBehaviours } from "./builtInBehaviours.ts"

/** A Pod annotation that names the Pod's behaviour; it takes precedence over `match`. */
export const behaviourAnnotation = "charthouse.dev/behaviour"

/**
 * The behaviour of a Pod: the one its annotation names, else the first whose `match` holds, else `fallback`. An
 * annotation with an unknown name gives `fallback` too. See `containerOverrides` for single containers.
 */
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
  const { ofPod, ofImage } = matcherOf(match)
  return ofPod(pod) && pod.spec.containers.some(({ image = "" }) => ofImage(image))
}

export const behaviourNamed = (name: string, behaviours: ReadonlyArray<Behaviour>): Behaviour | undefined =>
  behaviours.find((behaviour) => behaviour.name === name) ??
  builtInBehaviours.find((behaviour) => behaviour.name === name)

export interface ContainerOverride {
  readonly name: string
  readonly role: ContainerRole
  readonly behaviour: Behaviour
  /** Which fields hold for the container as they would for an app container: all, those of pulls only, or none. */
  readonly scope: "all" | "pull" | "nothing"
}

/**
 * Containers that follow another behaviour than their Pod, and init containers whose image a behaviour matches. A
 * behaviour that matches an image holds for containers with that image and for containers that it names.
 */
export const containerOverrides = (
  pod: Pod,
  behaviours: ReadonlyArray<Behaviour>,
  { own, fallback }: { readonly own: Behaviour; readonly fallback: Behaviour }
): ReadonlyArray<ContainerOverride> => {
  const { containers, initContainers = [] } = pod.spec
  if (containers.length + initContainers.length === 1) return none
  if (pod.metadata.annotations?.[behaviourAnnotation] !== undefined) return none
  const candidates = behaviours.filter(({ match }) => match !== undefined && matcherOf(match).ofPod(pod))
  const overridesOf = (container: Core.Container, role: ContainerRole): ReadonlyArray<ContainerOverride> => {
    const behaviour = candidates.find((candidate) => holdsFor(candidate, container, pod)) ?? fallback
    const scope = role === "app" ? "nothing" : initScope(behaviour, container, pod)
    return behaviour === own && scope === "nothing"
      ? none
      : [{ name: container.name, role, behaviour, scope }]
  }
  return [
    ...initContainers.flatMap((container) => overridesOf(container, initContainerRole(container))),
    ...containers.flatMap((container) => overridesOf(container, "app"))
  ]
}

/**
 * If a later app container has the same image, exits and flaps are meant for that container, not for the init
 * container.
 */
const initScope = (
  behaviour: Behaviour,
  container: Core.Container,
  { spec }: Pod
): ContainerOverride["scope"] => {
  if (!hasImage(behaviour, container)) return "nothing"
  return spec.containers.some((other) => hasImage(behaviour, other)) ? "pull" : "all"
}

const none: ReadonlyArray<ContainerOverride> = []

const holdsFor = (behaviour: Behaviour, container: Core.Container, pod: Pod): boolean => {
  if (behaviour.match?.image === undefined || hasImage(behaviour, container)) return true
  const { containers, initContainers = [] } = pod.spec
  const isNamed = Object.hasOwn(behaviour.containers ?? {}, container.name)
  return isNamed && [...containers, ...initContainers].some((other) => hasImage(behaviour, other))
}

const hasImage = ({ match }: Behaviour, { image = "" }: Core.Container): boolean =>
  match?.image !== undefined && matcherOf(match).ofImage(image)

interface Matcher {
  readonly ofPod: (pod: Pod) => boolean
  readonly ofImage: (image: string) => boolean
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
  const fitsName = match.name === undefined ? anything : compileGlob(match.name)
  const labels = Object.entries(match.labels ?? {})
  return {
    ofPod: ({ metadata }) =>
      fitsName(metadata.name) && labels.every(([label, value]) => metadata.labels?.[label] === value),
    ofImage: match.image === undefined ? anything : compileGlob(match.image)
  }
}

const anything = (): boolean => true

/**
 * Compiles a glob in which `*` stands for any text. Taking the first occurrence of each part leaves the most room
 * for later parts, so no backtracking is needed.
 */
export const compileGlob = (glob: string): ((text: string) => boolean) => {
  const [head = "", ...parts] = glob.split("*")
  const tail = parts.pop()
  if (tail === undefined) return (text) => text === glob
  return (text) => {
    const end = text.length - tail.length
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false
    let at = head.length
    for (const part of parts) {
      const foundAt = text.indexOf(part, at)
      if (foundAt === -1 || foundAt + part.length > end) return false
      at = foundAt + part.length
    }
    return true
  }
}
