import { boxesIn, connectorOf, signalBox } from "./chartFigure.ts"
import type { ChartState } from "./chartTree.ts"
import type { ChartFigure, FigureArrow, FigureBox } from "./chartFigure.ts"

/**
 * Replaces each arrow across the border of a region (a state with child states) by a connector (a box with the target's
 * name). Then each region can be laid out by itself. In a region that is too wide, arrows from signals (boxes of
 * events), and to states with an eventless choice, are replaced as well.
 */
export const withConnectors = (
  { box, arrows }: ChartFigure,
  isTooWide: (region: FigureBox) => boolean = () => false
): ChartFigure => {
  const boxes = new Map(boxesIn(box).map((it) => [it.id, it]))
  const outerIds = outerIdsByBox(box)
  const addedBoxes = new Map<string, Map<string, FigureBox>>()
  const isRegion = (id: string): boolean => (boxes.get(id)?.boxes.length ?? 0) > 0
  const addBox = (outer: string, it: FigureBox): void => {
    const inside = addedBoxes.get(outer) ?? new Map<string, FigureBox>()
    addedBoxes.set(outer, inside.set(it.id, it))
  }
  const shortenedArrows = arrows.map((arrow): FigureArrow => {
    const { from, to } = arrow
    const [source, target] = [boxes.get(from), boxes.get(to)]
    if (source === undefined || target === undefined) return arrow
    const outer = isRegion(from) ? from : (outerIds.get(from) ?? from)
    const staysInRegion = outerIds.get(from) === outerIds.get(to) && !isRegion(from) && !isRegion(to)
    const region = boxes.get(outer)
    const isCutIfTooWide =
      source.kind === "signal" || (source.kind === "state" && hasEventlessChoice(target.state))
    if (staysInRegion && !(isCutIfTooWide && region !== undefined && isTooWide(region))) return arrow
    // A region's own arrow would begin at its border.
    const beginBox = isRegion(from) ? signalBox({ id: `${from} leaves`, state: source.state }) : source
    const endBox = connectorOf(`${from} leads to ${to}`, target.state, pathBetween(arrow))
    if (beginBox !== source) addBox(outer, beginBox)
    addBox(outer, endBox)
    return { ...arrow, from: beginBox.id, to: endBox.id }
  })
  const withAddedBoxes = (outer: FigureBox): FigureBox => ({
    ...outer,
    boxes: [...outer.boxes.map(withAddedBoxes), ...(addedBoxes.get(outer.id)?.values() ?? [])]
  })
  return { box: withAddedBoxes(box), arrows: shortenedArrows }
}

const hasEventlessChoice = ({ handlers }: ChartState): boolean =>
  handlers.some(({ event, branches }) => event.kind === "always" && branches.length > 1)

export const outerIdsByBox = (box: FigureBox): ReadonlyMap<string, string> =>
  new Map(boxesIn(box).flatMap((outer) => outer.boxes.map(({ id }) => [id, outer.id])))

/** The target's path below the innermost state that has both ends. */
const pathBetween = ({ from, to, transition }: FigureArrow): string => {
  const [source, target] = [(transition?.source.id ?? from).split("."), to.split(".")]
  const firstOwnIndex = target.findIndex((key, index) => source[index] !== key)
  return target.slice(firstOwnIndex === -1 ? -1 : firstOwnIndex).join(".")
}
