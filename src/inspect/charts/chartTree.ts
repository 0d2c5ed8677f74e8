import { guardWords } from "./guardWords.ts"
import { actionNames, eventWord, guardTerm, guardText } from "./words.ts"
import type { AnyStateNode, AnyTransitionDefinition } from "xstate"
import type { EventWord, GuardTerm } from "./words.ts"

/** A statechart as plain data, for whatever is drawn or written of it. */
export interface ChartState {
  /** Unique in its chart, and the one that XState knows it by: `deployment.rollout.routing`. */
  readonly id: string
  readonly key: string
  readonly type: "atomic" | "compound" | "parallel" | "final" | "history"
  readonly history?: "shallow" | "deep"
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  /** The states it is entered at, by id; none where it has none inside. */
  readonly initial: ReadonlyArray<string>
  readonly entry: ReadonlyArray<string>
  readonly exit: ReadonlyArray<string>
  readonly handlers: ReadonlyArray<ChartHandler>
  readonly states: ReadonlyArray<ChartState>
}

/** What a state does about one event, or at once: the first branch whose guard holds is taken. */
export interface ChartHandler {
  readonly event: EventWord
  readonly branches: ReadonlyArray<ChartBranch>
}

export interface ChartBranch {
  /** Unique in its chart: the state, the event and the place among the alternatives. */
  readonly id: string
  /** By name; undefined where nothing is asked. */
  readonly guard?: string
  /** What the guard asks, in words, where it has some. */
  readonly asks?: string
  readonly term?: GuardTerm
  readonly actions: ReadonlyArray<string>
  /** By id; none where the state stays as it is. */
  readonly targets: ReadonlyArray<string>
  readonly reenter: boolean
  readonly description?: string
}

/** Reads a chart, or a part of one, in which case what leads out of the part is left out. */
export const chartTree = (root: AnyStateNode): ChartState => {
  const inside = new Set(nodesUnder(root))
  return stateOf(root, inside)
}

/** A state and all within it, outer ones first. */
export const statesIn = (state: ChartState): ReadonlyArray<ChartState> => [
  state,
  ...state.states.flatMap(statesIn)
]

const stateOf = (node: AnyStateNode, inside: ReadonlySet<AnyStateNode>): ChartState => ({
  id: node.id,
  key: node.key,
  type: node.type,
  ...(node.type === "history" && node.history !== false ? { history: deepness(node.history) } : {}),
  ...(node.description === undefined ? {} : { description: node.description }),
  tags: node.tags,
  initial: childrenOf(node).length === 0 || node.type === "parallel" ? [] : initialOf(node),
  entry: node.entry.flatMap(actionNames),
  exit: node.exit.flatMap(actionNames),
  handlers: handlersOf(node, inside),
  states: childrenOf(node).map((child) => stateOf(child, inside))
})

const deepness = (history: unknown): "shallow" | "deep" => (history === "deep" ? "deep" : "shallow")

const initialOf = (node: AnyStateNode): ReadonlyArray<string> =>
  node.initial.target.map((target: AnyStateNode) => target.id)

const handlersOf = (node: AnyStateNode, inside: ReadonlySet<AnyStateNode>): ReadonlyArray<ChartHandler> =>
  [...node.transitions.values(), node.always ?? []].flatMap((transitions) => {
    const [first] = transitions
    if (first === undefined) return []
    const staying = transitions.filter(({ target }) => (target ?? []).every((it) => inside.has(it)))
    if (staying.length === 0) return []
    const event = eventWord(first.eventType)
    return [{ event, branches: staying.map((it, index) => branchOf(node, it, index)) }]
  })

const branchOf = (node: AnyStateNode, transition: AnyTransitionDefinition, index: number): ChartBranch => {
  const term = guardTerm(transition.guard)
  const asks = term === undefined ? undefined : guardWords(node.machine.id, term)
  const { kind, name } = eventWord(transition.eventType)
  const event = kind === "event" ? name : [kind, name].filter((word) => word !== "").join(" ")
  return {
    id: `${node.id} ${event} ${index + 1}`,
    ...(term === undefined ? {} : { guard: guardText(term), term }),
    ...(asks === undefined ? {} : { asks }),
    actions: transition.actions.flatMap(actionNames),
    targets: (transition.target ?? []).map((target: AnyStateNode) => target.id),
    reenter: transition.reenter,
    ...(transition.description === undefined ? {} : { description: transition.description })
  }
}

const childrenOf = (node: AnyStateNode): ReadonlyArray<AnyStateNode> => Object.values(node.states)
const nodesUnder = (node: AnyStateNode): ReadonlyArray<AnyStateNode> => [
  node,
  ...childrenOf(node).flatMap(nodesUnder)
]
