import { containerGuards } from "../../../machines/containerGuards.ts"
import { deploymentGuards, strategyGuards } from "../../../machines/deploymentGuards.ts"
import { nodeGuards } from "../../../machines/nodeGuards.ts"
import { podGuards } from "../../../machines/podGuards.ts"
import { replicaSetGuards } from "../../../machines/replicaSetGuards.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { guardWords } from "../../inspect/charts/guardWords.ts"
import type { GuardTerm } from "../../inspect/charts/chartNames.ts"

const guardsByChart = new Map<string, Readonly<Record<string, unknown>>>([
  ["deployment", { ...deploymentGuards, ...strategyGuards(builtInStrategies) }],
  ["replicaSet", replicaSetGuards],
  ["pod", podGuards],
  ["container", containerGuards],
  ["node", nodeGuards]
])

/** What a guard means, in the words of the drawing; its name if it has none. */
export const guardMeaning = (chart: string, name: string): string => {
  const guards = guardsByChart.get(chart)
  const term = parseTerm(name)
  return (guards === undefined || term === undefined ? undefined : guardWords(guards, term)) ?? name
}

/** Parses a guard as a step has it: `isKnownLost and not isServing`. Undefined for nested operators. */
const parseTerm = (text: string): GuardTerm | undefined => {
  if (text.includes("(")) return undefined
  for (const operator of ["or", "and"] as const) {
    const texts = text.split(` ${operator} `)
    if (texts.length > 1) return { operator, parts: texts.flatMap((part) => parseTerm(part) ?? []) }
  }
  return text.startsWith("not ") ? { operator: "not", parts: [text.slice("not ".length)] } : text
}
