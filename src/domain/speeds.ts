/** The highest speed of a cluster's clock, as a multiple of real time. */
export const speedMax = 1_000_000

/** Parses a speed such as `60x` or `60`; undefined if invalid. */
export const parseSpeed = (text: string): number | undefined => {
  const speed = /^\d+(?:\.\d+)?x?$/.test(text) ? Number(text.replace("x", "")) : 0
  return speed > 0 && speed <= speedMax ? speed : undefined
}
