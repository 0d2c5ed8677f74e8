import { evaluateGuard } from "xstate/guards"
import { guardName } from "../../inspect/charts/chartNames.ts"
import { activeLeaves, statePath } from "./statePaths.ts"
import { guardReasonText } from "./guardReasonText.ts"
import type { AnyEventObject, AnyMachineSnapshot, AnyStateNode, AnyTransitionDefinition } from "xstate"
import type { EvaluatedGuard } from "./step.ts"
import type { Microstep } from "./recordedStep.ts"

/**
 * The guards of one microstep, up to the first that held in each state. XState reports only the transitions taken;
 * guards are pure, so evaluating them again gives the same results.
 */
export const evaluatedGuards = (
  before: AnyMachineSnapshot,
  { event, _transitions: transitions }: Microstep
): ReadonlyArray<EvaluatedGuard> => {
  const evaluation: GuardEvaluation = { before, event, evaluated: [] }
  const isEventless = transitions.some(({ eventType }) => eventType === "")
  if (isEventless) for (const node of activeLeaves(before)) evaluateUpwards(evaluation, node)
  else evaluateDownwards(evaluation, before.machine.root)
  return evaluation.evaluated
}

interface GuardEvaluation {
  readonly before: AnyMachineSnapshot
  readonly event: AnyEventObject
  readonly evaluated: Array<EvaluatedGuard>
}

/** Eventless transitions: innermost state first. */
const evaluateUpwards = (evaluation: GuardEvaluation, leaf: AnyStateNode): void => {
  for (let node: AnyStateNode | undefined = leaf; node !== undefined; node = node.parent) {
    if (takesOne(evaluation, node, node.always ?? [])) return
  }
}

/** Innermost states first; a parent handles the event only if no active child does. */
const evaluateDownwards = (evaluation: GuardEvaluation, node: AnyStateNode): boolean => {
  const activeChildren = Object.values(node.states).filter((child) =>
    evaluation.before._nodes.includes(child)
  )
  const areHandled = activeChildren.map((child) => evaluateDownwards(evaluation, child))
  return (
    areHandled.includes(true) || takesOne(evaluation, node, node.transitions.get(evaluation.event.type) ?? [])
  )
}

/** Evaluates the candidates in order. Returns whether one of them was taken. */
const takesOne = (
  { before, event, evaluated }: GuardEvaluation,
  node: AnyStateNode,
  candidates: ReadonlyArray<AnyTransitionDefinition>
): boolean => {
  const { guards } = node.machine.implementations
  for (const { guard } of candidates) {
    if (guard === undefined) return true
    const holds = evaluateGuard(guard, before.context, event, before)
    const text = guardReasonText(guard, guards, { context: before.context, event })
    evaluated.push({ state: statePath(node), name: guardName(guard) ?? "", holds, text })
    if (holds) return true
  }
  return false
}
