/** So many times as fast as its own clock is a machine asked to be at the most. */
export const speedMax = 1_000_000

/** How many times as fast a text such as `60x` says, or 60; undefined for what is no speed. */
export const parseSpeed = (text: string): number | undefined => {
  const speed = /^\d+(?:\.\d+)?x?$/.test(text) ? Number(text.replace("x", "")) : 0
  return speed > 0 && speed <= speedMax ? speed : undefined
}
