import type { GuardInput, GuardReason, GuardReasons } from "./guardReason.ts"
import { guardTerm } from "../../inspect/charts/chartNames.ts"
import { containerReasons } from "./containerReasons.ts"
import { deploymentReasons } from "./deploymentReasons.ts"
import { nodeReasons } from "./nodeReasons.ts"
import { podReasons } from "./podReasons.ts"
import { replicaSetReasons } from "./replicaSetReasons.ts"
import { recreateReasons, rollingUpdateReasons } from "./strategyReasons.ts"
import type { GuardTerm } from "../../inspect/charts/chartNames.ts"

const charts: Readonly<Record<string, GuardReasons>> = {
  deployment: { ...deploymentReasons, ...rollingUpdateReasons, ...recreateReasons },
  replicaSet: replicaSetReasons,
  pod: podReasons,
  container: containerReasons,
  node: nodeReasons
}

/** Whether a guard, or each part of a composed guard, has a reason. */
export const hasGuardReason = (chart: string, guard: unknown): boolean =>
  partsOf(guard).every((name) => reasonNamed(chart, name) !== undefined)

/** The reason of a guard's result; default the guard's name in words. */
export const guardReasonText = ({
  guard,
  chart,
  ...input
}: GuardInput & { guard: unknown; chart: string }): string =>
  partsOf(guard)
    .map((name) => reasonNamed(chart, name)?.(input) ?? toWords(name))
    .join("; ")

const reasonNamed = (chart: string, name: string): GuardReason | undefined => {
  const reasons = charts[chart]
  return reasons !== undefined && Object.hasOwn(reasons, name) ? reasons[name] : undefined
}

const partsOf = (guard: unknown): ReadonlyArray<string> => {
  const term = guardTerm(guard)
  return term === undefined ? [] : namesIn(term)
}

const namesIn = (term: GuardTerm): ReadonlyArray<string> =>
  typeof term === "string" ? [term] : term.parts.flatMap(namesIn)

/** `mayShrinkOld` becomes `may shrink old`. */
const toWords = (name: string): string =>
  (name.split(".").at(-1) ?? name).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
