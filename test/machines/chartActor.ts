import { createActor } from "xstate"
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from "xstate"
import type { Command } from "../../src/kubernetes/apps/commands.ts"

/** A clock for charts that a test advances. */
export interface TestClock {
  readonly setTimeout: (run: () => void, millis: number) => Timer
  readonly clearTimeout: (timer: Timer | undefined) => void
  readonly nowMillis: () => number
  /**
   * Advances the time and runs every timer that is due, the earliest first, those of one instant in the order of
   * their creation. Calls `afterEach` after each.
   */
  readonly advance: (millis: number, afterEach?: () => void) => void
}

interface Timer {
  readonly atMillis: number
  readonly order: number
  readonly run: () => void
}

export const makeClock = (beginMillis: number): TestClock => {
  let now = beginMillis
  let created = 0
  const timers = new Set<Timer>()
  const nextUntil = (millis: number): Timer | undefined => {
    let first: Timer | undefined
    for (const timer of timers) {
      if (timer.atMillis > millis) continue
      const sooner = first === undefined || timer.atMillis < first.atMillis
      if (sooner || (timer.atMillis === first?.atMillis && timer.order < first.order)) first = timer
    }
    return first
  }
  return {
    nowMillis: () => now,
    setTimeout: (run, millis) => {
      created += 1
      const timer = { atMillis: now + millis, order: created, run }
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => {
      if (timer !== undefined) timers.delete(timer)
    },
    advance: (millis, afterEach = () => {}) => {
      const until = now + millis
      for (let timer = nextUntil(until); timer !== undefined; timer = nextUntil(until)) {
        timers.delete(timer)
        now = timer.atMillis
        timer.run()
        afterEach()
      }
      now = until
    }
  }
}

export interface ChartActor {
  readonly send: (event: AnyEventObject) => void
  /** Sends the event, then returns and clears the collected commands. */
  readonly take: (event?: AnyEventObject) => ReadonlyArray<Command>
  readonly value: () => unknown
  readonly snapshot: () => AnyMachineSnapshot
  readonly stop: () => void
}

export const startChart = (machine: AnyStateMachine, clock: TestClock): ChartActor => {
  const actor = createActor(machine, { clock })
  let commands: Array<Command> = []
  let failure: { readonly error: unknown } | undefined
  actor.on("*", (command) => commands.push(command as unknown as Command))
  actor.subscribe({
    error: (error) => {
      failure = { error }
    }
  })
  actor.start()
  const send = (event: AnyEventObject): void => {
    actor.send(event)
    if (failure !== undefined) throw new Error("the chart failed", { cause: failure.error })
  }
  return {
    send,
    take: (event) => {
      if (event !== undefined) send(event)
      const collected = commands
      commands = []
      return collected
    },
    value: () => actor.getSnapshot().value,
    snapshot: () => actor.getSnapshot(),
    stop: () => actor.stop()
  }
}
