import { evaluateGuard } from "xstate/guards"
import { guardName } from "../../inspect/charts/chartNames.ts"
import { activeLeaves, activeStates, statePath } from "./statePaths.ts"
import { guardReasonText } from "./guardReasonText.ts"
import type { AnyEventObject, AnyMachineSnapshot, AnyStateNode, AnyTransitionDefinition } from "xstate"
import type { EvaluatedGuard } from "./step.ts"
import type { ChartSnapshot } from "./recordedStep.ts"

export interface MicrostepEvaluation {
  /** The guards, up to the first that held in each state. */
  readonly guards: ReadonlyArray<EvaluatedGuard>
  /** The transitions that are enabled. */
  readonly enabled: ReadonlyArray<AnyTransitionDefinition>
}

/** Evaluates the guards of a microstep again: they are pure, so the results are the same. */
export const evaluateMicrostep = (
  before: ChartSnapshot,
  event: AnyEventObject,
  isEventless: boolean
): MicrostepEvaluation => {
  const active = new Set(activeStates(before))
  const evaluation: Evaluation = { before, active, event, guards: [], enabled: [] }
  if (isEventless) for (const node of activeLeaves(before)) evaluateUpwards(evaluation, node)
  else evaluateDownwards(evaluation, before.machine.root)
  return evaluation
}

interface Evaluation {
  readonly before: ChartSnapshot
  readonly active: ReadonlySet<AnyStateNode>
  readonly event: AnyEventObject
  readonly guards: Array<EvaluatedGuard>
  readonly enabled: Array<AnyTransitionDefinition>
}

/** Eventless transitions: innermost state first. */
const evaluateUpwards = (evaluation: Evaluation, leaf: AnyStateNode): void => {
  for (let node: AnyStateNode | undefined = leaf; node !== undefined; node = node.parent) {
    if (takesOne(evaluation, node, node.always ?? [])) return
  }
}

/** Innermost states first; a parent handles the event only if no active child does. */
const evaluateDownwards = (evaluation: Evaluation, node: AnyStateNode): boolean => {
  const activeChildren = Object.values(node.states).filter((child) => evaluation.active.has(child))
  const areHandled = activeChildren.map((child) => evaluateDownwards(evaluation, child))
  return (
    areHandled.includes(true) || takesOne(evaluation, node, node.transitions.get(evaluation.event.type) ?? [])
  )
}

/** Evaluates the candidates in order. Returns whether one of them is enabled. */
const takesOne = (
  { before, event, guards: evaluated, enabled }: Evaluation,
  node: AnyStateNode,
  candidates: ReadonlyArray<AnyTransitionDefinition>
): boolean => {
  const { guards } = node.machine.implementations
  for (const candidate of candidates) {
    const { guard } = candidate
    if (guard !== undefined) {
      const holds = evaluateGuard(guard, before.context, event, before as AnyMachineSnapshot)
      const text = guardReasonText(guard, guards, { context: before.context, event })
      evaluated.push({ state: statePath(node), name: guardName(guard) ?? "", holds, text })
      if (!holds) continue
    }
    if (!enabled.includes(candidate)) enabled.push(candidate)
    return true
  }
  return false
}
