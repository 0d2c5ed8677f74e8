/** As a multiple of the machine's clock. */
export const clockSpeedMax = 1_000_000

/** Parses `10x` or `10`; undefined unless the speed is above 0 and at most `clockSpeedMax`. */
export const parseClockSpeed = (text: string): number | undefined => {
  const speed = /^\d+(?:\.\d+)?x?$/.test(text) ? Number(text.replace("x", "")) : 0
  return speed > 0 && speed <= clockSpeedMax ? speed : undefined
}
