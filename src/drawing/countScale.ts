/** The vertical axis of counts, from 0 at the bottom to a round number at the top. */
export interface CountScale {
  readonly y: (count: number) => number
  /** Whole numbers, at most about `ticksMax`. */
  readonly ticks: ReadonlyArray<number>
}

const ticksMax = 4

/** `highest` is above 0; `bottom` and `top` are y positions. */
export const countScale = (highest: number, bottom: number, top: number): CountScale => {
  const end = roundUp(highest)
  const step = roundStep(end / Math.min(ticksMax, Math.max(1, highest)))
  const ticks = Array.from({ length: Math.floor(end / step + tolerance) + 1 }, (_, index) => index * step)
  return {
    y: (count) => bottom * (1 - count / end) + top * (count / end),
    ticks: ticks.filter((value) => Number.isInteger(value))
  }
}

/** Divisions are not exact in binary. */
const tolerance = 1e-9

/** Rounds up to a multiple of the step between ticks, which grows with the result: repeats until both fit. */
const roundUp = (highest: number): number => {
  let end = highest
  for (;;) {
    const step = roundStep(end / ticksMax)
    const next = Math.ceil(end / step - tolerance) * step
    if (next === end) return end
    end = next
  }
}

/** The nearest 1, 2 or 5 times a power of ten. */
const roundStep = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(value))
  const ratio = value / power
  const factor = ratio >= Math.sqrt(50) ? 10 : ratio >= Math.sqrt(10) ? 5 : ratio >= Math.sqrt(2) ? 2 : 1
  return factor * power
}
