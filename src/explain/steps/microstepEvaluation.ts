import { evaluateGuard } from "xstate/guards"
import { guardName } from "../../inspect/charts/chartNames.ts"
import { transitionDefinitionsFor } from "../../compiler/descriptors.ts"
import { withoutConflicts } from "../../compiler/entrySet.ts"
import { activeLeaves, activeStates, statePath } from "./statePaths.ts"
import { guardReasonText } from "./guardReasonText.ts"
import type {
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateNode,
  AnyTransitionDefinition,
  StateValue
} from "xstate"
import type { EvaluatedGuard } from "./step.ts"
import type { ChartSnapshot } from "./recordedStep.ts"

export interface MicrostepEvaluation {
  /** The guards, up to the first that held in each state. */
  readonly guards: ReadonlyArray<EvaluatedGuard>
  /** The enabled transitions; of eventless transitions only those that XState takes. */
  readonly enabled: ReadonlyArray<AnyTransitionDefinition>
}

/** Evaluates the guards of a microstep again: they are pure, so the results are the same. */
export const evaluateMicrostep = (
  before: ChartSnapshot,
  event: AnyEventObject,
  isEventless: boolean
): MicrostepEvaluation => {
  const evaluation: Evaluation = { before, event, guards: [] }
  const { guards } = evaluation
  return isEventless
    ? { guards, enabled: takenEventlessTransitions(evaluation) }
    : { guards, enabled: enabledAtOrBelow(evaluation, before.machine.root, before.value) }
}

interface Evaluation {
  readonly before: ChartSnapshot
  readonly event: AnyEventObject
  readonly guards: Array<EvaluatedGuard>
}

/** Of conflicting transitions only that of the innermost state is taken. */
const takenEventlessTransitions = (evaluation: Evaluation): ReadonlyArray<AnyTransitionDefinition> => {
  const { before } = evaluation
  const states = activeStates(before)
  const enabledByLeaf = new Map(
    activeLeaves(before).map((leaf) => [leaf, enabledAtOrAbove(evaluation, leaf)])
  )
  const enabled = new Set(states.flatMap((state) => enabledByLeaf.get(state) ?? []))
  return withoutConflicts([...enabled], states, before.historyValue)
}

const enabledAtOrAbove = (
  evaluation: Evaluation,
  leaf: AnyStateNode
): AnyTransitionDefinition | undefined => {
  for (let node: AnyStateNode | undefined = leaf; node !== undefined; node = node.parent) {
    const enabled = firstEnabled(evaluation, node, node.always ?? [])
    if (enabled !== undefined) return enabled
  }
  return undefined
}

/** Innermost states first; a parent handles the event only if no active child does. */
const enabledAtOrBelow = (
  evaluation: Evaluation,
  node: AnyStateNode,
  value: StateValue | undefined
): ReadonlyArray<AnyTransitionDefinition> => {
  const states = node.states as Readonly<Record<string, AnyStateNode>>
  const children = typeof value === "string" ? [[value, undefined] as const] : Object.entries(value ?? {})
  const inner = children.flatMap(([key, below]) => {
    const child = states[key]
    return child === undefined ? [] : enabledAtOrBelow(evaluation, child, below)
  })
  if (inner.length > 0) return inner
  const enabled = firstEnabled(evaluation, node, transitionDefinitionsFor(node, evaluation.event.type))
  return enabled === undefined ? [] : [enabled]
}

const firstEnabled = (
  { before, event, guards: evaluated }: Evaluation,
  node: AnyStateNode,
  candidates: ReadonlyArray<AnyTransitionDefinition>
): AnyTransitionDefinition | undefined => {
  const { guards } = node.machine.implementations
  for (const candidate of candidates) {
    const { guard } = candidate
    if (guard !== undefined) {
      const holds = evaluateGuard(guard, before.context, event, before as unknown as AnyMachineSnapshot)
      const text = guardReasonText(guard, guards, { context: before.context, event })
      evaluated.push({ state: statePath(node), name: guardName(guard) ?? "", holds, text })
      if (!holds) continue
    }
    return candidate
  }
  return undefined
}
