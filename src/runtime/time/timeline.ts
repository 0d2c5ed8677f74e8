// Node's own timers and clock, also in tests with fake global ones.
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers"
import { TaggedError } from "effect/Data"
import { makeKernel, outsideTurnOrder } from "./kernel.ts"
import { timerMillisMax } from "./timerMillisMax.ts"
import { makeUserCode } from "./userCode.ts"
import type { Kernel } from "./kernel.ts"
import type { UserCode } from "./userCode.ts"

export interface Timeline {
  readonly kernel: Kernel
  readonly userCode: UserCode
  /** A multiple of the machine's clock; 0 while time stands still. */
  readonly speed: () => number
  readonly setSpeed: (speed: number) => void
  readonly catchUp: () => void
  /** Controllers react once to all requests of a turn of the event loop. */
  readonly catchUpOncePerTurn: () => void
  /** Controllers do not act in the middle of the callback. */
  readonly whileStill: <Result>(callback: () => Result) => Result
  readonly callAfterControllers: (atMillis: number, run: () => void) => () => void
  readonly jump: (millis: number) => void
  readonly onClose: (callback: () => void) => () => void
  readonly close: () => void
}

export class ClusterClosed extends TaggedError("ClusterClosed") {
  override get message(): string {
    return "the cluster is closed"
  }
}

export type ClockSetting = "virtual" | "real" | { readonly speed: number }

interface TimelineOptions {
  readonly clock: ClockSetting
  readonly startMillis: number
  readonly shuffleSeed?: number
  readonly sequence?: number | undefined
  readonly machineMillis?: () => number
}

// Node's own clock, also in tests with a fake global one.
const performanceMillis = performance.now.bind(performance)
/**
 * How long the cluster may block Node's event loop: at first short, so that a server answers requests, then
 * longer, which is more efficient.
 */
const blockingMillisRange = { first: 2, step: 1, last: 20 }
const behindMillisMax = 20

export const makeTimeline = ({
  clock,
  machineMillis = performanceMillis,
  ...options
}: TimelineOptions): Timeline => {
  const kernel = makeKernel(options)
  let speed = speedOf(clock)
  const userCode = makeUserCode(() => speed === 0)
  let speedStart = { wallMillis: machineMillis(), millis: options.startMillis }
  let timeout: NodeJS.Timeout | undefined
  let timeoutMillis: number | undefined
  let plannedCatchUp: NodeJS.Immediate | undefined
  let blockingMillis = blockingMillisRange.first
  let behindSinceMillis: number | undefined
  let isClosed = false
  let isStill = false

  const presentMillis = (): number => speedStart.millis + (machineMillis() - speedStart.wallMillis) * speed
  const cancelTimeout = (): void => {
    clearTimeout(timeout)
    timeoutMillis = undefined
  }
  const cancelPlannedCatchUp = (): void => {
    clearImmediate(plannedCatchUp)
    plannedCatchUp = undefined
  }
  const setNextTimeout = (): void => {
    const next = kernel.nextTimerMillis()
    // Every request catches up, and few of them change what is due next.
    if (next === timeoutMillis) return
    cancelTimeout()
    if (speed === 0 || next === undefined || isClosed) return
    const wait = Math.ceil(Math.max(0, (next - presentMillis()) / speed))
    timeoutMillis = next
    timeout = setTimeout(onTimeout, Math.min(wait, timerMillisMax))
  }
  const onTimeout = (): void => {
    timeoutMillis = undefined
    catchUp()
  }
  const catchUp = (): void => {
    if (isClosed) return
    cancelPlannedCatchUp()
    if (speed === 0) kernel.drain()
    else advanceBriefly()
    setNextTimeout()
  }
  /** Slows the cluster's time down on a machine that cannot keep up. */
  const advanceBriefly = (): void => {
    const startMillis = machineMillis()
    const untilMillis = startMillis + blockingMillis
    const isOverBudget = (): boolean => machineMillis() > untilMillis
    const hasArrived = kernel.advanceTo(presentMillis(), () => userCode.hasDue() || isOverBudget(), {
      stopTurns: isOverBudget
    })
    const isBehind = !hasArrived && isOverBudget()
    noteBehind(isBehind ? startMillis : undefined)
    if (!hasArrived && (isBehind || userCode.hasDue())) plannedCatchUp ??= setImmediate(catchUp)
  }
  const noteBehind = (startMillis: number | undefined): void => {
    const { first, step, last } = blockingMillisRange
    if (startMillis === undefined) {
      behindSinceMillis = undefined
      blockingMillis = first
      return
    }
    behindSinceMillis ??= startMillis
    blockingMillis = Math.min(last, blockingMillis + step)
    const wallMillis = machineMillis()
    if (wallMillis - behindSinceMillis > behindMillisMax)
      speedStart = { wallMillis, millis: kernel.nowMillis() }
  }
  // Work that a promise or a socket brings runs at the present instant.
  kernel.onWake(() => {
    plannedCatchUp ??= setImmediate(catchUp)
  })
  kernel.onTimerSet(setNextTimeout)
  return {
    kernel,
    userCode,
    speed: () => speed,
    setSpeed: (newSpeed) => {
      catchUp()
      speedStart = { wallMillis: machineMillis(), millis: kernel.nowMillis() }
      speed = newSpeed
      cancelTimeout()
      catchUp()
    },
    catchUp,
    callAfterControllers: (atMillis, run) => {
      const timer = kernel.after(atMillis - kernel.nowMillis(), outsideTurnOrder, run)
      return () => kernel.cancel(timer)
    },
    jump: (millis) => {
      kernel.jump(millis)
      speedStart = { ...speedStart, millis: speedStart.millis + millis }
      cancelTimeout()
    },
    catchUpOncePerTurn: () => {
      if (plannedCatchUp === undefined && !isStill) catchUp()
    },
    whileStill: (callback) => {
      isStill = true
      try {
        return callback()
      } finally {
        isStill = false
      }
    },
    ...makeClosing(() => {
      isClosed = true
      cancelTimeout()
      cancelPlannedCatchUp()
      kernel.close()
    })
  }
}

const speedOf = (clock: ClockSetting): number =>
  clock === "virtual" ? 0 : clock === "real" ? 1 : clock.speed

const makeClosing = (close: () => void): Pick<Timeline, "close" | "onClose"> => {
  const callbacks = new Set<() => void>()
  return {
    onClose: (callback) => {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    close: () => {
      close()
      for (const callback of callbacks) callback()
      callbacks.clear()
    }
  }
}
