import { findGuard } from "../../../machines/guards/guard.ts"
import { guardNamesIn, guardTerm, guardText } from "../../inspect/charts/chartNames.ts"
import type { AnyGuardArgs } from "../../../machines/guards/guard.ts"
import type { GuardTerm } from "../../inspect/charts/chartNames.ts"

/** A guard without a reason is described by its name. */
export const guardReasonText = (
  guard: unknown,
  guards: Readonly<Record<string, unknown>>,
  args: AnyGuardArgs
): string => {
  const term = guardTerm(guard)
  if (term === undefined) return ""
  const reasonOf = (name: string): string | undefined => findGuard(guards, name)?.reason?.(args)
  const reasons = guardNamesIn(term).map(reasonOf)
  // A reason tells facts, whatever the guard's result: it needs no `and`, `or` or `not`. A name needs them.
  if (!reasons.includes(undefined)) return reasons.join("; ")
  const inWords = (part: GuardTerm): GuardTerm =>
    typeof part === "string"
      ? (reasonOf(part) ?? toWords(part))
      : { ...part, operands: part.operands.map(inWords) }
  return guardText(inWords(term))
}

/** `may scale down old` for `rollingUpdate.mayScaleDownOld`. */
const toWords = (name: string): string =>
  (name.split(".").at(-1) ?? name).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
