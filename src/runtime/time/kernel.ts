import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import { makeFiberClock } from "./fiberClock.ts"
import { makeRunQueue } from "./runQueue.ts"
import { makeTimerQueue } from "./timerQueue.ts"
import { makeTurnCounter } from "./turnCounter.ts"
import type { Fiber } from "effect/Fiber"
import type { TimerQueue } from "./timerQueue.ts"
import type { Timer, TimerPlace } from "./timerHeap.ts"

/**
 * One timeline for fibers and statecharts: a run queue that is Effect's Scheduler, and a heap of timers that is both
 * Effect's Clock and the clock of every XState actor. A turn is a callback with a turn order, such as one that hands a
 * key to a controller's worker.
 *
 * K1  Fibers that can continue run before any new turn or timer.
 * K2  Among turns and due timers the lowest turn order goes first: dependents before their owners, so that an owner
 *     sees the result. Those of one turn order run in order of arrival.
 * K3  Time moves only when nothing is left to run.
 * K4  An instant with more turns than `turnsMax` fails with `EndlessInstant`, and no new turn begins.
 */
export interface Kernel {
  readonly nowMillis: () => number
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber<A, E>
  /** Runs `turn` at the present instant, when nothing of a lower turn order is left to run. */
  readonly post: (turnOrder: number, turn: () => void) => void
  /** Runs a task like a fiber that can continue. */
  readonly scheduleTask: (task: () => void) => void
  /** Notes owner and key of the present turn, for the message of `EndlessInstant`. */
  readonly noteTurn: (owner: string, key: string) => void
  readonly after: (millis: number, turnOrder: number, run: () => void) => Timer
  /** As `after`, for a timer that sets itself again whenever it runs, with the same period. */
  readonly repeat: (periodMillis: number, turnOrder: number, run: () => void) => Timer
  /**
   * Sets when rounds of repeated timers are left out, so that a quiet period costs nothing. Without a rule every round
   * runs.
   */
  readonly setRoundSkipRule: TimerQueue["setRoundSkipRule"]
  /** Sets a timer of a snapshot again, at its former place among the timers. */
  readonly resume: (place: TimerPlace, run: () => void) => Timer
  readonly cancel: (timer: Timer) => void
  /**
   * Runs everything that is left to run at the present instant. Stops when `stop`, asked between turns, returns true.
   * Returns whether nothing is left.
   */
  readonly drain: (stop?: () => boolean) => boolean
  /** How many fibers' steps, turns and timers have run so far. */
  readonly turnsRun: () => number
  readonly nextTimerMillis: () => number | undefined
  /**
   * Advances through all timers up to `millis`. Stops when `stop`, asked before each step, returns true, or in the
   * middle of an instant when `stopTurns` does. `maySkipRepeatedTimers` leaves out repeated timers whose rule allows
   * it. Returns whether it arrived.
   */
  readonly advanceTo: (
    millis: number,
    stop?: (nextTimerMillis: number) => boolean,
    options?: { readonly stopTurns?: () => boolean; readonly maySkipRepeatedTimers?: boolean }
  ) => boolean
  /** Advances in one step: overdue timers run at the new instant, in order. */
  readonly jump: (millis: number) => void
  /** Calls back whenever nothing is left to run at the present instant. Returns how to unsubscribe. */
  readonly onQuiet: (callback: () => void) => () => void
  /** The kernel's state for a snapshot; undefined while something is left to run. */
  readonly idleState: () => IdleKernel | undefined
  readonly restoreRandom: (state: ReadonlyArray<number>) => void
  /**
   * Nothing runs, and time does not move, until the returned function is called. That returns whether something would
   * have run meanwhile.
   */
  readonly hold: () => () => boolean
  /** Sets what the kernel calls when work arrives while it is idle: it then has to be drained. */
  readonly onWake: (wake: () => void) => void
  /** Sets what the idle kernel calls when a timer is set, as by a fiber that a promise has resumed. */
  readonly onTimerSet: (callback: () => void) => void
  readonly close: () => void
}

