import { evaluateMicrostep } from "./microstepEvaluation.ts"
import { guardsOfCharts } from "../../../machines/guards/guardsOfCharts.ts"
import { commandText } from "../../kubernetes/apps/commands.ts"
import { stepEventText } from "./stepEventText.ts"
import { guardName } from "../../inspect/charts/chartNames.ts"
import { statePath, activeStatePaths } from "./statePaths.ts"
import type { AnyTransitionDefinition } from "xstate"
import type { ObservedNumbers } from "../../../machines/guards/guard.ts"
import type { RecordedStep } from "./recordedStep.ts"
import type { EvaluatedGuard, Step, StepTransition } from "./step.ts"

/**
 * A recorded step as plain data with texts. `event`: what the chart received. `events`: the Kubernetes Events of its
 * commands. `numbers`: what the chart observed. `because`: the change that woke the actor.
 */
export const toStep = (step: RecordedStep): Step => {
  const { number, atMillis, actor, event, before, microsteps, commands, because } = step
  const { uid, kind, namespace, name, chart } = actor
  const last = microsteps.at(-1)
  const after = last === undefined ? before : last.snapshot
  return {
    number,
    atMillis,
    uid,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    chart,
    event: stepEventText(event, before),
    from: activeStatePaths(before),
    to: activeStatePaths(after),
    taken: microsteps.flatMap(({ transitions }) => transitions.map(toTransition)),
    guards: guardsOf(step),
    numbers: after === undefined ? [] : (numbersByChart.get(chart)?.(after.context, event) ?? []),
    commands: commands.map(commandText),
    writes: [...step.writes],
    events: [...step.events],
    ...(because === undefined ? {} : { because })
  }
}

const numbersByChart: ReadonlyMap<string, ObservedNumbers> = new Map(
  Object.entries(guardsOfCharts).map(([chart, { stepNumbers }]) => [chart, stepNumbers])
)

const toTransition = ({ source, target, guard }: AnyTransitionDefinition): StepTransition => {
  const name = guardName(guard)
  const [firstTarget] = target ?? []
  return {
    source: statePath(source),
    ...(firstTarget === undefined ? {} : { target: statePath(firstTarget) }),
    ...(name === undefined ? {} : { guard: name })
  }
}

const guardsOf = ({ before, microsteps }: RecordedStep): ReadonlyArray<EvaluatedGuard> => {
  let snapshot = before
  return microsteps.flatMap((microstep) => {
    const { event, transitions } = microstep
    const isEventless = transitions.some(({ eventType }) => eventType === "")
    const guards = snapshot === undefined ? [] : evaluateMicrostep(snapshot, event, isEventless).guards
    snapshot = microstep.snapshot
    return guards
  })
}
