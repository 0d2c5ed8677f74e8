export const speedMax = 1_000_000

export const parseSpeed = (text: string): number | undefined => {
  const speed = /^\d+(?:\.\d+)?x?$/.test(text) ? Number(text.replace("x", "")) : 0
  return speed > 0 && speed <= speedMax ? speed : undefined
}