export interface IdleKernel {
  readonly nowMillis: number
  /** The number of the last timer that was set. */
  readonly sequence: number
  /** Left out where tasks are not shuffled. */
  readonly shuffleState?: ReadonlyArray<number>
  /** The number of pending timers, without those of callers that wait outside the cluster (`outsideTurnOrder`). */
  readonly timerCount: number
  readonly sleepingCount: number
}

interface KernelOptions {
  readonly startMillis: number
  /** The number of the last timer of the snapshot that the kernel continues. */
  readonly sequence?: number | undefined
  /** Shuffles fibers, and turns of one turn order, by this seed. Default: they run in order of arrival. */
  readonly shuffleSeed?: number
  readonly turnsMax?: number | undefined
}

/** A drain asks whether to stop once in so many turns. */
const turnsPerStopCheck = 16

/** Runs before all controllers at an instant. */
export const firstTurnOrder = 0
/** Runs after all controllers at an instant: the end of a fiber's sleep. */
export const afterControllersTurnOrder = 1000
/** Timers from this turn order on belong to callers outside the cluster; they are in no snapshot. */
export const outsideTurnOrder = 10_000

export const makeKernel = (options: KernelOptions): Kernel => {
  const timerQueue = makeTimerQueue(options.sequence)
  const { singleTimers, next: nextTimer } = timerQueue
  const runQueue = makeRunQueue(options.shuffleSeed)
  const turnCounter = makeTurnCounter(options.turnsMax)
  let nowMillis = options.startMillis
  let draining = false
  let closed = false
  /** Whether the last drain was stopped in the middle of an instant. */
  let isInterrupted = false
  let isNotifying = false
  let holds = 0
  let hasHeldWork = false
  let wake: () => void = () => {}
  let notifyTimerSet: () => void = () => {}
  const quietListeners = new Set<() => void>()

  const wakeUp = (): void => {
    if (!draining && !closed) wake()
  }

  const scheduleTask: Kernel["scheduleTask"] = (task) => {
    runQueue.pushTask(task)
    wakeUp()
  }

  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
    makeDispatcher: () => ({ scheduleTask, flush: () => void drain() })
  }

  const reportTimer = (timer: Timer): Timer => {
    if (!draining && !closed) notifyTimerSet()
    return timer
  }

  const after: Kernel["after"] = (millis, turnOrder, run) =>
    reportTimer(singleTimers.add(nowMillis + Math.max(0, millis), turnOrder, run))

  const fiberClock = makeFiberClock({
    nowMillis: () => nowMillis,
    after: (millis, run) => after(millis, afterControllersTurnOrder, run),
    cancel: timerQueue.remove
  })
  const services = Context.make(Clock.Clock, fiberClock.clock).pipe(
    Context.add(Scheduler.Scheduler, scheduler)
  )
  const fork = Effect.runForkWith(services)

  /** Continued fibers first, then the lowest turn order; of one turn order, timers before turns. */
  const takeNextTask = (): (() => void) | undefined => {
    if (runQueue.hasTasks()) return runQueue.takeTask()
    if (turnCounter.endlessInstant() !== undefined) return undefined
    const timer = nextTimer()
    const dueTimer = timer !== undefined && timer.atMillis <= nowMillis ? timer : undefined
    const turn = runQueue.takeTurn(dueTimer?.turnOrder)
    if (turn !== undefined || dueTimer === undefined) return turn
    timerQueue.remove(dueTimer)
    return dueTimer.run
  }

  /** Returns whether nothing is left at the present instant. */
  const runTasks = (stop: (() => boolean) | undefined): boolean => {
    for (let task = takeNextTask(); task !== undefined && !closed; task = takeNextTask()) {
      const turns = turnCounter.countTurn(nowMillis)
      task()
      if (holds === 0 && (stop === undefined || turns % turnsPerStopCheck > 0 || !stop())) continue
      hasHeldWork = holds > 0
      return false
    }
    return true
  }

  const notifyQuiet = (): void => {
    isNotifying = true
    try {
      for (const listener of quietListeners) listener()
    } finally {
      isNotifying = false
    }
  }

  const drain: Kernel["drain"] = (stop) => {
    if (draining || isNotifying || closed) return false
    if (holds > 0) {
      hasHeldWork = true
      return false
    }
    draining = true
    // After an interruption, the drain goes on with the same instant.
    if (!isInterrupted) turnCounter.beginInstant()
    isInterrupted = false
    try {
      isInterrupted = !runTasks(stop)
    } finally {
      draining = false
    }
    if (isInterrupted) return false
    notifyQuiet()
    return true
  }

  /** Starts a fiber without draining, or its first step would be interleaved with others. */
  const run: Kernel["run"] = (effect) => {
    if (draining) return fork(effect)
    draining = true
    try {
      return fork(effect)
    } finally {
      draining = false
      if (runQueue.hasTasks()) wakeUp()
    }
  }

  const advanceTo: Kernel["advanceTo"] = (
    millis,
    stop = never,
    { stopTurns, maySkipRepeatedTimers = false } = {}
  ) => {
    if (draining || isNotifying) return false
    if (!drain(stopTurns)) return false
    const endlessInstant = turnCounter.endlessInstant()
    if (endlessInstant !== undefined) throw endlessInstant
    for (let timer = nextTimer(); timer !== undefined && timer.atMillis <= millis; timer = nextTimer()) {
      if (stop(timer.atMillis)) return false
      if (maySkipRepeatedTimers && !runQueue.isShuffled()) timerQueue.skipRounds(millis)
      nowMillis = Math.max(nowMillis, timer.atMillis)
      if (!drain(stopTurns)) return false
    }
    if (stop(millis)) return false
    nowMillis = Math.max(nowMillis, millis)
    return true
  }

  const idleState: Kernel["idleState"] = () => {
    if (draining || !runQueue.isEmpty()) return undefined
    const shuffleState = runQueue.shuffleState()
    return {
      nowMillis,
      sequence: singleTimers.sequence,
      ...(shuffleState === undefined ? {} : { shuffleState }),
      timerCount: timerQueue.countBelow(outsideTurnOrder),
      sleepingCount: fiberClock.sleepingFiberCount()
    }
  }

  return {
    nowMillis: () => nowMillis,
    run,
    post: (turnOrder, turn) => {
      runQueue.pushTurn(turnOrder, turn)
      wakeUp()
    },
    scheduleTask,
    noteTurn: turnCounter.noteTurn,
    after,
    repeat: (periodMillis, turnOrder, run) => {
      const place = { atMillis: nowMillis + periodMillis, turnOrder, sequence: singleTimers.takeSequence() }
      return reportTimer(timerQueue.repeat(place, run, periodMillis))
    },
    setRoundSkipRule: timerQueue.setRoundSkipRule,
    resume: (place, run) => reportTimer(singleTimers.addAt(place, run)),
    cancel: timerQueue.remove,
    drain,
    turnsRun: turnCounter.turnsRun,
    nextTimerMillis: () => nextTimer()?.atMillis,
    advanceTo,
    jump: (millis) => {
      nowMillis += Math.max(0, millis)
      wakeUp()
    },
    onQuiet: (callback) => {
      quietListeners.add(callback)
      return () => quietListeners.delete(callback)
    },
    idleState,
    restoreRandom: runQueue.restoreShuffle,
    hold: () => {
      holds += 1
      return () => {
        const hadHeldWork = hasHeldWork
        holds -= 1
        hasHeldWork = false
        return hadHeldWork
      }
    },
    onWake: (callback) => {
      wake = callback
    },
    onTimerSet: (callback) => {
      notifyTimerSet = callback
    },
    close: () => {
      closed = true
      timerQueue.clear()
      runQueue.clear()
    }
  }
}

const never = (): boolean => false
