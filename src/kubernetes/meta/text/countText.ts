/** `1 seed`, `3 seeds`; pass `plural` where it is not formed with s. */
export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`

export const timesText = (times: number): string => (times === 1 ? "once" : countText(times, "time"))
