import { roleOfInit } from "../domain/containers.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerRole } from "../domain/containers.ts"
import type { Pod } from "../domain/objects.ts"
import type { Behaviour, PodMatch } from "./behaviour.ts"
import { builtInBehaviours } from "./builtIn.ts"

/** A pod that names a behaviour in this annotation lives so, whatever else would match it. */
export const behaviourAnnotation = "charthouse.dev/behaviour"

/**
 * The behaviour a pod lives by: the one its annotation names, else the first whose match holds, else
 * `fallback`. An annotation that names no behaviour gives `fallback` too. Which of its containers live by another,
 * `apartIn` says.
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

/** The behaviour of that name: one of these, or a built-in one. */
export const behaviourNamed = (name: string, behaviours: ReadonlyArray<Behaviour>): Behaviour | undefined =>
  behaviours.find((behaviour) => behaviour.name === name) ??
  builtInBehaviours.find((behaviour) => behaviour.name === name)

/** A container that does not live by its Pod's behaviour as the others do. */
export interface Apart {
  readonly name: string
  readonly role: ContainerRole
  readonly behaviour: Behaviour
  /** How much of it is meant for this very container, whatever it is for: because it is named by its image. */
  readonly meant: "all" | "pull" | "nothing"
}

/**
 * The containers of a Pod that live by another behaviour than it does itself, and the init containers for which one is
 * meant. A behaviour that names an image holds for the containers that have it, and for those that it names itself.
 */
export const apartIn = (
  pod: Pod,
  behaviours: ReadonlyArray<Behaviour>,
  { own, fallback }: { readonly own: Behaviour; readonly fallback: Behaviour }
): ReadonlyArray<Apart> => {
  const { containers, initContainers = [] } = pod.spec
  if (containers.length + initContainers.length === 1) return none
  if (pod.metadata.annotations?.[behaviourAnnotation] !== undefined) return none
  const fitting = behaviours.filter(({ match }) => match !== undefined && matcherOf(match).ofPod(pod))
  const apart = (container: Core.Container, role: ContainerRole): ReadonlyArray<Apart> => {
    const behaviour = fitting.find((it) => holdsFor(it, container, pod)) ?? fallback
    const meant = role === "app" ? "nothing" : meantForInit(behaviour, container, pod)
    return behaviour === own && meant === "nothing"
      ? none
      : [{ name: container.name, role, behaviour, meant }]
  }
  return [
    ...initContainers.flatMap((container) => apart(container, roleOfInit(container))),
    ...containers.flatMap((container) => apart(container, "app"))
  ]
}

/** Of an image that others have who come after it, it is their runs that end and their readiness that is lost. */
const meantForInit = (behaviour: Behaviour, container: Core.Container, { spec }: Pod): Apart["meant"] => {
  if (!hasImage(behaviour, container)) return "nothing"
  return spec.containers.some((other) => hasImage(behaviour, other)) ? "pull" : "all"
}

const none: ReadonlyArray<Apart> = []

const holdsFor = (behaviour: Behaviour, container: Core.Container, pod: Pod): boolean => {
  if (behaviour.match?.image === undefined || hasImage(behaviour, container)) return true
  const { containers, initContainers = [] } = pod.spec
  const isNamed = Object.hasOwn(behaviour.containers ?? {}, container.name)
  return isNamed && [...containers, ...initContainers].some((other) => hasImage(behaviour, other))
}

/** Whether the behaviour names an image, and it is this container's. */
const hasImage = ({ match }: Behaviour, { image = "" }: Core.Container): boolean =>
  match?.image !== undefined && matcherOf(match).ofImage(image)

interface Matcher {
  /** Whether name and labels are as they must be. */
  readonly ofPod: (pod: Pod) => boolean
  readonly ofImage: (image: string) => boolean
}

const matchers = new WeakMap<PodMatch, Matcher>()

const matcherOf = (match: PodMatch): Matcher => {
  const known = matchers.get(match)
  if (known !== undefined) return known
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
 * Whether a text fits a glob, in which `*` stands for any text.
 *
 * Taking the first place for each part leaves the most room for those after it, so nothing is tried twice.
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
      const found = text.indexOf(part, at)
      if (found === -1 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}
