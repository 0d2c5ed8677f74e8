import { guardTerm } from "../../charts/words.ts"
import { containerReasons } from "./container.ts"
import { deploymentReasons } from "./deployment.ts"
import { nodeReasons } from "./node.ts"
import { podReasons } from "./pod.ts"
import { replicaSetReasons } from "./replicaSet.ts"
import { recreateReasons, rollingUpdateReasons } from "./strategies.ts"
import type { GuardTerm } from "../../charts/words.ts"

/** What a guard was asked about. */
export interface Asked {
  readonly context: unknown
  readonly event: { readonly type: string }
}

/** Tells in numbers what a guard is about, whether it holds or not. */
export type Reason = (asked: Asked) => string
export type Reasons = Readonly<Record<string, Reason>>

const charts: Readonly<Record<string, Reasons>> = {
  deployment: { ...deploymentReasons, ...rollingUpdateReasons, ...recreateReasons },
  replicaSet: replicaSetReasons,
  pod: podReasons,
  container: containerReasons,
  node: nodeReasons
}

/** Whether a guard of a chart has a reason of its own; what is made of several has where all of them have. */
export const hasReason = (chart: string, guard: unknown): boolean =>
  partsOf(guard).every((name) => reasonNamed(chart, name) !== undefined)

/** The reason for the answer of a guard; one without words of its own is told by its name. */
export const reasonFor = ({ guard, chart, ...asked }: Asked & { guard: unknown; chart: string }): string =>
  partsOf(guard)
    .map((name) => reasonNamed(chart, name)?.(asked) ?? inWords(name))
    .join("; ")

const reasonNamed = (chart: string, name: string): Reason | undefined => {
  const reasons = charts[chart]
  return reasons !== undefined && Object.hasOwn(reasons, name) ? reasons[name] : undefined
}

/** The names of the guards that one is made of. */
const partsOf = (guard: unknown): ReadonlyArray<string> => {
  const term = guardTerm(guard)
  return term === undefined ? [] : namesIn(term)
}

const namesIn = (term: GuardTerm): ReadonlyArray<string> =>
  typeof term === "string" ? [term] : term.parts.flatMap(namesIn)

/** `mayShrinkOld` as `may shrink old`. */
const inWords = (name: string): string =>
  (name.split(".").at(-1) ?? name).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
