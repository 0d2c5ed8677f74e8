export const clockSpeedMax = 1_000_000

/** `10x` or `10`: how many times as fast as real time; undefined if it is no number above 0 up to the limit. */
export const parseClockSpeed = (text: string): number | undefined => {
  const speed = /^\d+(?:\.\d+)?x?$/.test(text) ? Number(text.replace("x", "")) : 0
  return speed > 0 && speed <= clockSpeedMax ? speed : undefined
}
