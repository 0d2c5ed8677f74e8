import { parseInteger } from "../meta/amounts/integer.ts"
import { goQuote } from "../meta/text/goQuote.ts"

export type IndexCount = { readonly count: number } | { readonly problem: string }

/**
 * The list must rise and stay below `completions`. Source: pkg/apis/batch/validation/validation.go
 * (validateIndexesFormat).
 */
export const countIndexes = (text: string, completions: number): IndexCount => {
  if (text === "") return { count: 0 }
  let count = 0
  let last: number | undefined
  for (const fragment of text.split(",")) {
    const interval = parseInterval(fragment, completions)
    if ("problem" in interval) return interval
    const [first, end] = interval.bounds
    if (last !== undefined && last >= first) return notRising(last, first)
    count += end - first + 1
    last = end
  }
  return { count }
}

const notRising = (previous: number, current: number) => ({
  problem: `non-increasing order, previous: ${previous}, current: ${current}`
})

type Interval = { readonly bounds: readonly [first: number, last: number] } | { readonly problem: string }

const parseInterval = (fragment: string, completions: number): Interval => {
  const [low = "", high, ...more] = fragment.split("-")
  if (more.length > 0) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'"
    return { problem: `the fragment ${goQuote(fragment)} ${rule}` }
  }
  const problem =
    indexProblem(low, completions) ?? (high === undefined ? undefined : indexProblem(high, completions))
  if (problem !== undefined) return { problem }
  const first = parseInteger(low) ?? 0
  if (high === undefined) return { bounds: [first, first] }
  const end = parseInteger(high) ?? 0
  return first >= end ? notRising(first, end) : { bounds: [first, end] }
}

const indexProblem = (text: string, completions: number): string | undefined => {
  const index = parseInteger(text)
  if (index === undefined) return `cannot convert string to integer for index: ${goQuote(text)}`
  return index >= completions ? `too large index: ${goQuote(text)}` : undefined
}
