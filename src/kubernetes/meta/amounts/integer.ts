import { goQuote } from "../text/goQuote.ts"

/** Parses as Go's `strconv.Atoi` does; undefined for invalid text or a number outside Go's `int`. */
export const parseInteger = (text: string): number | undefined => {
  if (!/^[-+]?[0-9]+$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ""))
  return BigInt.asIntN(64, value) === value ? Number(value) : undefined
}

export const integerProblem = (text: string): string => {
  const why = /^[-+]?[0-9]+$/.test(text) ? "value out of range" : "invalid syntax"
  return `strconv.Atoi: parsing ${goQuote(text)}: ${why}`
}
