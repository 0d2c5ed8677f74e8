import { outerIdsByBox } from "./chartConnectors.ts"
import { boxesIn, lineHeight } from "./chartFigure.ts"
import type { FigureArrow, FigureBox, ChartFigure } from "./chartFigure.ts"

export interface NodeBox {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface LayoutPoint {
  readonly x: number
  readonly y: number
}

/** The used part of the interface of the Eclipse Layout Kernel (ELK). */
export interface LayoutEngine {
  readonly layout: (graph: ElkNode) => Promise<ElkNode>
}

export interface ElkNode extends Partial<NodeBox> {
  readonly id: string
  readonly layoutOptions?: Record<string, string>
  readonly children?: Array<ElkNode>
  readonly edges?: Array<ElkEdge>
}

interface ElkEdge {
  readonly id: string
  readonly sources: Array<string>
  readonly targets: Array<string>
  readonly labels?: Array<ElkLabel>
  readonly sections?: Array<{
    readonly id: string
    readonly startPoint: LayoutPoint
    readonly endPoint: LayoutPoint
    readonly bendPoints?: Array<LayoutPoint>
  }>
  readonly layoutOptions?: Record<string, string>
}

interface ElkLabel extends Partial<NodeBox> {
  readonly text?: string
  readonly layoutOptions?: Record<string, string>
}

type Direction = "RIGHT" | "DOWN"

type Layering = "NETWORK_SIMPLEX" | "LONGEST_PATH"

export interface LayoutPlan {
  /** Where arrows point in the chart, in its states, and so on; the last is for all states further inside. */
  readonly directionByDepth: ReadonlyArray<Direction>
  /** ELK's layering strategy where everything is laid out at once. */
  readonly layering?: Layering
  /** States with child states are placed in rows of this width. */
  readonly rowWidth?: number
  /** Whether unconnected states in rows stand below each other. */
  readonly stacksUnconnected?: boolean
}

export const edgeId = ({ id, to }: FigureArrow): string => `${id} > ${to}`

export const elkGraphOf = ({ box, arrows }: ChartFigure, plan: LayoutPlan): ElkNode => {
  const { layering, directionByDepth } = plan
  const laysOutWholeChart = layering !== undefined
  const parents = outerIdsByBox(box)
  const depthOf = (id: string): number => {
    const parent = parents.get(id)
    return parent === undefined ? 0 : depthOf(parent) + 1
  }
  const directionAround = (id: string) => directionByDepth[depthOf(id) - 1] ?? directionByDepth.at(-1)
  const isLabelInline = ({ from }: FigureArrow): boolean =>
    !laysOutWholeChart && directionAround(from) === "RIGHT"
  return {
    id: "drawing",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": directionByDepth[0] ?? "RIGHT",
      "elk.hierarchyHandling": laysOutWholeChart ? "INCLUDE_CHILDREN" : "SEPARATE_CHILDREN",
      "elk.json.shapeCoords": "ROOT",
      "elk.json.edgeCoords": "ROOT",
      "elk.padding": padding(0),
      ...(laysOutWholeChart ? wholeChartOptions(layering) : {}),
      ...spacingOptions
    },
    children: [
      laysOutWholeChart
        ? nodeInWholeChart(box, 0, {
            layering,
            directionByDepth,
            closedBoxIds: closedBoxIdsOf({ box, arrows })
          })
        : plan.rowWidth === undefined
          ? nodeByState(box, directionByDepth)
          : nodeInRows(box, directionByDepth, {
              rowWidth: plan.rowWidth,
              stacksUnconnected: plan.stacksUnconnected === true
            })
    ],
    edges: [
      ...arrows.map((arrow) => edgeOf(arrow, { isLabelInline: isLabelInline(arrow) })),
      ...(laysOutWholeChart ? regionOrderEdges(box) : [])
    ]
  }
}

const spacingOptions: Record<string, string> = {
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.spacing.nodeNode": "14",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "8",
  "elk.spacing.edgeLabel": "3",
  "elk.spacing.componentComponent": "20",
  "elk.layered.spacing.nodeNodeBetweenLayers": "20",
  "elk.layered.spacing.edgeNodeBetweenLayers": "12",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "8",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.edgeLabels.centerLabelPlacementStrategy": "TAIL_LAYER"
}

const nodeByState = (
  { id, state, width, height, boxes }: FigureBox,
  [direction = "RIGHT", ...innerDirections]: ReadonlyArray<Direction>
): ElkNode => {
  if (boxes.length === 0) return { id, width, height }
  const sideBySideOptions = { "elk.algorithm": "rectpacking", "elk.aspectRatio": "0.7" }
  const modelOrderOptions = {
    "elk.algorithm": "layered",
    "elk.direction": direction,
    "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES"
  }
  return {
    id,
    layoutOptions: {
      ...(state.type === "parallel" ? sideBySideOptions : modelOrderOptions),
      ...compoundSizeOptions({ width, height }),
      ...spacingOptions
    },
    children: boxes.map((it) => nodeByState(it, innerDirections.length === 0 ? [direction] : innerDirections))
  }
}

