import type { ZoomSpan } from "./timelineLayout.ts"
import type { TimeScale } from "../../../drawing/timeScale.ts"

const spanMillisMin = 20

/**
 * Undefined when all is visible. Zooms in by drawn distance, because quiet stretches of time are drawn shorter. Zooms
 * out by time.
 */
export const zoomedSpan = (options: {
  readonly scale: TimeScale
  /** Above 1 to zoom out. */
  readonly factor: number
  readonly aroundMillis: number
  readonly whole: readonly [fromMillis: number, toMillis: number]
}): ZoomSpan | undefined => {
  const { scale, factor, aroundMillis, whole } = options
  const [left, right] = [scale.x(scale.beginMillis), scale.x(scale.endMillis)]
  const center = Math.max(scale.beginMillis, Math.min(scale.endMillis, aroundMillis))
  const [fromMillis, toMillis] =
    factor < 1
      ? [left, right].map((edge) => scale.millisAt(scale.x(center) + (edge - scale.x(center)) * factor))
      : [scale.beginMillis, scale.endMillis].map((edge) => center + (edge - center) * factor)
  const from = Math.max(whole[0], fromMillis ?? whole[0])
  const to = Math.min(whole[1], Math.max(toMillis ?? whole[1], from + spanMillisMin))
  return from <= whole[0] && to >= whole[1] ? undefined : { fromMillis: from, toMillis: to }
}

export const centeredSpan = ({ fromMillis, toMillis }: ZoomSpan, atMillis: number): ZoomSpan => {
  const half = (toMillis - fromMillis) / 2
  return { fromMillis: atMillis - half, toMillis: atMillis + half }
}
