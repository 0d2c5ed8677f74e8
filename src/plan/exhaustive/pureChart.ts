import { createActor } from "xstate"
import { compileIfPossible } from "../../compiler/compile.ts"
import type { AnyActorLogic, AnyActorScope, AnyMachineSnapshot, AnyStateMachine } from "xstate"
import type { Command } from "../../kubernetes/apps/commands.ts"

/** A chart without an actor: events yield commands and timers, nothing is executed. */
export interface PureChart {
  readonly initialSnapshot: AnyMachineSnapshot
  readonly send: (snapshot: AnyMachineSnapshot, event: { readonly type: string }) => PureStep
}

export type PureStep = readonly [
  snapshot: AnyMachineSnapshot,
  commands: ReadonlyArray<Command>,
  timers: ReadonlyArray<PureTimer>
]

export interface PureTimer {
  readonly id: string
  /** Milliseconds. */
  readonly delay: number
}

export const makePureChart = (machine: AnyStateMachine): PureChart => {
  const logic = compileIfPossible(machine)
  let commands: Array<Command> = []
  let timers = new Map<string, PureTimer>()
  const scope = collectingScope(logic, {
    emit: (command) => void commands.push(command),
    setTimer: (timer) => void timers.set(timer.id, timer),
    cancelTimer: (id) => void timers.delete(id)
  })
  const initialSnapshot: AnyMachineSnapshot = logic.getInitialSnapshot(scope, undefined)
  if (commands.length > 0 || timers.size > 0)
    throw new Error(`the chart "${machine.id}" acts before its first event`)
  return {
    initialSnapshot,
    send: (snapshot, event) => {
      commands = []
      timers = new Map()
      const next: AnyMachineSnapshot = logic.transition(snapshot, event, scope)
      return [next, commands, [...timers.values()]]
    }
  }
}

const collectingScope = (
  logic: AnyActorLogic,
  collector: {
    readonly emit: (command: Command) => void
    readonly setTimer: (timer: PureTimer) => void
    readonly cancelTimer: (id: string) => void
  }
): AnyActorScope => {
  const self = createActor(logic)
  const scheduler: AnyActorScope["system"]["scheduler"] = {
    schedule: (_source, _target, _event, delay, id) => {
      if (id === undefined) throw new Error("a chart set a timer that it cannot cancel")
      collector.setTimer({ id, delay })
    },
    cancel: (_source, id) => collector.cancelTimer(id),
    cancelAll: () => {}
  }
  return {
    self,
    id: self.id,
    sessionId: self.sessionId,
    logger: () => {},
    defer: (effect) => effect(),
    emit: (command: unknown) => collector.emit(command as Command),
    system: { ...self.system, scheduler },
    stopChild: () => {},
    actionExecutor: ({ exec, info, params }) => exec?.(info, params)
  }
}
