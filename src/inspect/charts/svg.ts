import { chartStyle } from "./chartStyle.ts"
import { chartEventText } from "./chartNames.ts"
import { statesWithin } from "./chartTree.ts"
import { wrapText } from "./textWidth.ts"
import { boxesIn, boxPadding, fontSize, toFigure, lineHeight } from "./chartFigure.ts"
import { xmlElement, xmlDocumentText } from "./xmlMarkup.ts"
import { layOutFigure } from "./chartLayout.ts"
import { roundToTenth } from "../../drawing/roundToTenth.ts"
import type { FigureArrow, FigureBox, FigureLine } from "./chartFigure.ts"
import type { ChartBranch, ChartState } from "./chartTree.ts"
import type { ChartLayout } from "./chartLayout.ts"
import type { LayoutEngine, LayoutPoint } from "./elkGraph.ts"
import type { XmlMarkup } from "./xmlMarkup.ts"

/**
 * A self-contained SVG without scripts, in light and dark, with `data-state`, `data-transition` and similar attributes.
 */
export const svgOf = async (chart: ChartState, engine: LayoutEngine): Promise<string> => {
  const { figure, layout } = await layOutFigure(toFigure(chart), engine)
  const width = Math.ceil(layout.width) + 2 * margin
  const legend = legendOf(chart, figure.box, layout.width)
  const height = Math.ceil(layout.height) + 2 * margin + (legend.length + 1) * lineHeight
  const drawing = xmlElement(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      class: "charthouse-chart",
      viewBox: `${-margin} ${-margin} ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": `The statechart ${chart.key}`
    },
    [
      xmlElement("style", {}, [chartStyle]),
      xmlElement("rect", { class: "canvas", x: -margin, y: -margin, width, height }),
      boxMarkup(figure.box, layout, 0),
      ...figure.arrows.map((arrow) => arrowMarkup(arrow, layout)),
      // The headings are above the arrows, which may run through them.
      xmlElement("g", { class: "headings" }, groupHeadings(figure.box, layout, 0)),
      ...textLines(legend, 0, Math.ceil(layout.height) + lineHeight + 4)
    ]
  )
  return xmlDocumentText(drawing)
}

const margin = 8
const legendOf = (chart: ChartState, box: FigureBox, width: number): ReadonlyArray<FigureLine> => {
  const states = statesWithin(chart)
  const hasInnerTransitions = ({ handlers, states: inside }: ChartState): boolean =>
    inside.length > 0 && handlers.some(({ branches }) => branches.some(({ targets }) => targets.length > 0))
  const texts = [
    "\u25cf it begins here. 1. 2. 3. asked in this order, the first that holds is taken: [guard] / actions.",
    ...(states.some(hasInnerTransitions) ? ["Blue: wherever it is in this box."] : []),
    ...(boxesIn(box).some(({ kind }) => kind === "connector")
      ? ["\u2192 it goes on at the state of this name."]
      : []),
    ...(states.some(({ tags }) => tags.includes("moving")) ? ["Dashed: it moves on as time passes."] : []),
    ...(states.some(({ type }) => type === "final") ? ["A double line: the end."] : [])
  ]
  return wrapText(texts.join(" "), width, fontSize).map((text) => ({ text, cssClass: "about" }))
}

const boxMarkup = (box: FigureBox, layout: ChartLayout, depth: number): XmlMarkup => {
  const { x, y, width, height } = layout.boxOf(box.id)
  if (box.kind === "dot") {
    const radius = width / 2
    return xmlElement("circle", {
      class: "dot",
      cx: roundToTenth(x + radius),
      cy: roundToTenth(y + radius),
      r: radius
    })
  }
  const { state } = box
  // A signal is an event that a state handles wherever it is in its inner states.
  const isSignal = box.kind === "signal"
  const isState = box.kind === "state"
  const isGroup = box.boxes.length > 0
  const isShaded = isGroup && hasSecondShade(depth)
  const classes = [
    "shape",
    isState ? (isGroup ? "group" : "box") : box.kind,
    ...(isShaded ? ["inner"] : []),
    ...(isState && state.tags.includes("moving") ? ["moving"] : [])
  ]
  const rect = (inset: number, className: string): XmlMarkup =>
    xmlElement("rect", {
      class: className,
      x: roundToTenth(x + inset),
      y: roundToTenth(y + inset),
      width: roundToTenth(width - 2 * inset),
      height: roundToTenth(height - 2 * inset),
      rx: isState ? 6 : 14
    })
  const attributes = isState
    ? { "data-state": state.id }
    : isSignal
      ? { "data-signal": box.id }
      : { "data-connector": state.id }
  return xmlElement("g", attributes, [
    ...(isSignal ? [] : [xmlElement("title", {}, [stateTitle(state)])]),
    rect(0, classes.join(" ")),
    ...(state.type === "final" && isState ? [rect(3, "box rim")] : []),
    ...(isGroup ? [] : textLines(box.lines, x + boxPadding, y + firstBaseline)),
    ...box.boxes.map((it) => boxMarkup(it, layout, depth + 1))
  ])
}

/** Nested groups have two shades in turn. */
const hasSecondShade = (depth: number): boolean => depth % 2 === 0

/** The baseline of the first line, from the top of the box. */
const firstBaseline = 19

const groupHeadings = (box: FigureBox, layout: ChartLayout, depth: number): ReadonlyArray<XmlMarkup> => {
  if (box.boxes.length === 0) return []
  const { x, y } = layout.boxOf(box.id)
  const lines = textLines(box.lines, x + boxPadding, y + firstBaseline)
  return [
    xmlElement("g", hasSecondShade(depth) ? { class: "on-inner" } : {}, lines),
    ...box.boxes.flatMap((it) => groupHeadings(it, layout, depth + 1))
  ]
}

const stateTitle = ({ id, description, entry, exit }: ChartState): string =>
  [
    id,
    ...(description === undefined ? [] : [description]),
    ...(entry.length === 0 ? [] : [`entry / ${entry.join(", ")}`]),
    ...(exit.length === 0 ? [] : [`exit / ${exit.join(", ")}`])
  ].join("\n")

const textLines = (
  lines: ReadonlyArray<FigureLine>,
  x: number,
  y: number,
  anchor?: "middle" | "end"
): ReadonlyArray<XmlMarkup> =>
  lines.map(({ text, cssClass }, index) => {
    const attributes = { x: roundToTenth(x), y: roundToTenth(y + index * lineHeight), "text-anchor": anchor }
    return xmlElement("text", { class: cssClass, ...attributes }, [text])
  })

const arrowMarkup = (arrow: FigureArrow, layout: ChartLayout): XmlMarkup => {
  const { transition } = arrow
  const { points } = layout.routeOf(arrow)
  const attributes =
    transition === undefined
      ? {}
      : {
          "data-transition": transition.branch.id,
          "data-source": transition.source.id,
          "data-target": transition.target,
          "data-event": chartEventText(transition.handler.event),
          "data-guard": transition.branch.guard
        }
  const title = transition === undefined ? undefined : transitionTitle(arrow)
  return xmlElement("g", attributes, [
    ...(title === undefined ? [] : [xmlElement("title", {}, [title])]),
    xmlElement("path", { class: "arrow", d: pathOf(points) }),
    xmlElement("path", { class: "head", d: headOf(points) }),
    ...labelMarkup(arrow, layout)
  ])
}

/** The label is beside a vertical arrow, and above (event) and below (actions) a horizontal one. */
const labelMarkup = (arrow: FigureArrow, layout: ChartLayout): ReadonlyArray<XmlMarkup> => {
  const { above, below } = arrow
  const { label, side } = layout.routeOf(arrow)
  if (label === undefined) return []
  const { x, y, width, height } = label
  if (side === "right") return textLines([...above, ...below], x + 2, y + lineHeight - 3)
  if (side === "left") return textLines([...above, ...below], x + width - 2, y + lineHeight - 3, "end")
  const middle = y + height / 2
  return [
    ...textLines(above, x + width / 2, middle - 5 - (above.length - 1) * lineHeight, "middle"),
    ...textLines(below, x + width / 2, middle + 13, "middle")
  ]
}

const transitionTitle = ({ transition }: FigureArrow): string => {
  if (transition === undefined) return ""
  const { source, target, branch, handler } = transition
  const event = chartEventText(handler.event)
  return [
    `${source.id} → ${target}`,
    ...(event === "" ? [] : [event]),
    ...(branch.guard === undefined ? [] : [`[${branch.guard}]${guardDescriptionText(branch)}`]),
    ...(branch.actions.length === 0 ? [] : [`/ ${branch.actions.join(", ")}`]),
    ...(branch.description === undefined ? [] : [branch.description])
  ].join("\n")
}

const guardDescriptionText = ({ guardDescription }: ChartBranch): string =>
  guardDescription === undefined ? "" : ` ${guardDescription}`

// In pixels.
const cornerRadius = 5
const headLength = 7

const pathOf = (points: ReadonlyArray<LayoutPoint>): string => {
  const [start, ...followingPoints] = points
  if (start === undefined) return ""
  const pathCommands = [`M${roundToTenth(start.x)} ${roundToTenth(start.y)}`]
  followingPoints.forEach((point, index) => {
    const [before, after] = [points[index], points[index + 2]]
    if (before === undefined || after === undefined) {
      const end = before === undefined ? point : towards(point, before, headLength - 1)
      pathCommands.push(`L${roundToTenth(end.x)} ${roundToTenth(end.y)}`)
      return
    }
    const radius = Math.min(cornerRadius, distance(before, point) / 2, distance(point, after) / 2)
    const [from, to] = [towards(point, before, radius), towards(point, after, radius)]
    pathCommands.push(
      `L${roundToTenth(from.x)} ${roundToTenth(from.y)}Q${roundToTenth(point.x)} ${roundToTenth(point.y)} ${roundToTenth(to.x)} ${roundToTenth(to.y)}`
    )
  })
  return pathCommands.join("")
}

const headOf = (points: ReadonlyArray<LayoutPoint>): string => {
  const [tip, before] = [points.at(-1), points.at(-2)]
  if (tip === undefined || before === undefined) return ""
  const base = towards(tip, before, headLength)
  const [dx, dy] = [(base.y - tip.y) / 2, (tip.x - base.x) / 2]
  return `M${roundToTenth(tip.x)} ${roundToTenth(tip.y)}L${roundToTenth(base.x + dx)} ${roundToTenth(base.y + dy)}L${roundToTenth(base.x - dx)} ${roundToTenth(base.y - dy)}Z`
}

const distance = (a: LayoutPoint, b: LayoutPoint): number => Math.hypot(a.x - b.x, a.y - b.y)

const towards = (from: LayoutPoint, to: LayoutPoint, length: number): LayoutPoint => {
  const fullLength = distance(from, to)
  if (fullLength === 0) return from
  return {
    x: from.x + ((to.x - from.x) * length) / fullLength,
    y: from.y + ((to.y - from.y) * length) / fullLength
  }
}
