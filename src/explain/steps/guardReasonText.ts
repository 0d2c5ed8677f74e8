import { findGuard } from "../../../machines/guards/guard.ts"
import { guardNamesIn, guardTerm, guardText } from "../../inspect/charts/chartNames.ts"
import type { AnyGuardArgs } from "../../../machines/guards/guard.ts"
import type { GuardTerm } from "../../inspect/charts/chartNames.ts"

/** What a guard compares, in numbers; a guard without a reason is described by its name. */
export const guardReasonText = (
  guard: unknown,
  guards: Readonly<Record<string, unknown>>,
  args: AnyGuardArgs
): string => {
  const term = guardTerm(guard)
  if (term === undefined) return ""
  const reasonOf = (name: string): string | undefined => findGuard(guards, name)?.reason?.(args)
  const reasons = guardNamesIn(term).map(reasonOf)
  // A reason states numbers, which are as they are whether its guard holds or not: and, or, not are left out. A guard's
  // name is true only if the guard holds, and so only within the whole expression.
  if (!reasons.includes(undefined)) return reasons.join("; ")
  const inWords = (part: GuardTerm): GuardTerm =>
    typeof part === "string"
      ? (reasonOf(part) ?? toWords(part))
      : { ...part, operands: part.operands.map(inWords) }
  return guardText(inWords(term))
}

/** `may scale down old` for `rollingUpdate.mayScaleDownOld`: a strategy's guards are registered under its name. */
const toWords = (name: string): string =>
  (name.split(".").at(-1) ?? name).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
