import { createActor } from "xstate"
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from "xstate"
import type { Command } from "../../src/kubernetes/apps/commands.ts"

/** A clock for charts that moves only when it is told to. */
export interface TestClock {
  readonly setTimeout: (run: () => void, millis: number) => Timer
  readonly clearTimeout: (timer: Timer | undefined) => void
  readonly nowMillis: () => number
  /**
   * Lets time pass, and every timer in it go off, the earliest first, those of one instant in the order they were set.
   * After each the test may have its say.
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
  let set = 0
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
      set += 1
      const timer = { atMillis: now + millis, order: set, run }
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

/** A chart at work: what is sent to it, and what it says. */
export interface Player {
  readonly send: (event: AnyEventObject) => void
  /** Sends, and takes what the chart said to it and before it. */
  readonly take: (event?: AnyEventObject) => ReadonlyArray<Command>
  readonly value: () => unknown
  readonly snapshot: () => AnyMachineSnapshot
  readonly stop: () => void
}

export const play = (machine: AnyStateMachine, clock: TestClock): Player => {
  const actor = createActor(machine, { clock })
  let said: Array<Command> = []
  let failure: { readonly error: unknown } | undefined
  actor.on("*", (command) => said.push(command as unknown as Command))
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
      const taken = said
      said = []
      return taken
    },
    value: () => actor.getSnapshot().value,
    snapshot: () => actor.getSnapshot(),
    stop: () => actor.stop()
  }
}
