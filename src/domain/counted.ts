/** `1 seed`, `3 seeds`; `plural` where that is more than an s. */
export const counted = (count: number, what: string, plural = `${what}s`): string =>
  `${count} ${count === 1 ? what : plural}`

/** `once`, `3 times` */
export const timesText = (times: number): string => (times === 1 ? "once" : counted(times, "time"))
