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
  /** Runs what is due by the present time of the clock. */
  readonly runToPresent: () => void
  /** Controllers react once to all requests of a turn of the event loop. */
  readonly runToPresentOncePerTurn: () => void
  readonly callBeforeControllers: <Result>(callback: () => Result) => Result
  readonly callAfterControllers: (atMillis: number, run: () => void) => () => void
  readonly jump: (millis: number) => void
  /**
   * Loads a module for the controllers. Meanwhile they do not react, time stands still and calls wait: a cluster in a
   * process that has loaded the module before does exactly the same. The promise must not reject.
   */
  readonly holdWhileLoading: (load: () => Promise<void>) => void
  /** Resolves when the controllers have reacted; undefined unless something is being loaded. */
  readonly pendingControllerImport: () => Promise<void> | undefined
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

const performanceMillis = performance.now.bind(performance)
/**
 * How long the cluster may block Node's event loop: at first short, so that a server answers requests, then
 * longer, which is more efficient.
 */
const blockingMillisRange = { first: 2, step: 1, last: 20 }
/** After this lag the cluster's clock continues from the time that it has reached. */
const behindMillisMax = 20

export const makeTimeline = ({
  clock,
  machineMillis = performanceMillis,
  ...options
}: TimelineOptions): Timeline => {
  const kernel = makeKernel(options)
  let speed = speedOf(clock)
  const userCode = makeUserCode(() => speed === 0)
  let speedStart = { wallMillis: machineMillis(), clusterMillis: options.startMillis }
  let timeout: NodeJS.Timeout | undefined
  let timeoutMillis: number | undefined
  let plannedRun: NodeJS.Immediate | undefined
  let blockingMillis = blockingMillisRange.first
  let behindSinceMillis: number | undefined
  let isClosed = false
  let holdsControllers = false
  let loading: Promise<void> | undefined

  const presentMillis = (): number =>
    speedStart.clusterMillis + (machineMillis() - speedStart.wallMillis) * speed
  const cancelTimeout = (): void => {
    clearTimeout(timeout)
    timeoutMillis = undefined
  }
  const cancelPlannedRun = (): void => {
    clearImmediate(plannedRun)
    plannedRun = undefined
  }
  const setNextTimeout = (): void => {
    const nextMillis = kernel.nextTimerMillis()
    // Every request runs to the present, and few change what is due next.
    if (nextMillis === timeoutMillis) return
    cancelTimeout()
    if (speed === 0 || nextMillis === undefined || isClosed) return
    const wait = Math.ceil(Math.max(0, (nextMillis - presentMillis()) / speed))
    timeoutMillis = nextMillis
    timeout = setTimeout(onTimeout, Math.min(wait, timerMillisMax))
  }
  const onTimeout = (): void => {
    timeoutMillis = undefined
    runToPresent()
  }
  const runToPresent = (): void => {
    if (isClosed) return
    cancelPlannedRun()
    if (speed === 0) kernel.drain()
    else advanceBriefly()
    setNextTimeout()
  }
  /** Slows the cluster's time down on a machine that cannot keep up. */
  const advanceBriefly = (): void => {
    const startMillis = machineMillis()
    const untilMillis = startMillis + blockingMillis
    const isOverBudget = (): boolean => machineMillis() > untilMillis
    const hasArrived = kernel.advanceTo(presentMillis(), () => userCode.hasDueCallback() || isOverBudget(), {
      stopTurns: isOverBudget
    })
    const isBehind = !hasArrived && isOverBudget()
    noteBehind(isBehind ? startMillis : undefined)
    if (!hasArrived && (isBehind || userCode.hasDueCallback())) plannedRun ??= setImmediate(runToPresent)
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
      speedStart = { wallMillis, clusterMillis: kernel.nowMillis() }
  }
  // Work that a promise or a socket brings runs at the present instant.
  kernel.onWake(() => {
    plannedRun ??= setImmediate(runToPresent)
  })
  kernel.onTimerSet(setNextTimeout)
  return {
    kernel,
    userCode,
    speed: () => speed,
    setSpeed: (newSpeed) => {
      runToPresent()
      speedStart = { wallMillis: machineMillis(), clusterMillis: kernel.nowMillis() }
      speed = newSpeed
      cancelTimeout()
      runToPresent()
    },
    runToPresent,
    callAfterControllers: (atMillis, run) => {
      const timer = kernel.after(atMillis - kernel.nowMillis(), outsideTurnOrder, run)
      return () => kernel.cancel(timer)
    },
    jump: (millis) => {
      kernel.jump(millis)
      speedStart = { ...speedStart, clusterMillis: speedStart.clusterMillis + millis }
      cancelTimeout()
    },
    runToPresentOncePerTurn: () => {
      if (plannedRun === undefined && !holdsControllers) runToPresent()
    },
    callBeforeControllers: (callback) => {
      holdsControllers = true
      try {
        return callback()
      } finally {
        holdsControllers = false
      }
    },
    holdWhileLoading: (load) => {
      const release = kernel.hold()
      const endImport = userCode.beginImport()
      const end = (): void => {
        loading = undefined
        const hadHeldWork = release()
        try {
          if (hadHeldWork) runToPresent()
        } finally {
          endImport()
        }
      }
      loading = load().then(end)
    },
    pendingControllerImport: () => loading,
    ...makeClosing(() => {
      isClosed = true
      cancelTimeout()
      cancelPlannedRun()
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
