import type { TimeScale } from "./timeScale.ts"

/** What a drawing shows from a moment on: a strip between two values, or a line at the upper one. */
export interface Strip {
  readonly atMillis: number
  readonly lower: number
  readonly upper: number
}

/**
 * As many points as can be seen: where nothing has changed there is none, and of those that would fall on one place
 * there are the first, the last, the lowest and the highest.
 */
export const thinned = (strips: ReadonlyArray<Strip>, scale: TimeScale): ReadonlyArray<Strip> => {
  const last = strips.at(-1)
  if (last === undefined) return []
  const changed = strips.filter((it, index) => {
    const before = strips[index - 1]
    return before === undefined || it.lower !== before.lower || it.upper !== before.upper
  })
  const kept = changed.length <= pointsMax ? changed : columnsOf(changed, scale).flatMap(visible)
  return [...kept, { ...last, atMillis: scale.endMillis }]
}

const pointsMax = 1500

type Column = readonly [Strip, ...ReadonlyArray<Strip>]

/** Those that fall on the same unit of the drawing. */
const columnsOf = (strips: ReadonlyArray<Strip>, scale: TimeScale): ReadonlyArray<Column> => {
  const columns: Array<[Strip, ...Array<Strip>]> = []
  let place = Number.NaN
  for (const strip of strips) {
    const column = columns.at(-1)
    const own = Math.floor(scale.x(strip.atMillis))
    if (column === undefined || own !== place) columns.push([strip])
    else column.push(strip)
    place = own
  }
  return columns
}

const visible = (column: Column): ReadonlyArray<Strip> => {
  const [first] = column
  const lowest = column.reduce((least, it) => (it.upper < least.upper ? it : least))
  const highest = column.reduce((most, it) => (it.upper > most.upper ? it : most))
  const kept = new Set([first, lowest, highest, column.at(-1)])
  return column.filter((it) => kept.has(it))
}
