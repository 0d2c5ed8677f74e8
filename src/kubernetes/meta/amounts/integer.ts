/**
 * Parses a whole number as Go's `strconv.Atoi` does: digits with an optional sign; undefined for other text and for
 * numbers that Go's `int` cannot hold.
 */
export const parseInteger = (text: string): number | undefined => {
  if (!/^[-+]?[0-9]+$/.test(text)) return undefined
  const value = BigInt(text.replace(/^\+/, ""))
  return BigInt.asIntN(64, value) === value ? Number(value) : undefined
}

/** What Go's `strconv.Atoi` says of a text that it cannot parse. */
export const integerProblem = (text: string): string => {
  const why = /^[-+]?[0-9]+$/.test(text) ? "value out of range" : "invalid syntax"
  return `strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`
}
