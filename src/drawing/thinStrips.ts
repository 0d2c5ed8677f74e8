import type { TimeScale } from "./timeScale.ts"

/** Values that hold from a time on: an area from `lower` to `upper`, or a line at `upper`. */
export interface Strip {
  readonly atMillis: number
  readonly lower: number
  readonly upper: number
}

/**
 * Drops strips that cannot be seen. Each unit of the axis keeps its first and last strip, and those with the lowest and
 * highest `upper`. Areas are stacked, so the area below draws the extremes of `lower`.
 */
export const thinStrips = (strips: ReadonlyArray<Strip>, scale: TimeScale): ReadonlyArray<Strip> => {
  const last = strips.at(-1)
  if (last === undefined) return []
  const changed = strips.filter((it, index) => {
    const before = strips[index - 1]
    return before === undefined || it.lower !== before.lower || it.upper !== before.upper
  })
  const visible = changed.length <= stripsMax ? changed : groupByUnit(changed, scale).flatMap(visibleStrips)
  return [...visible, { ...last, atMillis: scale.endMillis }]
}

/** Up to this number, all strips are drawn. */
const stripsMax = 1500

/** The strips on the same unit of the axis. */
type Column = readonly [Strip, ...ReadonlyArray<Strip>]

const groupByUnit = (strips: ReadonlyArray<Strip>, scale: TimeScale): ReadonlyArray<Column> => {
  const columns: Array<[Strip, ...Array<Strip>]> = []
  let lastUnit = Number.NaN
  for (const strip of strips) {
    const column = columns.at(-1)
    const unit = Math.floor(scale.x(strip.atMillis))
    if (column === undefined || unit !== lastUnit) columns.push([strip])
    else column.push(strip)
    lastUnit = unit
  }
  return columns
}

const visibleStrips = (column: Column): ReadonlyArray<Strip> => {
  const [first] = column
  const lowest = column.reduce((least, it) => (it.upper < least.upper ? it : least))
  const highest = column.reduce((most, it) => (it.upper > most.upper ? it : most))
  const visible = new Set([first, lowest, highest, column.at(-1)])
  return column.filter((it) => visible.has(it))
}
