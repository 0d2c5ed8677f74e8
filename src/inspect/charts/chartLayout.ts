import { outerIdsByBox, withConnectors } from "./chartConnectors.ts"
import { edgeId, elkGraphOf, isInlineLabel } from "./elkGraph.ts"
import type { ElkNode, LayoutEngine, LayoutPlan, LayoutPoint, NodeBox } from "./elkGraph.ts"
import type { FigureArrow, FigureBox, ChartFigure } from "./chartFigure.ts"

/** Pixels from the top left corner. */
export interface ChartLayout {
  readonly width: number
  readonly height: number
  readonly boxOf: (id: string) => NodeBox
  readonly routeOf: (arrow: FigureArrow) => ArrowRoute
}

export interface ArrowRoute {
  readonly points: ReadonlyArray<LayoutPoint>
  readonly label: NodeBox | undefined
  /** The side of the arrow on which the label is; both if the arrow runs through it. */
  readonly side: "left" | "right" | "both"
}

/** Wider drawings do not fit a laptop's screen. */
const widthMax = 1260
/** The cost of a layout grows with the excess of its width over `widthMax` to this power. */
const widthPower = 4

interface LaidOutFigure {
  /** If it was too wide, connectors (boxes with the target's name) replace arrows across borders of states. */
  readonly figure: ChartFigure
  readonly layout: ChartLayout
}

/** Charts that would be too wide are laid out in rows. */
export const layOutFigure = async (figure: ChartFigure, engine: LayoutEngine): Promise<LaidOutFigure> => {
  const withoutConnectors = await layOutBest(
    figure,
    hasCrossingArrows(figure) ? wholeChartPlans : byStatePlans,
    engine
  )
  if (withoutConnectors.layout.width <= widthMax) return withoutConnectors
  const inRows = await layOutBest(withConnectors(figure), rowPlans, engine)
  const narrower = inRows.layout.width < withoutConnectors.layout.width ? inRows : withoutConnectors
  if (narrower.layout.width <= widthMax) return narrower
  const isTooWide = ({ id }: FigureBox): boolean => inRows.layout.boxOf(id).width > widthMax
  const isInnermostTooWide = (it: FigureBox): boolean => isTooWide(it) && !it.boxes.some(isTooWide)
  const withMoreConnectors = await layOutBest(
    withConnectors(figure, isInnermostTooWide),
    stackedRowPlans,
    engine
  )
  return withMoreConnectors.layout.width < narrower.layout.width ? withMoreConnectors : narrower
}

/** Shorter arrows, fewer bends and less width are better. */
const layOutBest = async (
  figure: ChartFigure,
  plans: ReadonlyArray<LayoutPlan>,
  engine: LayoutEngine
): Promise<LaidOutFigure> => {
  let best: { readonly layout: ChartLayout; readonly cost: number } | undefined
  for (const plan of plans) {
    const layout = layoutOf(await engine.layout(elkGraphOf(figure, plan)))
    const cost = routeCost(figure, layout) * Math.max(1, layout.width / widthMax) ** widthPower
    if (best === undefined || cost < best.cost) best = { layout, cost }
  }
  if (best === undefined) throw new RangeError("nothing has been laid out")
  return { figure, layout: best.layout }
}

/** All states are laid out at once, since arrows cross their borders. */
const wholeChartPlans: ReadonlyArray<LayoutPlan> = [
  { layering: "NETWORK_SIMPLEX", directionByDepth: ["DOWN"] },
  { layering: "LONGEST_PATH", directionByDepth: ["DOWN"] },
  { layering: "NETWORK_SIMPLEX", directionByDepth: ["RIGHT"] },
  { layering: "NETWORK_SIMPLEX", directionByDepth: ["RIGHT", "DOWN"] }
]
const byStatePlans: ReadonlyArray<LayoutPlan> = [
  { directionByDepth: ["RIGHT"] },
  { directionByDepth: ["DOWN", "RIGHT"] },
  { directionByDepth: ["RIGHT", "DOWN"] },
  { directionByDepth: ["RIGHT", "RIGHT", "DOWN"] },
  { directionByDepth: ["DOWN", "DOWN", "RIGHT"] },
  { directionByDepth: ["DOWN"] }
]

/** The engine only approximates the width of rows. */
const rowMargin = 60
const inRowsPlan: LayoutPlan = { directionByDepth: ["RIGHT"], rowWidth: widthMax - rowMargin }
const rowPlans: ReadonlyArray<LayoutPlan> = [inRowsPlan]
/** With more connectors there are more states that no arrow connects. */
const stackedRowPlans: ReadonlyArray<LayoutPlan> = [inRowsPlan, { ...inRowsPlan, stacksUnconnected: true }]

const routeCost = ({ arrows }: ChartFigure, { routeOf }: ChartLayout): number =>
  arrows.reduce((sum, arrow) => {
    const { points } = routeOf(arrow)
    const length = points.reduce((total, point, index) => {
      const before = points[index - 1]
      return before === undefined ? total : total + Math.hypot(point.x - before.x, point.y - before.y)
    }, 0)
    return sum + length + points.length * bendCost
  }, 0)

/** A bend costs as much as this many pixels of an arrow. */
const bendCost = 30

const layoutOf = (graph: ElkNode): ChartLayout => {
  const boxes = new Map<string, NodeBox>()
  const collectBoxes = (node: ElkNode): void => {
    boxes.set(node.id, toNodeBox(node))
    node.children?.forEach(collectBoxes)
  }
  collectBoxes(graph)
  const edges = new Map((graph.edges ?? []).map((edge) => [edge.id, edge]))
  return {
    width: graph.width ?? 0,
    height: graph.height ?? 0,
    boxOf: (id) => boxes.get(id) ?? emptyBox,
    routeOf: (arrow) => {
      const edge = edges.get(edgeId(arrow))
      const [section] = edge?.sections ?? []
      const [label] = edge?.labels ?? []
      if (section === undefined) return { points: [], label: undefined, side: "both" }
      const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]
      if (label === undefined) return { points, label: undefined, side: "both" }
      const labelBox = toNodeBox(label)
      return { points, label: labelBox, side: isInlineLabel(label) ? "both" : sideOf(points, labelBox) }
    }
  }
}

/** The side of the arrow's vertical piece on which the label is. */
const sideOf = (points: ReadonlyArray<LayoutPoint>, { x, y, width, height }: NodeBox): ArrowRoute["side"] => {
  const middle = y + height / 2
  const crossing = points.find((point, index) => {
    const before = points[index - 1]
    return before !== undefined && before.x === point.x && (before.y - middle) * (point.y - middle) <= 0
  })
  if (crossing === undefined) return "both"
  return crossing.x <= x ? "right" : crossing.x >= x + width ? "left" : "both"
}

const emptyBox: NodeBox = { x: 0, y: 0, width: 0, height: 0 }

const toNodeBox = ({ x = 0, y = 0, width = 0, height = 0 }: Partial<NodeBox>): NodeBox => ({
  x,
  y,
  width,
  height
})

const hasCrossingArrows = ({ box, arrows }: ChartFigure): boolean => {
  const outerIds = outerIdsByBox(box)
  return arrows.some(({ from, to }) => outerIds.get(from) !== outerIds.get(to))
}
