import { EntrySet, exitSet, rememberedHistory, withoutConflicts } from "./entrySet.ts"
import { Configuration, emptyHistory } from "./configuration.ts"
import { isDone, isHistory } from "./stateTree.ts"
import { ActionArgs } from "./stepState.ts"
import type { AnyEventObject, AnyStateNode, AnyTransitionDefinition } from "xstate"
import type { CompileAction } from "./actions.ts"
import type { ChartHistory, MicrostepPlan } from "./configuration.ts"
import type { Operation, StepState } from "./stepState.ts"

export interface PlanContext {
  readonly root: AnyStateNode
  readonly compileAction: CompileAction
  readonly configurationOf: (states: ReadonlyArray<AnyStateNode>) => Configuration
}

/**
 * Plans a microstep by the algorithm of SCXML as XState carries it out. `readsHistory`: whether the plan depends on
 * history states.
 */
export const planMicrostep = (
  context: PlanContext,
  configuration: Configuration,
  enabled: ReadonlyArray<AnyTransitionDefinition>,
  history: ChartHistory
): { readonly plan: MicrostepPlan; readonly readsHistory: boolean } => {
  const { states } = configuration
  const transitions = withoutConflicts(enabled, states, history)
  const exits = [...exitSet(transitions, states, history)].sort(innermostFirst)
  const active = new Set(states)
  for (const state of exits) active.delete(state)
  const historyChanges = rememberedHistory(exits, states)
  const exitAndTransitionActions = [
    ...exits.flatMap(({ exit }) => exit),
    ...transitions.flatMap(({ actions }) => actions)
  ]
  const entrySet = new EntrySet({ ...history, ...historyChanges })
  for (const transition of transitions) entrySet.add(transition)
  const entry = planEntries(context, entrySet, active)
  const operations = [...exitAndTransitionActions.map(context.compileAction), ...entry.operations]
  const isSameConfiguration =
    historyChanges === undefined &&
    states.length === active.size &&
    states.every((state) => active.has(state))
  const next = isSameConfiguration ? configuration : context.configurationOf(entry.states)
  const readsHistory = entrySet.readsHistory || enabled.some(({ target = [] }) => target.some(isHistory))
  return { plan: { transitions, enabled, operations, next, historyChanges }, readsHistory }
}

export const planInitialStep = (context: PlanContext): MicrostepPlan => {
  const { root } = context
  const entrySet = new EntrySet(emptyHistory)
  entrySet.addInitial(root)
  const { operations, states } = planEntries(context, entrySet, new Set([root]))
  const next = context.configurationOf(states)
  return { transitions: [], enabled: [], operations, next, historyChanges: undefined }
}

const noOperation: Operation = () => {}
const noEventlessTransitions = () => []

const contextWithoutActions = (root: AnyStateNode): PlanContext => ({
  root,
  compileAction: () => noOperation,
  configurationOf: (states) => new Configuration(root, states, noEventlessTransitions)
})

export const initialConfiguration = (root: AnyStateNode): Configuration =>
  planInitialStep(contextWithoutActions(root)).next

/** Plans a microstep, also of a machine that XState interprets, and returns its configuration. */
export const configurationAfter = (
  root: AnyStateNode,
  states: ReadonlyArray<AnyStateNode>,
  enabled: ReadonlyArray<AnyTransitionDefinition>,
  history: ChartHistory
): Configuration => {
  const context = contextWithoutActions(root)
  return planMicrostep(context, context.configurationOf(states), enabled, history).plan.next
}

const innermostFirst = (one: AnyStateNode, other: AnyStateNode): number => other.order - one.order

const planEntries = (
  { root, compileAction }: PlanContext,
  { states: entered, byDefault }: EntrySet,
  active: Set<AnyStateNode>
): {
  readonly operations: ReadonlyArray<Operation>
  readonly states: ReadonlyArray<AnyStateNode>
} => {
  const operations: Array<Operation> = []
  const completed = new Set<AnyStateNode>()
  let hasEnded = false
  for (const state of [...entered].sort((one, other) => one.order - other.order)) {
    active.add(state)
    const initialActions = byDefault.has(state) ? state.initial.actions : []
    operations.push(...[...state.entry, ...initialActions].map(compileAction))
    if (state.type !== "final") continue
    const completion = planCompletion(root, state, active, completed)
    operations.push(completion.operation)
    hasEnded ||= completion.endsChart
  }
  const states = [...active]
  if (!hasEnded) return { operations, states }
  states.sort(innermostFirst)
  const exitActions = states.flatMap(({ exit }) => exit).map(compileAction)
  return { operations: [...operations, ...exitActions], states }
}

const planCompletion = (
  root: AnyStateNode,
  state: AnyStateNode,
  active: ReadonlySet<AnyStateNode>,
  completed: Set<AnyStateNode>
): { readonly operation: Operation; readonly endsChart: boolean } => {
  const { parent } = state
  let ancestor = parent?.type === "parallel" ? parent : parent?.parent
  let lastCompleted = ancestor ?? state
  const parallels: Array<AnyStateNode> = []
  while (ancestor?.type === "parallel" && !completed.has(ancestor) && isDone(ancestor, active)) {
    completed.add(ancestor)
    parallels.push(ancestor)
    lastCompleted = ancestor
    ancestor = ancestor.parent
  }
  const endsChart = ancestor === undefined
  const operation: Operation = (step) => {
    if (parent?.type === "compound")
      step.raisedEvents.push(doneEvent(parent, outputOf(state, step, step.event)))
    for (const parallel of parallels) step.raisedEvents.push(doneEvent(parallel, undefined))
    if (!endsChart) return
    step.status = "done"
    step.output = outputOfRoot(root, lastCompleted, step)
    step.hasChanged = true
  }
  return { operation, endsChart }
}

const doneEvent = ({ id }: AnyStateNode, output: unknown): AnyEventObject => ({
  type: `xstate.done.state.${id}`,
  output
})

const outputOfRoot = (root: AnyStateNode, completed: AnyStateNode, step: StepState): unknown => {
  if (root.output === undefined) return undefined
  const output = completed.parent === undefined ? undefined : outputOf(completed, step, step.event)
  return outputOf(root, step, doneEvent(completed, output))
}

const outputOf = ({ output }: AnyStateNode, step: StepState, event: AnyEventObject): unknown => {
  if (typeof output !== "function") return output
  const { context, self } = new ActionArgs(step)
  return (output as (args: object) => unknown)({ context, event, self })
}
