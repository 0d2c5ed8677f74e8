import { boxesIn, connectorOf, signalBox } from "./chartFigure.ts"
import type { ChartState } from "./chartTree.ts"
import type { ChartFigure, FigureArrow, FigureBox } from "./chartFigure.ts"

/**
 * The chart with short arrows only: from one state without child states to another in the same state. Any other arrow
 * ends beside its source, at a connector, which is a box with the name of its target; one that leaves a state with
 * child states (a region) begins inside of it. So each region can be laid out by itself, and no arrow runs through
 * another region. In a region for which `isTooWide` holds, the arrows from signals end at connectors, too, and so do
 * those to a state that chooses where to go on at once: its choices are then drawn below the others, not beside them.
 */
export const withConnectors = (
  { box, arrows }: ChartFigure,
  isTooWide: (region: FigureBox) => boolean = () => false
): ChartFigure => {
  const boxes = new Map(boxesIn(box).map((it) => [it.id, it]))
  const parents = parentsIn(box)
  const added = new Map<string, Map<string, FigureBox>>()
  const isRegion = (id: string): boolean => (boxes.get(id)?.boxes.length ?? 0) > 0
  const add = (outer: string, it: FigureBox): void => {
    const inside = added.get(outer) ?? new Map<string, FigureBox>()
    added.set(outer, inside.set(it.id, it))
  }
  const shortened = arrows.map((arrow): FigureArrow => {
    const { from, to } = arrow
    const [source, target] = [boxes.get(from), boxes.get(to)]
    if (source === undefined || target === undefined) return arrow
    const outer = isRegion(from) ? from : (parents.get(from) ?? from)
    const isShort = parents.get(from) === parents.get(to) && !isRegion(from) && !isRegion(to)
    const region = boxes.get(outer)
    const isToCut = source.kind === "signal" || (source.kind === "state" && choosesAtOnce(target.state))
    if (isShort && !(isToCut && region !== undefined && isTooWide(region))) return arrow
    const begin = isRegion(from) ? signalBox(`${from} leaves`, source.state, []) : source
    const end = connectorOf(`${from} leads to ${to}`, target.state, pathBetween(arrow))
    if (begin !== source) add(outer, begin)
    add(outer, end)
    return { ...arrow, from: begin.id, to: end.id }
  })
  const withAdded = (outer: FigureBox): FigureBox => ({
    ...outer,
    boxes: [...outer.boxes.map(withAdded), ...(added.get(outer.id)?.values() ?? [])]
  })
  return { box: withAdded(box), arrows: shortened }
}

/** Whether a state has several transitions without an event. */
const choosesAtOnce = ({ handlers }: ChartState): boolean =>
  handlers.some(({ event, branches }) => event.kind === "always" && branches.length > 1)

/** The ids of the boxes that boxes are directly in. */
export const parentsIn = (box: FigureBox): ReadonlyMap<string, string> =>
  new Map(boxesIn(box).flatMap((outer) => outer.boxes.map(({ id }) => [id, outer.id])))

/** The target's path below the innermost state that has both ends of the arrow. */
const pathBetween = ({ from, to, transition }: FigureArrow): string => {
  const [source, target] = [(transition?.source.id ?? from).split("."), to.split(".")]
  const common = target.findIndex((key, index) => source[index] !== key)
  return target.slice(common === -1 ? -1 : common).join(".")
}
