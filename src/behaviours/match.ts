import type { Pod } from "../domain/objects.ts"
import type { Behaviour, PodMatch } from "./behaviour.ts"
import { builtInBehaviours } from "./builtIn.ts"

/** A pod that names a behaviour in this annotation lives so, whatever else would match it. */
export const behaviourAnnotation = "charthouse.dev/behaviour"

/**
 * The behaviour a pod lives by: the one its annotation names, else the first whose match holds, else
 * `fallback`. An annotation that names no behaviour gives `fallback` too.
 */
export const behaviourFor = (
  pod: Pod,
  behaviours: ReadonlyArray<Behaviour>,
  fallback: Behaviour
): Behaviour => {
  const name = pod.metadata.annotations?.[behaviourAnnotation]
  if (name !== undefined) return behaviourNamed(name, behaviours) ?? fallback
  for (const behaviour of behaviours) {
    if (behaviour.match !== undefined && matcherOf(behaviour.match)(pod)) return behaviour
  }
  return fallback
}

/** The behaviour of that name: one of these, or a built-in one. */
export const behaviourNamed = (name: string, behaviours: ReadonlyArray<Behaviour>): Behaviour | undefined =>
  behaviours.find((behaviour) => behaviour.name === name) ??
  builtInBehaviours.find((behaviour) => behaviour.name === name)

type Matcher = (pod: Pod) => boolean

const matchers = new WeakMap<PodMatch, Matcher>()

const matcherOf = (match: PodMatch): Matcher => {
  const known = matchers.get(match)
  if (known !== undefined) return known
  const matcher = compileMatch(match)
  matchers.set(match, matcher)
  return matcher
}

const compileMatch = (match: PodMatch): Matcher => {
  const conditions: Array<Matcher> = []
  if (match.name !== undefined) {
    const fits = compileGlob(match.name)
    conditions.push((pod) => fits(pod.metadata.name))
  }
  for (const [label, value] of Object.entries(match.labels ?? {})) {
    conditions.push((pod) => pod.metadata.labels?.[label] === value)
  }
  if (match.image !== undefined) {
    const fits = compileGlob(match.image)
    conditions.push((pod) => pod.spec.containers.some(({ image }) => image !== undefined && fits(image)))
  }
  return (pod) => conditions.every((holds) => holds(pod))
}

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
