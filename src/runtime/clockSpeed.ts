/** As a multiple of the machine's clock. */
export const clockSpeedMax = 1_000_000

/** Parses `10x` or `10`. */
export const parseClockSpeed = (text: string): number | undefined => {
  const speed = /^\d+(?:\.\d+)?x?$/.test(text) ? Number(text.replace("x", "")) : 0
  return speed > 0 && speed <= clockSpeedMax ? speed : undefined
}
