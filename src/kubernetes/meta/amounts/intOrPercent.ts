export type IntOrPercent = number | string

/** Text that is no percentage counts as 0. Source: intstr.go. */
export const resolveIntOrPercent = (options: {
  readonly value: IntOrPercent
  readonly total: number
  readonly round: "up" | "down"
}): number => {
  if (typeof options.value === "number") return options.value
  const percent = /^(\d+)%$/.exec(options.value)?.[1]
  if (percent === undefined) return 0
  const share = (Number(percent) * options.total) / 100
  return options.round === "up" ? Math.ceil(share) : Math.floor(share)
}
