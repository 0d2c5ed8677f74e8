import { chartEventText, withoutStrategyName } from "./chartNames.ts"
import { statesWithin } from "./chartTree.ts"
import { balanceLines, textWidth, wrapText } from "./textWidth.ts"
import type { ChartBranch, ChartHandler, ChartState } from "./chartTree.ts"

/** The sizes of boxes and texts before layout. */
export interface ChartFigure {
  readonly box: FigureBox
  readonly arrows: ReadonlyArray<FigureArrow>
}

/**
 * A state, an initial dot, a signal (an event handled anywhere inside its parent), or a connector (the name of a
 * target).
 */
export interface FigureBox {
  readonly id: string
  readonly kind: "state" | "dot" | "signal" | "connector"
  readonly state: ChartState
  readonly lines: ReadonlyArray<FigureLine>
  readonly width: number
  /** The height without the boxes inside. */
  readonly height: number
  readonly boxes: ReadonlyArray<FigureBox>
}

export interface FigureLine {
  readonly text: string
  /** `about`: description, `said`: action, `label`: event and guard. */
  readonly cssClass: "name" | "about" | "said" | "label"
}

export interface FigureArrow {
  /** The id of the arrow's branch, or of the dot where the arrow starts. */
  readonly id: string
  readonly from: string
  readonly to: string
  /** Undefined for an arrow from a dot. */
  readonly transition: ArrowTransition | undefined
  readonly above: ReadonlyArray<FigureLine>
  readonly below: ReadonlyArray<FigureLine>
  /** The label's width. */
  readonly width: number
}

export interface ArrowTransition {
  readonly source: ChartState
  readonly target: string
  readonly handler: ChartHandler
  readonly branch: ChartBranch
}

// In pixels, as in the drawing's style.
export const lineHeight = 15
export const boxPadding = 10
export const fontSize = 11
const nameFontSize = 13
// Texts are wrapped at these widths in pixels.
const aboutWidth = 225
const groupWidth = 420
const actionWidth = 215
const labelWidth = 172
const labelMargins = 8

export const toFigure = (root: ChartState): ChartFigure => {
  const arrows: Array<FigureArrow> = []
  const idsInside = new Map(
    statesWithin(root).map((state) => [state.id, new Set(statesWithin(state).map(({ id }) => id))])
  )
  const isInside = (outer: ChartState, id: string): boolean =>
    outer.id !== id && idsInside.get(outer.id)?.has(id) === true

  const boxOf = (state: ChartState): FigureBox => {
    const isGroup = state.states.length > 0
    const signals: Array<FigureBox> = []
    const noteLines: Array<FigureLine> = []
    for (const handler of state.handlers) {
      const hasInnerTargets =
        isGroup && handler.branches.some((it) => it.targets.some((id) => isInside(state, id)))
      const notes: Array<FigureLine> = []
      const signalId = `${state.id} ${chartEventText(handler.event)}`
      handler.branches.forEach((branch, index) => {
        const place = {
          order: handler.branches.length > 1 ? index + 1 : undefined,
          isInSignal: hasInnerTargets
        }
        if (branch.targets.length === 0) notes.push(...noteOf(handler, branch, place))
        for (const target of branch.targets) {
          const from = hasInnerTargets ? signalId : state.id
          arrows.push(arrowOf({ source: state, target, handler, branch }, from, place))
        }
      })
      if (hasInnerTargets) signals.push(signalOf(state, signalId, handler, notes))
      else noteLines.push(...notes)
    }
    const lines = [...linesOf(state, isGroup), ...noteLines]
    const boxes = state.states.map(boxOf)
    const dots = state.initial.map((target, index): FigureBox => {
      const id = `${state.id} start ${index}`
      arrows.push({ id, from: id, to: target, transition: undefined, above: [], below: [], width: 0 })
      return { id, kind: "dot", state, lines: [], width: dotSize, height: dotSize, boxes: [] }
    })
    return {
      id: state.id,
      kind: "state",
      state,
      lines,
      ...sizeOf(lines),
      boxes: [...dots, ...signals, ...boxes]
    }
  }
  return { box: boxOf(root), arrows }
}

const dotSize = 10

const linesOf = (state: ChartState, isGroup: boolean): ReadonlyArray<FigureLine> => [
  { text: state.key, cssClass: "name" },
  ...(state.description === undefined
    ? []
    : balanceLines(state.description, isGroup ? groupWidth : aboutWidth, fontSize).map(
        (text): FigureLine => ({
          text,
          cssClass: "about"
        })
      )),
  ...actionLines("entry", state.entry),
  ...actionLines("exit", state.exit)
]

