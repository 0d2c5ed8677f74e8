export const comparisonOperators = ["<", "<=", ">", ">=", "=", "!="] as const

export type ComparisonOperator = (typeof comparisonOperators)[number]

export const compareNumbers = (a: number, operator: ComparisonOperator, b: number): boolean => {
  switch (operator) {
    case "<":
      return a < b
    case "<=":
      return a <= b
    case ">":
      return a > b
    case ">=":
      return a >= b
    case "=":
      return a === b
    case "!=":
      return a !== b
  }
}
