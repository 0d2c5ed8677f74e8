export const countText = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`

export const timesText = (times: number): string => (times === 1 ? "once" : countText(times, "time"))
