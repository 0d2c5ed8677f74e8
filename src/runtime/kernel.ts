import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import { uniformInt } from "pure-rand/distribution/uniformInt"
import { xoroshiro128plus, xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus"
import { TaggedError } from "effect/Data"
import { TimerHeap } from "./timerHeap.ts"
import type { Fiber } from "effect/Fiber"
import type { Timer, TimerPlace } from "./timerHeap.ts"

/** An instant in which there is always more to do: somebody goes on for ever without waiting for anything. */
export class EndlessInstant extends TaggedError("EndlessInstant")<{
  readonly nowMillis: number
  readonly turns: number
  /** Whose turn it was of late, the most frequent first. */
  readonly turning: ReadonlyArray<string>
}> {
  override get message(): string {
    const { nowMillis, turns, turning } = this
    const who = turning.length === 0 ? "a fiber that waits for nothing" : turning.slice(0, 3).join(", ")
    return `${new Date(nowMillis).toISOString()} does not end: ${turns} turns, and still at it: ${who}`
  }
}

/**
 * One timeline for fibers and statecharts: a run queue that is Effect's Scheduler, and a heap of timers that is both
 * Effect's Clock and the clock of every XState actor. It knows exactly when nothing is left to do at the present
 * instant; time moves only when it is told to.
 *
 * K1  Fibers that can go on always go before anything new begins.
 * K2  Among what may begin, the lowest rank goes first: leaves before their owners, so that an owner sees what its
 *     children have come to. Within a rank, in order of arrival.
 * K3  Time stands still while anything is left to do.
 * K4  An instant ends: one of more turns than any honest one has fails by name, and nothing begins any more.
 */
export interface Kernel {
  readonly nowMillis: () => number
  /** Runs an effect as a fiber on this timeline. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber<A, E>
  /** Begins something when its rank's turn comes, at the present instant. */
  readonly post: (rank: number, turn: () => void) => void
  /** Says whose turn it is, for an instant that does not end. */
  readonly note: (owner: string, key: string) => void
  readonly after: (millis: number, rank: number, run: () => void) => Timer
  /** A timer in the place that it had on another kernel. */
  readonly resume: (place: TimerPlace, run: () => void) => Timer
  readonly cancel: (timer: Timer) => void
  /** Does everything that is left to do now. */
  readonly drain: () => void
  /** How many turns there have been in all the instants that are over. */
  readonly turnsTaken: () => number
  /** When the next timer is due. */
  readonly nextTimerMillis: () => number | undefined
  /**
   * Moves to a moment, doing on the way what is due when it is due. Stops early, at an instant where nothing is left
   * to do, when `stop` says so, which is told before when nothing will happen; answers whether it got there.
   */
  readonly advanceTo: (millis: number, stop?: (nextMillis: number) => boolean) => boolean
  /** It is so much later at once: what was due meanwhile is done now, in the order in which it was due. */
  readonly jump: (millis: number) => void
  /** Called whenever nothing is left to do at the present instant. Returns how to stop. */
  readonly onQuiet: (callback: () => void) => () => void
  /** What there is to say of it between two instants; undefined while something is being done. */
  readonly rest: () => KernelRest | undefined
  /** Draws from here on as another one would have: what has begun on this one until now was no part of its life. */
  readonly restoreChance: (state: ReadonlyArray<number>) => void
  /** Called when something turns up from outside while nothing runs. */
  readonly onWake: (wake: () => void) => void
  /** Drops all timers and whatever waits; nothing runs after this. */
  readonly close: () => void
}

/** A kernel of which nothing is left to do at the present instant. */
export interface KernelRest {
  readonly nowMillis: number
  /** The number of the last timer that was set. */
  readonly sequence: number
  /** The state of chance, where the order of turns is drawn. */
  readonly chance?: ReadonlyArray<number>
  /** Timers that run, but for those of whoever waits outside. */
  readonly timers: number
  /** Fibers that sleep. */
  readonly sleeping: number
}

interface KernelOptions {
  readonly startMillis: number
  /** Counts timers on from here. */
  readonly sequence?: number | undefined
  /** Takes what is ready in an order drawn from this seed instead of the order of arrival. */
  readonly shuffleSeed?: number
  /** The most turns of one instant. */
  readonly turnsMax?: number | undefined
}

/** A rollout of 100,000 Pods at one instant takes two million, and so does their end. */
const turnsDefaultMax = 10_000_000
/** Whoever has one of the last so many turns is told of. */
const notedMax = 1000

/** Before everything else that is due at the same instant: what comes in between others, and what it ends. */
export const firstRank = 0
/** A fiber's sleep ends after everything else that is due at the same instant. */
export const sleepRank = 1000
/** From here on, timers are those of whoever waits outside for something to happen. */
export const outsideRank = 10_000

export const makeKernel = (options: KernelOptions): Kernel => {
  const heap = new TimerHeap(options.sequence)
  const ready = makeQueue<() => void>()
  const turnsByRank: Array<{ readonly rank: number; readonly turns: TaskQueue<() => void> }> = []
  const turnsAt = new Map<number, TaskQueue<() => void>>()
  let chance = options.shuffleSeed === undefined ? undefined : xoroshiro128plus(options.shuffleSeed)
  const pick = <A>(queue: TaskQueue<A>): A | undefined =>
    queue.take(chance === undefined ? 0 : uniformInt(chance, 0, queue.size() - 1))
  let nowMillis = options.startMillis
  let sleeping = 0
  let draining = false
  /** Turns of the present instant that were taken without a rest, and who had the last of them. */
  let turns = 0
  let turnsBefore = 0
  const { turnsMax = turnsDefaultMax } = options
  const notedFrom = turnsMax - notedMax
  const noted = new Map<string, number>()
  let endless: EndlessInstant | undefined
  let closed = false
  /** Those who wait for quiet are being told of it. */
  let telling = false
  let wake: () => void = () => {}
  const quietListeners = new Set<() => void>()

  const wakeUp = (): void => {
    if (!draining && !closed) wake()
  }

  const scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
    makeDispatcher: () => ({
      scheduleTask: (task) => {
        ready.push(task)
        wakeUp()
      },
      flush: () => drain()
    })
  }

  const after: Kernel["after"] = (millis, rank, run) => heap.add(nowMillis + Math.max(0, millis), rank, run)

  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => nowMillis,
    currentTimeMillis: Effect.sync(() => nowMillis),
    currentTimeNanosUnsafe: () => nanosOf(nowMillis),
    currentTimeNanos: Effect.sync(() => nanosOf(nowMillis)),
    monotonicTimeNanosUnsafe: () => nanosOf(nowMillis),
    monotonicTimeNanos: Effect.sync(() => nanosOf(nowMillis)),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        sleeping += 1
        const timer = after(Duration.toMillis(duration), sleepRank, () => {
          sleeping -= 1
          resume(Effect.void)
        })
        return Effect.sync(() => {
          if (timer.place >= 0) sleeping -= 1
          heap.remove(timer)
        })
      })
  }

  const services = Context.make(Clock.Clock, clock).pipe(Context.add(Scheduler.Scheduler, scheduler))
  const fork = Effect.runForkWith(services)

  const turnsOf = (rank: number): TaskQueue<() => void> => {
    const present = turnsAt.get(rank)
    if (present !== undefined) return present
    const turns = makeQueue<() => void>()
    turnsAt.set(rank, turns)
    turnsByRank.push({ rank, turns })
    turnsByRank.sort((a, b) => a.rank - b.rank)
    return turns
  }

  /** What begins next: the lowest rank among turns and due timers, a timer before a turn of the same rank. */
  const next = (): (() => void) | undefined => {
    if (ready.size() > 0) return pick(ready)
    if (endless !== undefined) return undefined
    const timer = heap.peek()
    const due = timer !== undefined && timer.atMillis <= nowMillis ? timer : undefined
    for (const { rank, turns } of turnsByRank) {
      if (due !== undefined && due.rank <= rank) break
      if (turns.size() > 0) return pick(turns)
    }
    if (due === undefined) return undefined
    heap.remove(due)
    return due.run
  }

  const endlessly = (): EndlessInstant => {
    const turning = [...noted].sort(([, a], [, b]) => b - a).map(([name]) => name)
    return new EndlessInstant({ nowMillis, turns: turnsMax, turning })
  }

  const drain = (): void => {
    if (draining || telling || closed) return
    draining = true
    turnsBefore += turns
    turns = 0
    try {
      for (let task = next(); task !== undefined && !closed; task = next()) {
        turns += 1
        if (turns > turnsMax) throw (endless ??= endlessly())
        task()
      }
    } finally {
      draining = false
    }
    telling = true
    try {
      for (const listener of quietListeners) listener()
    } finally {
      telling = false
    }
  }

  /** A fiber runs at once, as far as it gets; nobody may drain meanwhile, or its step would be cut in two. */
  const run: Kernel["run"] = (effect) => {
    if (draining) return fork(effect)
    draining = true
    try {
      return fork(effect)
    } finally {
      draining = false
      if (ready.size() > 0) wakeUp()
    }
  }

  return {
    nowMillis: () => nowMillis,
    run,
    post: (rank, turn) => {
      turnsOf(rank).push(turn)
      wakeUp()
    },
    note: (owner, key) => {
      if (turns < notedFrom) return
      const name = `${owner} ${key}`
      noted.set(name, (noted.get(name) ?? 0) + 1)
    },
    after,
    resume: (place, run) => heap.addAt(place, run),
    cancel: (timer) => heap.remove(timer),
    drain,
    turnsTaken: () => turnsBefore + turns,
    nextTimerMillis: () => heap.peek()?.atMillis,
    advanceTo: (millis, stop = never) => {
      // Asked from within what is being done: the instant is not over yet.
      if (draining || telling) return false
      drain()
      if (endless !== undefined) throw endless
      for (let timer = heap.peek(); timer !== undefined && timer.atMillis <= millis; timer = heap.peek()) {
        if (stop(timer.atMillis)) return false
        nowMillis = Math.max(nowMillis, timer.atMillis)
        drain()
      }
      if (stop(millis)) return false
      nowMillis = Math.max(nowMillis, millis)
      return true
    },
    jump: (millis) => {
      nowMillis += Math.max(0, millis)
      wakeUp()
    },
    onQuiet: (callback) => {
      quietListeners.add(callback)
      return () => quietListeners.delete(callback)
    },
    rest: () => {
      const isBusy = draining || ready.size() > 0 || turnsByRank.some(({ turns }) => turns.size() > 0)
      if (isBusy) return undefined
      const timers = heap.countBelow(outsideRank)
      const { sequence } = heap
      return {
        nowMillis,
        sequence,
        ...(chance === undefined ? {} : { chance: chance.getState() }),
        timers,
        sleeping
      }
    },
    restoreChance: (state) => {
      chance = xoroshiro128plusFromState(state)
    },
    onWake: (callback) => {
      wake = callback
    },
    close: () => {
      closed = true
      heap.clear()
      ready.clear()
      for (const { turns } of turnsByRank) turns.clear()
    }
  }
}

const never = (): boolean => false

const nanosOf = (millis: number): bigint => BigInt(Math.round(millis * 1000)) * 1000n

interface TaskQueue<A> {
  readonly push: (task: A) => void
  readonly size: () => number
  /** Takes the task at a distance from the front. */
  readonly take: (distance: number) => A | undefined
  readonly clear: () => void
}

/**
 * Cut the array after so many taken tasks: rarely enough to be cheap, often enough not to keep what is done.
 */
const cutLength = 1024

const makeQueue = <A>(): TaskQueue<A> => {
  let tasks: Array<A> = []
  let front = 0
  return {
    push: (task) => tasks.push(task),
    size: () => tasks.length - front,
    take: (distance) => {
      const task = tasks[front + distance]
      const first = tasks[front]
      if (first !== undefined) tasks[front + distance] = first
      front += 1
      if (front === tasks.length) {
        tasks.length = 0
        front = 0
      } else if (front > cutLength) {
        tasks = tasks.slice(front)
        front = 0
      }
      return task
    },
    clear: () => {
      tasks = []
      front = 0
    }
  }
}
