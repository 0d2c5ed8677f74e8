export const operators = ["<", "<=", ">", ">=", "=", "!="] as const

export type Operator = (typeof operators)[number]

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
