const cellCount = 5
const levels = "▁▂▃▄▅▆▇"

/** Five cells and the figures: `▇▇▇▆▁ 15/20`. */
export const countBar = (count: number, total: number): string => {
  const filledCells = total === 0 ? 0 : (count / total) * cellCount
  const cells = Array.from({ length: cellCount }, (_, index) => {
    const part = Math.min(1, Math.max(0, filledCells - index))
    return levels[Math.round(part * (levels.length - 1))]
  })
  return `${cells.join("")} ${count}/${total}`
}
