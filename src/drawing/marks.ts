import { roundToTenth } from "./roundToTenth.ts"

type MarkShape = "circle" | "diamond" | "triangle"

/** An SVG path around the origin; `area` in square pixels. */
export const markPath = (shape: MarkShape, area: number): string => shapes[shape](area)

const shapes: Readonly<Record<MarkShape, (area: number) => string>> = {
  circle: (area) => {
    const radius = roundToTenth(Math.sqrt(area / Math.PI))
    const arc = (x: number): string => `A${radius},${radius},0,1,1,${x},0`
    return `M${radius},0${arc(-radius)}${arc(radius)}`
  },
  diamond: (area) => {
    const ratio = Math.sqrt(1 / 3)
    const height = Math.sqrt(area / (2 * ratio))
    const [x, y] = [roundToTenth(height * ratio), roundToTenth(height)]
    return `M0,${-y}L${x},0L0,${y}L${-x},0Z`
  },
  triangle: (area) => {
    const height = Math.sqrt(area / (3 * Math.sqrt(3)))
    const [x, y] = [roundToTenth(Math.sqrt(3) * height), roundToTenth(height)]
    return `M0,${roundToTenth(-2 * height)}L${x},${y}L${-x},${y}Z`
  }
}
