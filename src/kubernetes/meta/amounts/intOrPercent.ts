import { memoizeUpTo } from "../text/memoizeUpTo.ts"

export type IntOrPercent = number | string

/** Text that is no percentage counts as 0. Source: intstr.go. */
export const resolveIntOrPercent = (options: {
  readonly value: IntOrPercent
  readonly total: number
  readonly round: "up" | "down"
}): number => {
  if (typeof options.value === "number") return options.value
  const share = (parsePercent(options.value) * options.total) / 100
  return options.round === "up" ? Math.ceil(share) : Math.floor(share)
}

const parsePercent = memoizeUpTo(100, (text: string): number => Number(/^(\d+)%$/.exec(text)?.[1] ?? 0))
