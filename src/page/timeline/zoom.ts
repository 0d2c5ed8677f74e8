import type { Span } from "./picture.ts"
import type { TimeScale } from "../../drawing/timeScale.ts"

const shortestMillis = 20

/**
 * Less or more of the time, so that what stood at a moment stays where it was as drawn; undefined where that is all of
 * it. It goes by what is seen, not by the clock: a stretch that is cut short counts as long as it looks.
 */
export const zoomed = (options: {
  readonly scale: TimeScale
  /** Above 1 for more of the time. */
  readonly factor: number
  readonly aroundMillis: number
  readonly whole: readonly [fromMillis: number, toMillis: number]
}): Span | undefined => {
  const { scale, factor, aroundMillis, whole } = options
  const [left, right] = [scale.x(scale.beginMillis), scale.x(scale.endMillis)]
  const around = Math.max(scale.beginMillis, Math.min(scale.endMillis, aroundMillis))
  const [fromMillis, toMillis] =
    factor < 1
      ? [left, right].map((edge) => scale.millisAt(scale.x(around) + (edge - scale.x(around)) * factor))
      : [scale.beginMillis, scale.endMillis].map((edge) => around + (edge - around) * factor)
  const from = Math.max(whole[0], fromMillis ?? whole[0])
  const to = Math.min(whole[1], Math.max(toMillis ?? whole[1], from + shortestMillis))
  return from <= whole[0] && to >= whole[1] ? undefined : { fromMillis: from, toMillis: to }
}

/** A span as long as before in whose middle a moment lies. */
export const clampSpan = ({ fromMillis, toMillis }: Span, atMillis: number): Span => {
  const half = (toMillis - fromMillis) / 2
  return { fromMillis: atMillis - half, toMillis: atMillis + half }
}
