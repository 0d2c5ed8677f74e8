import { compareNumbers } from "./operators.ts"
import type { ConditionClause, ParsedCondition } from "./condition.ts"

/** Returns a text such as `available is never > 5 and < 3`. */
export const findContradiction = ({ clauses }: ParsedCondition): string | undefined => {
  const boundsByMeasure = new Map<string, Array<Bound>>()
  for (const clause of clauses) {
    if (!isBound(clause)) continue
    const measureKey = `${clause.subject?.resource ?? ""} ${clause.subject?.key ?? ""} ${clause.measure}`
    boundsByMeasure.set(measureKey, [...(boundsByMeasure.get(measureKey) ?? []), clause])
  }
  for (const bounds of boundsByMeasure.values()) {
    if (candidatesOf(bounds).some((count) => bounds.every((bound) => allows(bound, count)))) continue
    const texts = bounds.map(({ operator, amount }) => `${operator} ${amount.value}`)
    return `${bounds[0]?.measure ?? ""} is never ${texts.join(" and ")}`
  }
  return undefined
}

type Bound = Extract<ConditionClause, { readonly type: "comparison" }> & {
  readonly amount: { readonly type: "number"; readonly value: number }
}

const isBound = (clause: ConditionClause): clause is Bound =>
  clause.type === "comparison" && clause.amount.type === "number"

const allows = ({ operator, amount }: Bound, count: number): boolean =>
  compareNumbers(count, operator, amount.value)

/** If any count fulfils all bounds, one close to a bound does. Each `!=` may exclude one count. */
const candidatesOf = (bounds: ReadonlyArray<Bound>): ReadonlyArray<number> => {
  const margin = bounds.length + 1
  return [
    0,
    ...bounds.flatMap(({ amount }) =>
      Array.from({ length: 2 * margin + 1 }, (_, step) => Math.floor(amount.value) - margin + step)
    )
  ].filter((count) => count >= 0)
}