/** Only for states without arrows to compound states inside. The simple states form one more box in the rows. */
const nodeInRows = (
  { id, width, height, boxes }: FigureBox,
  [direction = "RIGHT", ...innerDirections]: ReadonlyArray<Direction>,
  { rowWidth, stacksUnconnected }: Required<Pick<LayoutPlan, "rowWidth" | "stacksUnconnected">>
): ElkNode => {
  if (boxes.length === 0) return { id, width, height }
  const childDirections = innerDirections.length === 0 ? [direction] : innerDirections
  const compoundBoxes = boxes.filter((it) => it.boxes.length > 0)
  const simpleBoxes = boxes.filter((it) => it.boxes.length === 0)
  const flatOptions = {
    "elk.algorithm": "layered",
    "elk.direction": direction,
    "elk.separateConnectedComponents": String(!stacksUnconnected),
    "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES"
  }
  const children = simpleBoxes.map((it): ElkNode => ({ id: it.id, width: it.width, height: it.height }))
  if (compoundBoxes.length === 0)
    return {
      id,
      layoutOptions: { ...flatOptions, ...compoundSizeOptions({ width, height }), ...spacingOptions },
      children
    }
  const rowOptions = {
    "elk.algorithm": "rectpacking",
    "elk.rectpacking.widthApproximation.strategy": "TARGET_WIDTH",
    "elk.rectpacking.widthApproximation.targetWidth": String(rowWidth)
  }
  const simpleStates: ElkNode = {
    id: `${id} states`,
    layoutOptions: { ...flatOptions, "elk.padding": padding(0), ...spacingOptions },
    children
  }
  return {
    id,
    layoutOptions: { ...rowOptions, ...compoundSizeOptions({ width, height }), ...spacingOptions },
    children: [
      ...(simpleBoxes.length === 0 ? [] : [simpleStates]),
      ...compoundBoxes.map((it) =>
        nodeInRows(it, childDirections, { rowWidth: rowWidth - 2 * compoundPadding, stacksUnconnected })
      )
    ]
  }
}

/** Pixels around the child states. */
const compoundPadding = 14

interface WholeChartPlan extends LayoutPlan {
  readonly layering: Layering
  readonly closedBoxIds: ReadonlySet<string>
}

/** No arrow crosses the border of these boxes. */
const closedBoxIdsOf = ({ box, arrows }: ChartFigure): ReadonlySet<string> => {
  const isClosed = (outer: FigureBox): boolean => {
    const inside = new Set(boxesIn(outer).map(({ id }) => id))
    inside.delete(outer.id)
    return arrows.every(({ from, to }) => inside.has(from) === inside.has(to))
  }
  const compoundBoxes = boxesIn(box).filter((it) => it.id !== box.id && it.boxes.length > 0)
  return new Set(compoundBoxes.filter(isClosed).map(({ id }) => id))
}

/** Closed boxes are laid out by themselves. */
const nodeInWholeChart = (
  { id, width, height, boxes }: FigureBox,
  index: number,
  plan: WholeChartPlan
): ElkNode => {
  // ELK's INTERACTIVE strategy uses only the order: of a cycle, the arrow to an earlier state points backwards.
  const position = { x: 0, y: index * 1000 }
  const [direction, innerDirection = direction] = plan.directionByDepth
  const isClosed = plan.closedBoxIds.has(id)
  const isVertical = (isClosed ? innerDirection : direction) === "DOWN"
  return boxes.length === 0
    ? { id, ...position, width, height }
    : {
        id,
        ...position,
        layoutOptions: {
          ...compoundSizeOptions({ width, height }),
          // ELK swaps width and height for a vertical layout.
          ...(isVertical ? { "elk.nodeSize.minimum": `(${height}, ${width})` } : {}),
          ...(isClosed
            ? {
                "elk.algorithm": "layered",
                "elk.hierarchyHandling": "SEPARATE_CHILDREN",
                "elk.direction": innerDirection ?? "DOWN"
              }
            : {}),
          ...wholeChartOptions(plan.layering),
          ...spacingOptions
        },
        children: boxes.map((it, innerIndex) => nodeInWholeChart(it, innerIndex, plan))
      }
}

const wholeChartOptions = (layering: Layering) => ({
  "elk.layered.cycleBreaking.strategy": "INTERACTIVE",
  "elk.layered.layering.strategy": layering,
  "elk.layered.thoroughness": "30"
})

const headingGap = 6

/** Leaves room for a compound state's lines of text, which are the size of its box. */
const compoundSizeOptions = ({ width, height }: Pick<FigureBox, "width" | "height">) => ({
  "elk.padding": padding(compoundPadding, height + headingGap),
  "elk.nodeSize.constraints": "MINIMUM_SIZE",
  "elk.nodeSize.minimum": `(${width}, ${height + headingGap})`
})

const padding = (all: number, top = all): string => `[top=${top},left=${all},bottom=${all},right=${all}]`

/** An arrow to the right runs between the rows of its label, a downward arrow beside them. */
const edgeOf = (arrow: FigureArrow, { isLabelInline }: { readonly isLabelInline: boolean }): ElkEdge => {
  const { from, to, above, below, width } = arrow
  // Both sides of an inline label get the same room.
  const rows = isLabelInline ? 2 * Math.max(above.length, below.length) : above.length + below.length
  return {
    id: edgeId(arrow),
    sources: [from],
    targets: [to],
    ...(rows === 0
      ? {}
      : {
          labels: [
            {
              // Only the label's size counts for the layout.
              text: "label",
              width,
              height: rows * lineHeight + 2,
              layoutOptions: {
                [inlineOption]: String(isLabelInline),
                "elk.edgeLabels.placement": "CENTER"
              }
            }
          ]
        })
  }
}

const inlineOption = "elk.edgeLabels.inline"

export const isInlineLabel = ({ layoutOptions }: ElkLabel): boolean =>
  layoutOptions?.[inlineOption] === "true"

/** Edges that are not drawn keep the regions of a parallel state in order. */
const regionOrderEdges = (box: FigureBox): Array<ElkEdge> =>
  boxesIn(box).flatMap(({ state, boxes }) =>
    state.type !== "parallel"
      ? []
      : boxes.slice(1).map((next, index) => {
          const id = `tie ${next.id}`
          return { id, sources: [boxes[index]?.id ?? next.id], targets: [next.id] }
        })
  )
