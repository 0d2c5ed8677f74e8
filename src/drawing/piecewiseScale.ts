/** A piecewise linear function, which is constant outside its points. */
export interface PiecewiseScale {
  readonly at: (value: number) => number
  readonly invert: (position: number) => number
}

interface Point {
  readonly value: number
  readonly position: number
}

/** Needs at least two points, in order. */
export const piecewiseScale = (points: ReadonlyArray<Point>): PiecewiseScale => {
  const values = points.map(({ value }) => value)
  const positions = points.map(({ position }) => position)
  return {
    at: (value) => interpolate(values, positions, value),
    invert: (position) => interpolate(positions, values, position)
  }
}

const interpolate = (from: ReadonlyArray<number>, to: ReadonlyArray<number>, at: number): number => {
  const [first = 0, last = 0] = [from[0], from.at(-1)]
  const bounded = Math.max(first, Math.min(last, at))
  let [low, high] = [0, from.length - 2]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((from[middle] ?? 0) <= bounded) low = middle
    else high = middle - 1
  }
  const [begin = 0, end = 0] = [from[low], from[low + 1]]
  const part = end === begin ? 0.5 : (bounded - begin) / (end - begin)
  return (to[low] ?? 0) * (1 - part) + (to[low + 1] ?? 0) * part
}
