import { guardsAsked } from "./askedAgain.ts"
import { commandText } from "./commandText.ts"
import { eventText } from "./eventText.ts"
import { guardName } from "../charts/words.ts"
import { pathOf, pathsOf, snapshotAfter } from "./paths.ts"
import { numbersOf } from "./reasons/numbers.ts"
import type { AnyMachineSnapshot, AnyTransitionDefinition } from "xstate"
import type { RecordedStep } from "./recorded.ts"
import type { AskedGuard, Step, TakenTransition } from "./step.ts"

export const stepOf = (step: RecordedStep): Step => {
  const { number, atMillis, actor, event, before, microsteps, commands, because } = step
  const { uid, kind, namespace, name, chart } = actor
  const last = microsteps.at(-1)
  const after = last === undefined ? before : snapshotAfter(last)
  return {
    number,
    atMillis,
    uid,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    chart,
    event: eventText(event, before),
    from: pathsOf(before),
    to: pathsOf(after),
    taken: microsteps.flatMap(({ _transitions: transitions }) => transitions.map(toTransition)),
    guards: guardsOf(step),
    numbers: after === undefined ? [] : numbersOf(chart, after.context, event),
    commands: commands.map(commandText),
    writes: [...step.writes],
    events: [...step.events],
    ...(because === undefined ? {} : { because })
  }
}

const toTransition = ({ source, target, guard }: AnyTransitionDefinition): TakenTransition => {
  const name = guardName(guard)
  const [first] = target ?? []
  return {
    source: pathOf(source),
    ...(first === undefined ? {} : { target: pathOf(first) }),
    ...(name === undefined ? {} : { guard: name })
  }
}

const guardsOf = ({ before, microsteps }: RecordedStep): ReadonlyArray<AskedGuard> => {
  let snapshot: AnyMachineSnapshot | undefined = before
  return microsteps.flatMap((microstep) => {
    const evaluated = snapshot === undefined ? [] : guardsAsked(snapshot, microstep)
    snapshot = snapshotAfter(microstep)
    return evaluated
  })
}
