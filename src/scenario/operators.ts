/** How two numbers can be compared. */
export const operators = ["<", "<=", ">", ">=", "=", "!="] as const

export type Operator = (typeof operators)[number]

/** Whether `a operator b` is so. */
export const compares = (a: number, operator: Operator, b: number): boolean => {
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
