import { TaggedError } from "effect/Data"
import { makeKernel } from "./kernel.ts"
import type { Kernel } from "./kernel.ts"

/**
 * What drives the kernel's time: nobody but its user, or the machine's clock, at its own pace or faster. It may be
 * stopped, and go on at another speed.
 */
export interface Timeline {
  readonly kernel: Kernel
  /** So many times as fast as the machine's clock; 0 while time stands still unless somebody moves it. */
  readonly speed: () => number
  readonly setSpeed: (speed: number) => void
  /** Brings the present instant up to date and does what is due; for whoever comes from outside. */
  readonly catchUp: () => void
  /**
   * Brings the present instant up to date for one of many who may come at once. What those before have set going goes
   * on when all have been heard, so that it is done once for all of them, as a work queue would.
   */
  readonly arrive: () => void
  /** It is so much later at once, as after a sleep of the machine. */
  readonly jump: (millis: number) => void
  /** Calls back when the timeline is closed. Returns how to stop. */
  readonly onClose: (callback: () => void) => () => void
  /** Stops the drive and drops every timer; who waits is told. */
  readonly close: () => void
}

/** The cluster has been closed: nothing happens in it any more. */
export class ClusterClosed extends TaggedError("ClusterClosed") {
  override get message(): string {
    return "the cluster is closed"
  }
}

/** `virtual`; `real`; or so many times as fast as the machine's clock. */
export type ClockSetting = "virtual" | "real" | { readonly speed: number }

interface TimelineOptions {
  readonly clock: ClockSetting
  /** Where time begins, in Unix milliseconds. */
  readonly startMillis: number
  readonly shuffleSeed?: number
  /** Counts timers on from here. */
  readonly sequence?: number | undefined
}

/** The longest wait that a timer of the machine can take. */
const waitMaxMillis = 2_147_483_647
/** How long one stretch of time may keep the machine's other work waiting. */
const stretchMillis = 20

export const makeTimeline = ({ clock, ...options }: TimelineOptions): Timeline => {
  const kernel = makeKernel(options)
  let speed = speedOf(clock)
  /** When the present speed began: by the machine's clock, and by ours. */
  let since = { wallMillis: performance.now(), millis: options.startMillis }
  let waiting: NodeJS.Timeout | undefined
  let planned: NodeJS.Immediate | undefined
  let closed = false

  const present = (): number => since.millis + (performance.now() - since.wallMillis) * speed
  const rest = (): void => {
    clearTimeout(waiting)
    clearImmediate(planned)
    planned = undefined
  }
  /** Wakes up when the next timer is due, where time goes on by itself. */
  const plan = (): void => {
    const next = kernel.nextTimerMillis()
    if (speed === 0 || next === undefined || closed) return
    const wait = Math.ceil(Math.max(0, (next - present()) / speed))
    // Whoever was called back on the way may have caught up as well.
    clearTimeout(waiting)
    waiting = setTimeout(catchUp, Math.min(wait, waitMaxMillis))
  }
  const catchUp = (): void => {
    if (closed) return
    rest()
    if (speed === 0) kernel.drain()
    else goOn()
    plan()
  }
  /** A machine that cannot keep up with the speed lets time go slower: it would only fall back further and further. */
  const goOn = (): void => {
    const until = performance.now() + stretchMillis
    const isTired = (): boolean => performance.now() > until
    if (kernel.advanceTo(present(), isTired) || !isTired()) return
    since = { wallMillis: performance.now(), millis: kernel.nowMillis() }
    planned ??= setImmediate(catchUp)
  }
  // What a promise or a socket brings in from outside is done at the present instant.
  kernel.onWake(() => {
    planned ??= setImmediate(catchUp)
  })
  return {
    kernel,
    speed: () => speed,
    setSpeed: (next) => {
      catchUp()
      since = { wallMillis: performance.now(), millis: kernel.nowMillis() }
      speed = next
      catchUp()
    },
    catchUp,
    jump: (millis) => {
      kernel.jump(millis)
      since = { ...since, millis: since.millis + millis }
    },
    arrive: () => {
      if (planned === undefined) catchUp()
    },
    ...closing(() => {
      closed = true
      rest()
      kernel.close()
    })
  }
}

const speedOf = (clock: ClockSetting): number =>
  clock === "virtual" ? 0 : clock === "real" ? 1 : clock.speed

/** Closing, and telling those who wait. */
const closing = (close: () => void): Pick<Timeline, "close" | "onClose"> => {
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
