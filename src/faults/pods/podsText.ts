import { ownerKinds, ownersNamedIn } from "./podOwners.ts"
import type { Delay } from "../../behaviours/behaviour.ts"
import type { PodChoice } from "../schemas/faultFields.ts"

/** The subject of a sentence: `2 Pods of Deployment web`. */
export const podsText = (choice: PodChoice, adjective = ""): readonly [text: string, isPlural: boolean] => {
  const { namespace, revision, labels, name, node, count } = choice
  const pairs = Object.entries(labels ?? {}).map(([label, value]) => `${label}=${value}`)
  const qualifiers = [
    ...ownersNamedIn(choice).map(({ field, name: owner }) => `of ${ownerKinds[field]} ${owner}`),
    ...(namespace === undefined ? [] : [`in namespace ${namespace}`]),
    ...(pairs.length === 0 ? [] : [`with ${pairs.join(",")}`]),
    ...(name === undefined ? [] : [`named ${name}`]),
    ...(node === undefined ? [] : [`on ${node}`])
  ]
  const leadingAdjective = revision === undefined ? adjective : `${revision} `
  const isPlural = count !== 1
  const number =
    count === undefined ? (adjective === "" && qualifiers.length === 0 ? "all " : "") : `${count} `
  return [[`${number}${leadingAdjective}${isPlural ? "Pods" : "Pod"}`, ...qualifiers].join(" "), isPlural]
}

/** `5s to 1m`, `about 3s`. */
export const delayText = (delay: Delay): string => {
  if (typeof delay === "string") return delay
  if ("uniform" in delay) return `${delay.uniform[0]} to ${delay.uniform[1]}`
  if ("normal" in delay) return `about ${delay.normal.mean}`
  return `about ${delay.exponential.mean}`
}
