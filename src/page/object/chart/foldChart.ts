import type { StepTransition } from "../../../explain/steps/step.ts"

export interface ChartHighlight {
  readonly chart: string
  /** The paths of the active leaf states: `running.ready`. */
  readonly states: ReadonlyArray<string>
  readonly transitions: ReadonlyArray<StepTransition>
}

export interface DrawnState {
  /** The chart's name, a dot, and the path. */
  readonly id: string
  readonly states: ReadonlyArray<DrawnState>
}

export interface DrawnArrow {
  readonly source: string
  readonly target: string
}

/** `left`: the shown step left the state. `next`: a transition from an active state leads to it. */
type StateRole = "active" | "left" | "next" | "other"

export interface FoldedState {
  readonly id: string
  readonly key: string
  readonly role: StateRole
  readonly states: ReadonlyArray<FoldedState>
  /** How many leaf states inside are not shown. */
  readonly foldedCount: number
}

/** Beyond this number of unrelated states, all of them are folded. */
const unrelatedShownMax = 2

/** Keeps active states, states that the step left, and possible next states. */
export const foldChart = (
  root: DrawnState,
  arrows: ReadonlyArray<DrawnArrow>,
  { chart, states, transitions }: ChartHighlight
): FoldedState => {
  const activeLeaves = states.map((path) => stateId(chart, path))
  const isWithin = (id: string, outer: string): boolean => id === outer || id.startsWith(`${outer}.`)
  const leftIds = transitions.map(({ source }) => stateId(chart, source))
  const isAnyWithin = (ids: ReadonlyArray<string>, outer: string): boolean =>
    ids.some((id) => isWithin(id, outer))
  const isActive = (id: string): boolean => isAnyWithin(activeLeaves, id)
  // A transition to an inner state makes the actor look again, and leads to no other state.
  const nextIds = arrows.flatMap(({ source, target }) =>
    isActive(source) && !isWithin(target, source) ? [target] : []
  )
  const roleOf = (id: string): StateRole => {
    if (isActive(id)) return "active"
    if (isAnyWithin(leftIds, id)) return "left"
    return isAnyWithin(nextIds, id) ? "next" : "other"
  }

  const fold = ({ id, states: children }: DrawnState): FoldedState => {
    const role = roleOf(id)
    const key = id.slice(id.lastIndexOf(".") + 1)
    if (role !== "active") return { id, key, role, states: [], foldedCount: leavesIn(children) }
    const others = children.filter((it) => roleOf(it.id) === "other")
    const hidden = others.length <= unrelatedShownMax ? [] : others
    const shown = children.filter((it) => !hidden.includes(it))
    return { id, key, role, states: shown.map(fold), foldedCount: leavesIn(hidden) }
  }
  return fold(root)
}

export const stateId = (chart: string, path: string): string => (path === "" ? chart : `${chart}.${path}`)

const leavesIn = (states: ReadonlyArray<DrawnState>): number =>
  states.reduce((sum, { states: children }) => sum + Math.max(1, leavesIn(children)), 0)
