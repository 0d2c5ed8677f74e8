import { guardWords } from "./guardWords.ts"
import { actionNames, parseEventType, guardTerm, guardText } from "./chartNames.ts"
import type { AnyStateNode, AnyTransitionDefinition } from "xstate"
import type { ChartEvent, GuardTerm } from "./chartNames.ts"

export interface ChartState {
  /** An id of XState, such as `deployment.rollout.routing`. */
  readonly id: string
  readonly key: string
  readonly type: "atomic" | "compound" | "parallel" | "final" | "history"
  readonly history?: "shallow" | "deep"
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  /** Empty for an atomic or parallel state. */
  readonly initial: ReadonlyArray<string>
  readonly entry: ReadonlyArray<string>
  readonly exit: ReadonlyArray<string>
  readonly handlers: ReadonlyArray<ChartHandler>
  readonly states: ReadonlyArray<ChartState>
}

/** The transitions of a state for one event, or the eventless ones. The first branch whose guard holds is taken. */
export interface ChartHandler {
  readonly event: ChartEvent
  readonly branches: ReadonlyArray<ChartBranch>
}

export interface ChartBranch {
  readonly id: string
  readonly guard?: string
  readonly guardDescription?: string
  readonly term?: GuardTerm
  readonly actions: ReadonlyArray<string>
  /** Empty for an internal transition. */
  readonly targets: ReadonlyArray<string>
  readonly reenter: boolean
  readonly description?: string
}

/** Transitions out of `root` are omitted. */
export const chartTree = (root: AnyStateNode): ChartState => {
  const nodesInside = new Set(nodesUnder(root))
  return stateOf(root, nodesInside)
}

export const statesWithin = (state: ChartState): ReadonlyArray<ChartState> => [
  state,
  ...state.states.flatMap(statesWithin)
]

const stateOf = (node: AnyStateNode, nodesInside: ReadonlySet<AnyStateNode>): ChartState => ({
  id: node.id,
  key: node.key,
  type: node.type,
  ...(node.type === "history" && node.history !== false ? { history: historyDepth(node.history) } : {}),
  ...(node.description === undefined ? {} : { description: node.description }),
  tags: node.tags,
  initial: childrenOf(node).length === 0 || node.type === "parallel" ? [] : initialOf(node),
  entry: node.entry.flatMap(actionNames),
  exit: node.exit.flatMap(actionNames),
  handlers: handlersOf(node, nodesInside),
  states: childrenOf(node).map((child) => stateOf(child, nodesInside))
})

const historyDepth = (history: unknown): "shallow" | "deep" => (history === "deep" ? "deep" : "shallow")

const initialOf = (node: AnyStateNode): ReadonlyArray<string> =>
  node.initial.target.map((target: AnyStateNode) => target.id)

const handlersOf = (
  node: AnyStateNode,
  nodesInside: ReadonlySet<AnyStateNode>
): ReadonlyArray<ChartHandler> =>
  [...node.transitions.values(), node.always ?? []].flatMap((transitions) => {
    const [first] = transitions
    if (first === undefined) return []
    const innerTransitions = transitions.filter(({ target }) =>
      (target ?? []).every((it) => nodesInside.has(it))
    )
    if (innerTransitions.length === 0) return []
    const event = parseEventType(first.eventType)
    return [{ event, branches: innerTransitions.map((it, index) => branchOf(node, it, index)) }]
  })

const branchOf = (node: AnyStateNode, transition: AnyTransitionDefinition, index: number): ChartBranch => {
  const term = guardTerm(transition.guard)
  const guardDescription =
    term === undefined ? undefined : guardWords(node.machine.implementations.guards, term)
  const { kind, name } = parseEventType(transition.eventType)
  const event = kind === "event" ? name : [kind, name].filter((word) => word !== "").join(" ")
  return {
    id: `${node.id} ${event} ${index + 1}`,
    ...(term === undefined ? {} : { guard: guardText(term), term }),
    ...(guardDescription === undefined ? {} : { guardDescription }),
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