const actionLines = (trigger: "entry" | "exit", actions: ReadonlyArray<string>): ReadonlyArray<FigureLine> =>
  actions.length === 0
    ? []
    : wrapText(`${trigger} / ${actions.map(withoutStrategyName).join(", ")}`, actionWidth, fontSize).map(
        (text): FigureLine => ({
          text,
          cssClass: "said"
        })
      )

const signalOf = (
  state: ChartState,
  id: string,
  handler: ChartHandler,
  notes: ReadonlyArray<FigureLine>
): FigureBox => {
  const text = handler.event.kind === "always" ? "at once" : chartEventText(handler.event)
  return signalBox({ id, state, title: [{ text, cssClass: "name" }], notes })
}

export const signalBox = ({
  id,
  state,
  title = [],
  notes = []
}: {
  readonly id: string
  readonly state: ChartState
  readonly title?: ReadonlyArray<FigureLine>
  readonly notes?: ReadonlyArray<FigureLine>
}): FigureBox => {
  const lines: ReadonlyArray<FigureLine> = [
    ...title,
    { text: `anywhere in ${state.key}`, cssClass: "about" },
    ...notes
  ]
  return { id, kind: "signal", state, lines, ...sizeOf(lines), boxes: [] }
}

export const connectorOf = (id: string, state: ChartState, path: string): FigureBox => {
  const lines: ReadonlyArray<FigureLine> = [{ text: `→ ${path}`, cssClass: "about" }]
  return { id, kind: "connector", state, lines, ...sizeOf(lines), boxes: [] }
}

export const boxesIn = (box: FigureBox): ReadonlyArray<FigureBox> => [box, ...box.boxes.flatMap(boxesIn)]

interface BranchPlace {
  /** From 1 on; undefined for a handler's sole branch. */
  readonly order: number | undefined
  /** A signal's box names the event already. */
  readonly isInSignal: boolean
}

/** A branch without a target becomes lines in the state's box. */
const noteOf = (
  handler: ChartHandler,
  branch: ChartBranch,
  place: BranchPlace
): ReadonlyArray<FigureLine> => {
  const condition = conditionText(handler, branch, place)
  const actions = branch.actions.length === 0 ? "nothing" : branch.actions.map(withoutStrategyName).join(", ")
  return wrapText(`${condition} / ${actions}`.trim(), actionWidth, fontSize).map((text): FigureLine => ({
    text,
    cssClass: "said"
  }))
}

const arrowOf = (transition: ArrowTransition, from: string, place: BranchPlace): FigureArrow => {
  const { handler, branch, target } = transition
  const text = conditionText(handler, branch, place)
  const actions = branch.actions.map(withoutStrategyName)
  const above =
    text === ""
      ? []
      : balanceLines(text, labelWidth, fontSize).map((it): FigureLine => ({ text: it, cssClass: "label" }))
  const below =
    actions.length === 0
      ? []
      : balanceLines(`/ ${actions.join(", ")}`, labelWidth, fontSize).map((it): FigureLine => ({
          text: it,
          cssClass: "said"
        }))
  const width = Math.max(0, ...[...above, ...below].map(widthOf))
  return {
    id: branch.id,
    from,
    to: target,
    transition,
    above,
    below,
    width: width === 0 ? 0 : width + labelMargins
  }
}

/** `event 1. [guard]` */
const conditionText = (
  { event }: ChartHandler,
  { guard, guardDescription }: ChartBranch,
  { order, isInSignal }: BranchPlace
): string => {
  const isSoleChoice = order === undefined && guard === undefined
  const eventLabel = isInSignal
    ? ""
    : event.kind === "always" && isSoleChoice
      ? "at once"
      : chartEventText(event)
  const guardLabel =
    guard === undefined
      ? order === undefined || order === 1
        ? ""
        : "else"
      : `[${guardDescription ?? withoutStrategyName(guard)}]`
  return [eventLabel, order === undefined ? "" : `${order}.`, guardLabel]
    .filter((word) => word !== "")
    .join(" ")
}

const sizeOf = (lines: ReadonlyArray<FigureLine>): { readonly width: number; readonly height: number } => ({
  width: Math.ceil(Math.max(...lines.map(widthOf)) + 2 * boxPadding),
  height: lines.length * lineHeight + 2 * boxPadding - (lineHeight - fontSize)
})

/** Names are bold, which is wider. */
const widthOf = ({ text, cssClass }: FigureLine): number =>
  cssClass === "name" ? textWidth(text, nameFontSize) * 1.1 : textWidth(text, fontSize)
