import type { StepTransition } from "../../../explain/steps/step.ts"

export interface ChartHighlight {
  readonly chart: string
  /** The paths of the active leaf states: `running.ready`. */
  readonly states: ReadonlyArray<string>
  readonly transitions: ReadonlyArray<StepTransition>
}

/** A state of a chart with those inside of it, as its drawing has them. */
export interface DrawnState {
  /** The chart's name, a dot, and the path. */
  readonly id: string
  readonly states: ReadonlyArray<DrawnState>
}

export interface DrawnArrow {
  readonly source: string
  readonly target: string
}

/** `left`: the step that is shown came from here. `next`: an arrow leads here from an active state. */
type StateLook = "active" | "left" | "next" | "other"

export interface FoldedState {
  readonly id: string
  readonly key: string
  readonly look: StateLook
  readonly states: ReadonlyArray<FoldedState>
  /** How many states inside are not shown. */
  readonly foldedCount: number
}

/** So many states that have nothing to do with the active ones are shown beside them. */
const othersMax = 2

/**
 * A chart in a few lines: inside of an active state, the active states, those that the step left, and those that come
 * next. What is inside of a state that is not active is folded.
 */
export const foldChart = (
  root: DrawnState,
  arrows: ReadonlyArray<DrawnArrow>,
  { chart, states, transitions }: ChartHighlight
): FoldedState => {
  const activeLeaves = states.map((path) => stateId(chart, path))
  const isWithin = (id: string, outer: string): boolean => id === outer || id.startsWith(`${outer}.`)
  const isActive = (id: string): boolean => activeLeaves.some((leaf) => isWithin(leaf, id))
  const leftIds = new Set(transitions.map(({ source }) => stateId(chart, source)))
  const nextIds = new Set(
    arrows.filter(({ source }) => activeLeaves.includes(source)).map(({ target }) => target)
  )
  const lookOf = (id: string): StateLook =>
    isActive(id) ? "active" : leftIds.has(id) ? "left" : nextIds.has(id) ? "next" : "other"

  const fold = ({ id, states: children }: DrawnState): FoldedState => {
    const look = lookOf(id)
    const key = id.slice(id.lastIndexOf(".") + 1)
    if (look !== "active") return { id, key, look, states: [], foldedCount: leavesIn(children) }
    const others = children.filter((it) => lookOf(it.id) === "other")
    const hidden = new Set(others.length <= othersMax ? [] : others)
    const shown = children.filter((it) => !hidden.has(it))
    return { id, key, look, states: shown.map(fold), foldedCount: hidden.size }
  }
  return fold(root)
}

export const stateId = (chart: string, path: string): string => (path === "" ? chart : `${chart}.${path}`)

const leavesIn = (states: ReadonlyArray<DrawnState>): number =>
  states.reduce((sum, { states: children }) => sum + Math.max(1, leavesIn(children)), 0)
