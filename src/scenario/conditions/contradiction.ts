import { compares } from "../operators.ts"
import type { Clause, ParsedCondition } from "./condition.ts"

/** What of a condition cannot be so at once, whatever there is: `available is never > 5 and < 3`. */
export const contradictionIn = ({ clauses }: ParsedCondition): string | undefined => {
  const groups = new Map<string, Array<Bound>>()
  for (const clause of clauses) {
    if (!isBound(clause)) continue
    const measured = `${clause.subject?.resource ?? ""} ${clause.subject?.key ?? ""} ${clause.measure}`
    groups.set(measured, [...(groups.get(measured) ?? []), clause])
  }
  for (const bounds of groups.values()) {
    if (candidatesOf(bounds).some((count) => bounds.every((bound) => allows(bound, count)))) continue
    const texts = bounds.map(({ operator, amount }) => `${operator} ${amount.value}`)
    return `${bounds[0]?.measure ?? ""} is never ${texts.join(" and ")}`
  }
  return undefined
}

/** A count compared with a number. */
type Bound = Extract<Clause, { readonly type: "comparison" }> & {
  readonly amount: { readonly type: "number"; readonly value: number }
}

const isBound = (clause: Clause): clause is Bound =>
  clause.type === "comparison" && clause.amount.type === "number"

const allows = ({ operator, amount }: Bound, count: number): boolean =>
  compares(count, operator, amount.value)

/** Where any count fits, one of those fits that lie at the bounds, as many beyond as counts may be left out there. */
const candidatesOf = (bounds: ReadonlyArray<Bound>): ReadonlyArray<number> => {
  const reach = bounds.length + 1
  return [
    0,
    ...bounds.flatMap(({ amount }) =>
      Array.from({ length: 2 * reach + 1 }, (_, step) => Math.floor(amount.value) - reach + step)
    )
  ].filter((count) => count >= 0)
}
